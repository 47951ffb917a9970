"""PubMed Reasoner and its baselines: each step of the paper in its place, keyless and with a scripted model."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medground.answer import Answer
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers.base import Input
from medground.document import Document
from medground.operators.keyless.searching import mentions
from medground.operators.reading import Extracted, ExtractOutput, ScreenOutput, SufficientOutput
from medground.operators.searching import (
    CritiqueOutput,
    MeshTermsOutput,
    ProposedTerm,
    QueryOutput,
    SelectTermsOutput,
    TermVerdict,
)
from medground.operators.summarising import Observation, SummariseOutput
from medground.operators.verifying import EntailOutput
from medground.operators.writing import WriteOutput, WrittenSentence
from medground.plan.mesh import PubMedQuery
from medground.plan.relax import MOST_COUNTED, MOST_PARTS, as_pubmed, missing_concepts, relaxed, with_concepts
from medground.pubmed.mesh import vocabulary
from medground.pubmed.translate import parse
from medground.question import Question
from medground.rank.design import design_level
from medground.recipes.base import open_recipe
from medground.recipes.pubmed_reasoner import PUBMED_REASONER
from medground.recipes.registry import recipe_names
from medground.run import Run
from medground.sources.corpus import CorpusSource

MakeRun = Callable[..., Run]
QUESTION = "Does aspirin prevent myocardial infarction in adults with hypertension?"
PAPERS = [
    Document(
        id=f"PMID:{number}",
        title=f"Aspirin and {outcome}",
        text=f"We studied aspirin and {outcome} in hypertension. {result} Town {number * 91} took part.",
        year=2000 + number,
        publication_types=types,
        retraction="retracted" if number == 9 else "none",
    )
    for number, (outcome, result, types) in enumerate(
        [
            ("myocardial infarction", "Myocardial infarction fell significantly with aspirin.", ("Case Reports",)),
            ("stroke", "Stroke did not change in this cohort.", ()),
            (
                "myocardial infarction",
                "Aspirin lowered myocardial infarction by a fifth.",
                ("Randomized Controlled Trial",),
            ),
            ("gout", "Gout attacks became more frequent.", ()),
            ("asthma", "Asthma worsened in some children.", ()),
            ("migraine", "Migraine was less frequent.", ()),
            ("headache", "Headache went away within hours.", ()),
            ("fever", "Fever fell.", ()),
            ("myocardial infarction", "Myocardial infarction vanished altogether with aspirin.", ()),
        ],
        start=1,
    )
]
CRITIC = ["coverage", "alignment", "redundancy", "update_terms", "refine_query"]
READING = ["screen", "extract", "sufficient", "summarise", "respond", "entail"]
BY_MODEL = ["mesh_terms", "select_terms", "draft_query", *CRITIC, *READING]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Library:
    library = Library(tmp_path_factory.mktemp("home"))
    build(library, "heart", [Input("papers", "test", "1", lambda skip: iter(PAPERS[skip:]))])
    return library


def answered(recipe: str, make_run: MakeRun, corpus: Library, text: str = QUESTION, **more: Any) -> tuple[Answer, Run]:
    with corpus.open("heart") as snapshot:
        options = {"recipe.name": recipe, **more.pop("options", {})}
        opened = open_recipe(recipe)
        run = make_run(text, [CorpusSource(snapshot)], options=options, recipe=opened, **more)
        return asyncio.run(opened.run(run.question, run)), run


def verdicts(value: Any, **said: bool) -> CritiqueOutput:
    return CritiqueOutput(
        verdicts=tuple(TermVerdict(heading=t.heading, verdict=said.get("verdict", True)) for t in value.terms)
    )


def replies(**changes: Any) -> dict[str, Any]:
    return {
        "mesh_terms": MeshTermsOutput(
            terms=(ProposedTerm(heading="Aspirin"), ProposedTerm(heading="Myocardial Infarction"))
        ),
        "select_terms": SelectTermsOutput(selected=("Aspirin", "Myocardial Infarction")),
        "draft_query": QueryOutput(query="```aspirin[tiab] AND (myocardial infarction[tiab]```"),
        "coverage": verdicts,
        "alignment": verdicts,
        "redundancy": lambda value: verdicts(value, verdict=False),
        "update_terms": MeshTermsOutput(terms=(ProposedTerm(heading="Aspirin"),)),
        "refine_query": QueryOutput(query="aspirin[tiab] AND infarction[tiab]"),
        "screen": lambda value: ScreenOutput(relevant=tuple(p.id for p in value.passages)),
        "extract": lambda value: ExtractOutput(
            sentences=tuple(
                Extracted(sentence=s.id, stance="supports")
                for p in value.passages
                for s in p.sentences
                if "nfarction" in s.text and "studied" not in s.text
            )
        ),
        "sufficient": SufficientOutput(sufficient=True),
        "summarise": lambda value: SummariseOutput(
            observations=tuple(Observation(text=e.quote, evidence=(e.id,)) for e in value.evidence)
        ),
        "respond": lambda value: WriteOutput(
            sentences=(WrittenSentence(text="Aspirin lowered infarction.", evidence=value.summary[0].evidence),),
            answer=("yes",),
        ),
        "entail": lambda value: EntailOutput(relation="entails", best=value.evidence[0].id),
    } | changes


def test_keyless_finds_reads_and_cites_with_pmids(make_run: MakeRun, corpus: Library) -> None:
    answer, run = answered("pubmed-reasoner", make_run, corpus)
    assert {"PMID:1", "PMID:3"} <= {e.document_id for e in answer.evidence}
    assert "[PMID: 3]" in answer.rationale
    assert answer.searches[0].query.startswith('("')
    assert answer.usage.model_calls == 0
    assert {"mesh_terms", "select_terms", "draft_query", "coverage", "alignment", "redundancy"} <= set(run.answered_by)


def test_the_model_is_asked_for_every_step_of_the_paper(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(replies())
    answer, _ = answered("pubmed-reasoner", make_run, corpus, model=model, by_model=BY_MODEL)
    asked = Counter(name for name, _ in model.seen)
    assert set(asked) == set(BY_MODEL)
    assert asked["coverage"] == asked["alignment"] == asked["redundancy"]
    assert answer.decision.shown() == "yes"
    order = [name for name, _ in model.seen]
    assert order[:3] == ["mesh_terms", "select_terms", "draft_query"]
    assert order.index("update_terms") > order.index("redundancy")
    assert order[-2:] == ["respond", "entail"]


def test_the_critic_sees_titles_and_abstracts_and_the_history(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(replies())
    answered("pubmed-reasoner", make_run, corpus, model=model, by_model=BY_MODEL)
    critique = next(value for name, value in model.seen if name == "coverage")
    assert critique.signals[0].abstract.startswith("We studied aspirin")
    refine = next(value for name, value in model.seen if name == "refine_query")
    assert "infarction" in refine.history[0].query
    assert refine.history[0].found > 0


def test_the_loop_ends_when_quality_stops_growing_or_after_t_rounds(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    flat = scripted_model(replies())
    answered("pubmed-reasoner", make_run, corpus, model=flat, by_model=BY_MODEL)
    assert Counter(n for n, _ in flat.seen)["refine_query"] == 1
    growing = iter(range(100))
    share = scripted_model(
        replies(
            coverage=lambda value: verdicts(value, verdict=next(growing) > 0),
            refine_query=lambda value: QueryOutput(query=f"aspirin[tiab] AND NOT town{len(value.history)}[tiab]"),
        )
    )
    answered("pubmed-reasoner", make_run, corpus, model=share, by_model=BY_MODEL, options={"recipe.rounds": 2})
    assert Counter(n for n, _ in share.seen)["refine_query"] == 2


def test_stronger_designs_come_first_and_can_be_switched_off(make_run: MakeRun, corpus: Library) -> None:
    from medground.write.summary import by_article

    _, run = answered("pubmed-reasoner", make_run, corpus)
    evidence = [e for e in run.ledger.evidence if e.document_id in ("PMID:1", "PMID:3")]
    assert by_article(evidence, run, designs=True)[0].document_id == "PMID:3"
    assert design_level(("Randomized Controlled Trial",)) < design_level(()) < design_level(("Case Reports",))
    assert design_level(("Meta-Analysis", "Review")) == 0


def test_retracted_papers_are_listed_but_not_read(make_run: MakeRun, corpus: Library) -> None:
    answer, _ = answered("pubmed-reasoner", make_run, corpus)
    assert "PMID:9" not in {e.document_id for e in answer.evidence}
    assert "PMID:9" in {d.id for d in answer.documents}
    ablated, _ = answered("pubmed-reasoner", make_run, corpus, options={"pubmed_reasoner.retractions": False})
    withdrawn = {e.id for e in ablated.evidence if e.document_id == "PMID:9"}
    for statement in ablated.statements:
        if set(statement.evidence) <= withdrawn:
            assert statement.verdict.label == "not found"


def test_date_limits_reach_every_search(make_run: MakeRun, corpus: Library) -> None:
    from medground.query import Filters

    with corpus.open("heart") as snapshot:
        run = make_run(QUESTION, [CorpusSource(snapshot)], recipe=PUBMED_REASONER)
        run.question = Question.ask(QUESTION, filters=Filters(year_from=2003, year_to=2004))
        answer = asyncio.run(PUBMED_REASONER.run(run.question, run))
    assert {d.year for d in answer.documents} <= {2003, 2004}
    assert answer.evidence
    assert all(search.query.endswith("AND 2003:2004[Date - Publication]") for search in answer.searches)


def test_a_query_that_finds_too_little_is_widened_to_just_enough() -> None:
    finds = {frozenset("abc"): 0, frozenset("ab"): 2, frozenset("ac"): 1, frozenset("bc"): 8}
    asked: list[frozenset[str]] = []

    async def count(query: PubMedQuery) -> int:
        words = frozenset(part.value for part in getattr(query.tree, "parts", [query.tree]))
        asked.append(words)
        return finds.get(words, 40)

    start = PubMedQuery("", parse("a[tiab] AND b[tiab] AND c[tiab]"))
    assert asyncio.run(relaxed(start, count, 5)).tree == parse("b[tiab] AND c[tiab]")
    assert asyncio.run(relaxed(start, count, 9)).tree in [parse(f"{word}[tiab]") for word in "bc"]
    assert asked[0] == frozenset("abc")


def test_a_last_heading_that_finds_nothing_moves_up_the_tree() -> None:
    marfan = vocabulary().heading("Marfan Syndrome")
    parent = vocabulary().parents(marfan)[0].name

    async def count(query: PubMedQuery) -> int:
        return 7 if parent.casefold() in query.text.casefold() else 0

    risen = asyncio.run(relaxed(PubMedQuery("", parse('"Marfan Syndrome"[mesh]')), count, 5))
    assert risen.tree == parse(f'"{parent}"[mesh]')


@pytest.mark.parametrize(
    "limits", ['"Humans"[mesh]', "2010:2020[dp]", "english[la]", "review[pt]", "hasabstract", "NOT gout[tiab]"]
)
def test_a_widened_query_still_names_its_subject(limits: str) -> None:
    """Humans or a range of years alone would find enough, but nothing about the subject."""
    marfan = vocabulary().heading("Marfan Syndrome")
    parent = vocabulary().parents(marfan)[0].name.casefold()

    async def count(query: PubMedQuery) -> int:
        text = query.text.casefold()
        return 1 if "marfan" in text else 6 if parent in text else 100

    query = parse(f'"Marfan Syndrome"[mesh] {"" if limits.startswith("NOT") else "AND "}{limits}')
    left = asyncio.run(relaxed(as_pubmed(query), count, 5))
    assert left.tree == parse(f'"{parent}"[mesh]')


PARTS = ('"Marfan Syndrome"[mesh]', '"Humans"[mesh]', "asthma[tiab]", '(gout[tiab] OR "Gout"[mesh])', "2010:2020[dp]")


@given(parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=7), counts=st.lists(st.integers(0, 9), min_size=1))
def test_widening_ends_with_a_valid_query_whatever_is_found(parts: list[str], counts: list[int]) -> None:
    answers = itertools.cycle(counts)

    async def count(query: PubMedQuery) -> int:
        return next(answers)

    left = asyncio.run(relaxed(as_pubmed(parse(" AND ".join(parts))), count, 5))
    assert parse(left.text) == left.tree


def test_of_many_parts_those_that_name_a_subject_are_kept() -> None:
    poor = " AND ".join(f'"{name}"[mesh]' for name in ("Humans", "Female", "Male", "Aged", "Middle Aged"))

    async def count(query: PubMedQuery) -> int:
        return 0 if query.text.count("AND") > 1 else 3 if "asthma" in query.text and "gout" in query.text else 50

    left = asyncio.run(relaxed(as_pubmed(parse(f"{poor} AND asthma[tiab] AND gout[tiab]")), count, 3))
    assert left.tree == parse("asthma[tiab] AND gout[tiab]")


def test_a_concept_that_the_query_names_in_words_is_not_missing() -> None:
    question = Question.ask(QUESTION)
    query = PubMedQuery("", parse('aspirin[tiab] AND ("heart attack"[tiab] OR "stroke"[tiab])'))
    assert missing_concepts(question, query) == ["Hypertension"]
    excluded = PubMedQuery("", parse("aspirin[tiab] NOT hypertension[tiab]"))
    assert "Hypertension" in missing_concepts(question, excluded)


@pytest.mark.parametrize("written", ["???", "all[sb]", "AND OR"])
def test_a_query_without_terms_does_not_search_everything(
    written: str, make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(replies(draft_query=QueryOutput(query=written), refine_query=QueryOutput(query=written)))
    off = {"pubmed_reasoner.concepts": False}
    answer, _ = answered("pubmed-reasoner", make_run, corpus, model=model, by_model=BY_MODEL, options=off)
    assert answer.searches
    assert not [search for search in answer.searches if search.query == "all[Filter]"]
    assert "infarction" in answer.searches[0].query


def test_without_proposed_terms_the_critic_is_not_asked(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    model = scripted_model(replies(mesh_terms=MeshTermsOutput(terms=()), update_terms=MeshTermsOutput(terms=())))
    answer, _ = answered("pubmed-reasoner", make_run, corpus, model=model, by_model=BY_MODEL)
    assert not {"select_terms", "coverage", "alignment", "redundancy"} & {name for name, _ in model.seen}
    assert answer.evidence


def test_the_token_limit_ends_the_reading_but_not_the_answer(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    def reads(tokens: int | None) -> tuple[Answer, int]:
        model = scripted_model(replies(sufficient=SufficientOutput(sufficient=False)))
        options = {"recipe.batch": 1, "pubmed_reasoner.tokens": tokens}
        answer, _ = answered("pubmed-reasoner", make_run, corpus, model=model, by_model=BY_MODEL, options=options)
        return answer, Counter(name for name, _ in model.seen)["extract"]

    whole, batches = reads(None)
    short, first = reads(1)
    assert (first, batches > 1) == (1, True)
    assert short.decision.shown() == whole.decision.shown() == "yes"
    assert any("reading stopped after 1 batches" in warning for warning in short.warnings)


def test_a_missing_concept_is_added_to_the_query() -> None:
    question = Question.ask(QUESTION)
    assert [m.heading.name for m in mentions(QUESTION)] == ["Aspirin", "Myocardial Infarction", "Hypertension"]
    query = PubMedQuery("", parse('"Aspirin"[mesh]'))
    assert missing_concepts(question, query) == ["Myocardial Infarction", "Hypertension"]
    assert missing_concepts(question, with_concepts(question, query)) == []
    whole = with_concepts(question, query)
    assert with_concepts(question, whole) == whole


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_answers_keyless_and_says_when_it_cannot(name: str, make_run: MakeRun, corpus: Library) -> None:
    answer, _ = answered(name, make_run, corpus)
    assert answer.recipe == name
    assert answer.decision.status in ("lean", "not judged", "unanswerable")
    nothing, _ = answered(name, make_run, corpus, text="Who painted the ceiling of the chapel?")
    assert nothing.decision.status in ("unanswerable", "not judged")


def test_model_only_is_decided_without_evidence_and_says_so(
    make_run: MakeRun, corpus: Library, scripted_model: Any
) -> None:
    said = WriteOutput(sentences=(WrittenSentence(text="It does.", evidence=()),), answer=("yes",))
    model = scripted_model({"recall": said})
    answer, _ = answered("model-only", make_run, corpus, model=model, by_model=["recall"])
    assert (answer.decision.status, answer.decision.shown()) == ("decided", "yes")
    assert [s.verdict.label for s in answer.statements] == ["not found"]
    assert answer.searches == ()
    assert any("is not validated here" in w for w in answer.warnings)


def test_self_reflection_asks_again_for_its_gaps(make_run: MakeRun, corpus: Library, scripted_model: Any) -> None:
    from medground.operators.answering import ReflectOutput

    queries = iter(["gout[tiab]", "gout[tiab]"])
    model = scripted_model(replies(reflect=lambda value: ReflectOutput(gaps=("gout",), query=next(queries))))
    names = [*BY_MODEL, "reflect"]
    answer, run = answered("self-reflection", make_run, corpus, model=model, by_model=names)
    assert Counter(n for n, _ in model.seen)["reflect"] == 2
    assert len(answer.searches) == 2
    assert "PMID:4" in run.ledger.documents
    assert Path(run.trace.path or "").is_file()


def test_a_query_with_a_hundred_parts_costs_few_searches() -> None:
    """Weak models repeat parts, and each part that is counted is a search."""
    searched: list[str] = []

    async def count(query: PubMedQuery) -> int:
        searched.append(query.text)
        return 9 if query.tree == parse("b[tiab]") else 0

    text = " AND ".join(f"w{n}[tiab] AND b[tiab]" for n in range(50))
    wider = asyncio.run(relaxed(PubMedQuery(text, parse(text)), count, 5))
    assert wider.tree == parse("b[tiab]")
    assert len(searched) <= 1 + MOST_COUNTED + MOST_PARTS * (MOST_PARTS + 1)
