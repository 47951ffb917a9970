"""Operators of Omni-RAG: what a model is shown and may answer, what words answer, and how a rating is read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from rows import each_row
from views import keyless, sentenced

from medground.models.operators.base import InvalidOutput, SentencedPassage
from medground.recipes.omni_rag.operators import (
    MOST_TERMS,
    ExploredSource,
    NameTermsInput,
    PlanSourcesInput,
    PlanSourcesOutput,
    TaggedPlan,
    WritePassageInput,
    name_terms,
    plan_sources,
    plan_sources_tagged,
    write_passage,
)
from medground.recipes.omni_rag.planners import typed
from medground.recipes.omni_rag.rating import (
    SUGGESTION_WORDS,
    RatePlanInput,
    RatePlanOutput,
    Retrieved,
    rate_plan,
    read_score,
    read_suggestion,
)
from medground.recipes.omni_rag.read_plan import read_plan
from medground.recipes.omni_rag.source_reading import ReadSourcesInput, read_sources
from medground.values.source_plan import SourceDescription

SOURCES = tuple(SourceDescription.of_kind(kind) for kind in ("book", "research", "graph"))
ASKED = PlanSourcesInput(
    question="Does metformin <b>lower</b> the risk of stroke?",
    sources=tuple(ExploredSource(name=one.name, kind=one.kind, about=one.about) for one in SOURCES),
)


def test_a_planner_is_shown_what_each_source_holds_and_nothing_can_leave_its_block() -> None:
    for operator in (plan_sources, plan_sources_tagged):
        prompt = operator.prompt(ASKED)
        assert all(source.about in prompt for source in SOURCES)
        assert "<kind>graph</kind>" in prompt
        assert "<b>" not in prompt
        assert operator.name == "plan_sources"
    assert plan_sources.choices(ASKED) == {"source": ("book", "research", "graph")}


def test_a_text_that_names_no_source_is_asked_for_again() -> None:
    with pytest.raises(InvalidOutput, match="<book>, <research>, <graph>"):
        plan_sources_tagged.check(ASKED, TaggedPlan(text="I cannot plan this."))
    plan_sources_tagged.check(ASKED, TaggedPlan(text="<book></book>"))


def test_both_forms_of_the_plan_without_a_model_say_the_same() -> None:
    typed = plan_sources.keyless(ASKED)
    written = read_plan(plan_sources_tagged.keyless(ASKED).text, SOURCES)
    assert written.repairs == ()
    assert {one.source: [query.text for query in one.queries] for one in typed.plan if one.queries} == {
        name: [query.text for query in queries] for name, queries in written.plan.queries.items()
    }
    assert any("stroke" in query.text for one in typed.plan for query in one.queries)


def test_terms_are_few_and_a_passage_needs_a_model() -> None:
    question = "Do aspirin, metformin, warfarin, simvastatin or lisinopril cause asthma, gout or migraine?"
    terms = name_terms.keyless(NameTermsInput(question=question)).terms
    assert 0 < len(terms) <= MOST_TERMS
    assert write_passage.keyless(WritePassageInput(question=question, source=ASKED.sources[0])).passage == ""


def line(number: int, title: str, text: str) -> SentencedPassage:
    return sentenced(f"P{number}", text, kind="graph", title=title)


def test_lines_of_a_graph_are_quoted_where_they_bear_on_the_question() -> None:
    drugs = (
        line(1, "Aspirin", "Aspirin interacts with warfarin."),
        line(2, "Aspirin", "Aspirin is a salicylate."),
        line(3, "Gout", "Gout: a disease of the joints."),
    )
    marfan = (
        line(1, "Marfan syndrome", "Marfan syndrome has the feature Thoracic lordosis (16 of 21 patients)."),
        line(2, "Marfan syndrome", "Marfan syndrome has the feature Deeply set eye (25 of 63 patients)."),
    )

    def quoted(question: str, lines: tuple[SentencedPassage, ...] = drugs) -> list[str]:
        value = ReadSourcesInput(question=question, task="free", passages=lines)
        return [claim.sentences[0] for claim in read_sources.keyless(value).claims]

    assert quoted("Does aspirin interact with warfarin?") == ["P1.S1"]
    assert quoted("What is aspirin?") == ["P1.S1", "P2.S1"]
    assert quoted("Does insulin cause asthma?") == []
    assert quoted("What eye problems does Marfan syndrome cause?", marfan) == ["P2.S1"]
    assert quoted("What are the symptoms of Marfan syndrome?", marfan) == ["P1.S1", "P2.S1"]


def test_a_kind_that_has_nothing_on_the_subject_is_not_quoted() -> None:
    passages = (
        sentenced("P1", "Marfan syndrome causes eye problems such as dislocation of the lens.", kind="book"),
        sentenced("P2", "Shingles that starts on the face can cause eye problems.", kind="guideline"),
        sentenced("P3", "The eyes of people with Marfan syndrome may be short-sighted, an eye problem.", kind="wiki"),
    )
    value = ReadSourcesInput(question="Which eye problems does Marfan syndrome cause?", task="free", passages=passages)
    quoted = {claim.sentences[0] for claim in read_sources.keyless(value).claims}
    assert quoted == {"P1.S1", "P3.S1"}


def test_a_typed_plan_as_models_write_it() -> None:
    written = {
        "plan": [
            {"source": "book", "queries": ["a", {"text": "b " * 300, "term": None}]},
            {"source": "graph", "queries": {"term": "stroke", "text": None}},
            {"source": "research", "queries": None},
            {"source": "pubmed", "queries": [{"text": "c"}] * 40},
        ]
    }
    read = typed(PlanSourcesOutput.model_validate(written), SOURCES, 3)
    assert {name: len(queries) for name, queries in read.plan.queries.items()} == {"book": 2, "graph": 1}
    assert len(read.plan.queries["book"][1].text) <= 200
    assert read.counts == {"unknown source": 12}


WHOLE_QUESTION = "Does metformin lower mortality in heart failure?"
RATED = ASKED.sources[:2]


@each_row(
    ("text", "score"),
    [
        ("<score>4</score>", 4),
        ("<SCORE>\n5\n</SCORE>", 5),
        ("<suggestion>Ask of 3 books.</suggestion>\n<score>2</score>", 2),
        ("<score>4", 4),
        ("<score>4/5</score>", 4),
        ("<score>1 + 1 + 0 + 1 = 3</score>", 3),
        ("<score>3.5</score>", 3),
        ("I first said <score>2</score> but now <score>3</score>", 3),
        ("Good documents. Score: 4", 4),
        ("**Score:** 0", 0),
        ("The score is 3/5.", 3),
        ("3", 3),
        ("<score>7</score>", None),
        ("<score>5.5</score>", None),
        ("<score>8/10</score>", None),
        ("<score>good</score>", None),
        ("<score></score>", None),
        ("The 3 documents about 2 drugs do not answer it at all.", None),
        ("", None),
    ],
)
def test_a_score_is_read_as_it_was_meant(text: str, score: int | None) -> None:
    assert read_score(text) == score


@settings(max_examples=40)
@given(st.text(max_size=200))
def test_any_text_has_a_score_from_0_to_5_or_none(text: str) -> None:
    assert read_score(text) in (None, 0, 1, 2, 3, 4, 5)
    assert len(read_suggestion(text).split()) <= SUGGESTION_WORDS


def test_a_reply_in_the_tags_of_the_paper_is_a_rating() -> None:
    said = "<suggestion>Ask the books about the mechanism.</suggestion>\n<score>3</score>"
    expected = RatePlanOutput(score=3, suggestion="Ask the books about the mechanism.")
    assert RatePlanOutput.model_validate(said) == expected
    assert RatePlanOutput.model_validate({"suggestion": said}) == expected
    assert RatePlanOutput.model_validate({"suggestion": said, "score": "Score: 3"}) == expected
    assert RatePlanOutput.model_validate({"score": 3}).suggestion == ""
    assert len(RatePlanOutput(score=1, suggestion="more " * 300).suggestion.split()) == SUGGESTION_WORDS


@each_row(
    "reply",
    [{}, {"suggestion": "Fine."}, {"score": "high"}, {"score": 6}, {"score": True}, {"score": None}, "Fine.", 3],
)
def test_no_score_is_refused_and_never_0(reply: object) -> None:
    with pytest.raises(ValidationError):
        RatePlanOutput.model_validate(reply)


def rated(*retrieved: Retrieved) -> RatePlanOutput:
    value = RatePlanInput(question=WHOLE_QUESTION, sources=RATED, retrieved=retrieved)
    return keyless(rate_plan, value)


def test_without_a_model_the_question_s_words_are_counted_and_the_rating_says_so() -> None:
    whole = "In heart failure, metformin lowered mortality."
    full = rated(Retrieved(source="research", query="metformin", passages=(whole,)))
    part = rated(Retrieved(source="research", query="metformin", passages=("Metformin is a drug.",)))
    none = rated(Retrieved(source="research", query="metformin", state="empty"))
    assert (full.score, none.score) == (5, 0)
    assert 0 < part.score < 5
    assert all("word count" in rating.suggestion for rating in (full, part, none))
    assert "mortality" in part.suggestion
    assert "book" in part.suggestion
    assert "Nothing found in research" in none.suggestion
    failed = rated(Retrieved(source="book", query="q", state="failed"))
    assert "Nothing found in book" not in failed.suggestion
    together, scattered = (
        rated(Retrieved(source="book", query="q", passages=passages))
        for passages in ((whole,), ("Metformin.", "Mortality.", "Heart.", "Failure of a valve."))
    )
    assert together.score > scattered.score
