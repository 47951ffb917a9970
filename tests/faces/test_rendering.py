"""What a reader sees of a checked answer: plain words, labels and whose they are, quotes, disagreement, scores."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from medground.answer import (
    Answer,
    Conflict,
    Label,
    Side,
    SourceDocument,
    Statement,
    Verdict,
    YesNoDecision,
)
from medground.evidence import Evidence
from medground.faces.cli.render import render
from medground.question import Question
from medground.wording import phrases as wording
from medground.wording.markdown import as_markdown

TEXT = "Aspirin prevents stroke."
QUOTES = [
    Evidence(id="E1", document_id="PMID:1", start=10, end=37, quote="Aspirin may prevent stroke."),
    Evidence(id="E2", document_id="PMID:2", start=0, end=31, quote="Aspirin did not [prevent] <it>."),
]
TRIAL = SourceDocument(
    id="PMID:1",
    title="A trial",
    kind="research",
    year=2001,
    publication_types=("Journal Article", "Randomized Controlled Trial"),
)
COHORT = SourceDocument(id="PMID:2", title="A [cohort](x)", kind="research")


def answer(verdict: Verdict | None = None, **more: Any) -> Answer:
    said = verdict or Verdict(
        label="partly",
        critic="nli:small",
        probability=0.87,
        best="E1",
        flags=("certainty",),
        note="says more than its source: the source says `may`",
        category="INCORRECT-ILLOGICAL",
        labelled_by="nli:small",
        error_source="generation",
    )
    content: dict[str, Any] = {
        "id": "a1",
        "question": Question.ask("Does aspirin prevent stroke?", task="yes-no"),
        "decision": YesNoDecision(status="not judged"),
        "rationale": f"{TEXT} [E1]",
        "statements": (Statement(text=TEXT, start=0, end=len(TEXT), evidence=("E1",), verdict=said),),
        "evidence": tuple(QUOTES),
        "documents": (TRIAL, COHORT),
        "recipe": "ground",
        "settings_hash": "0" * 16,
        "trace_id": "t1",
        "created": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return Answer(**(content | more))


def terminal(shown: Answer) -> str:
    out = io.StringIO()
    render(shown, Console(file=out, width=300))
    return out.getvalue()


def conflict(found_by: str, *stances: Any) -> Conflict:
    sides = tuple(Side(stance=s, evidence=(q.id,)) for s, q in zip(stances, QUOTES, strict=True))
    return Conflict(about="aspirin, stroke", sides=sides, found_by=found_by)


def test_a_sentence_shows_verdict_label_probability_and_quote_with_offsets() -> None:
    for shown in (terminal(answer()), as_markdown(answer()).replace("\\", "")):
        assert "partly supported by its evidence (87%); look at: certainty; says more than its source" in shown
        assert "by nli:small" in shown
        assert "INCORRECT-ILLOGICAL, says nli:small; generation error: the writing departs from its context" in shown
        assert "E1, PMID:1, characters 10-37: “Aspirin may prevent stroke.”" in shown


@pytest.mark.parametrize("label", get_args(Label))
def test_every_verdict_has_a_plain_word(label: Label) -> None:
    shown = answer(Verdict(label=label, critic="someone"))
    assert label.split()[0] in terminal(shown).lower()
    assert "someone" in as_markdown(shown)


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (Verdict(label="related", critic="keyless"), ""),
        (
            Verdict(label="related", critic="keyless", category="INCORRECT-ILLOGICAL", labelled_by="keyless"),
            "INCORRECT-ILLOGICAL, by words alone",
        ),
        (Verdict(label="quoted", critic="verbatim", category="CORRECT-EXPLICIT", labelled_by="keyless"), ""),
        (
            Verdict(label="supported", critic="graph", category="CORRECT-EXPLICIT", labelled_by="keyless"),
            "CORRECT-EXPLICIT, by the stored relation",
        ),
        (
            Verdict(label="not judged", critic="m", category="CORRECT-IMPLICIT", labelled_by="openai:gpt-5"),
            "CORRECT-IMPLICIT, says openai:gpt-5",
        ),
        (
            Verdict(label="not found", critic="keyless", error_source="retrieval"),
            "retrieval error: nothing on the question was retrieved",
        ),
    ],
)
def test_whose_word_a_label_is(verdict: Verdict, expected: str) -> None:
    statement = Statement(text=TEXT, start=0, end=len(TEXT), evidence=("E1",), verdict=verdict)
    assert wording.category(statement) == expected


def test_a_conflict_shows_all_sides_with_design_and_year() -> None:
    shown = answer(conflicts=(conflict("openai:gpt-5", "supports", "contradicts"),))
    for text in (terminal(shown), as_markdown(shown).replace("\\", "")):
        assert "Sources disagree" in text
        assert "aspirin, stroke (as openai:gpt-5 reads them)" in text
        assert text.index("for") < text.index("PMID:1, randomized controlled trial, 2001, A trial")
        assert "PMID:2, design not named, year unknown, A [cohort](x)" in text


def test_a_difference_in_words_is_no_verdict() -> None:
    shown = terminal(answer(conflicts=(conflict("keyless", "unknown", "unknown"),)))
    assert "they differ in words, which nobody has judged: look at both" in shown
    assert "side 1" in shown
    assert "side 2" in shown


def test_scores_are_shown_where_somebody_could_give_them() -> None:
    assert wording.scores(answer()) == ""
    both = answer(support=0.5, faithfulness=0.75)
    assert wording.scores(both) == "support 50% of the statements, faithfulness 75%, in the word of nli:small"
    assert wording.scores(both) in terminal(both)
    assert wording.scores(both) in as_markdown(both).replace("\\", "")
    assert wording.scores(answer(faithfulness=1.0)).endswith(
        "in the word of nli:small alone; no proven judge has judged them all"
    )


def test_quotes_alone_do_not_look_proven() -> None:
    quote = Verdict(label="quoted", critic="verbatim", best="E1", category="CORRECT-EXPLICIT", labelled_by="keyless")
    shown = answer(quote, support=1.0, faithfulness=1.0)
    for text in (terminal(shown), as_markdown(shown).replace("\\", "")):
        assert "100%" not in text
        assert "CORRECT" not in text
        assert "by verbatim" not in text
        assert "every sentence is a quote; whether they answer the question, nobody has judged" in text
    decided = answer(quote, support=1.0, decision=YesNoDecision(status="decided", value="yes", basis="model"))
    assert wording.scores(decided) == ""


def test_labels_by_words_alone_make_no_faithfulness() -> None:
    words = Verdict(label="related", critic="keyless", category="INCORRECT-DEVIATING", labelled_by="keyless")
    assert wording.scores(answer(words, faithfulness=0.0)) == ""


def test_an_unproven_judge_shows_no_percentage() -> None:
    unproven = Verdict(label="not judged", critic="nli:new", probability=0.97, best="E1", note="it has no proof")
    assert "97" not in terminal(answer(unproven))


def test_text_of_documents_stays_text_in_markdown() -> None:
    shown = answer(conflicts=(conflict("keyless", "unknown", "unknown"),))
    page = MarkdownIt("gfm-like", {"html": True}).render(as_markdown(shown))
    assert "<it>" not in page
    assert 'href="x"' not in page


def test_a_long_quote_is_cut_where_it_is_shown_again() -> None:
    quote = Evidence(id="E1", document_id="PMID:1", start=0, end=1000, quote="a" * 1000)
    found = Verdict(label="related", critic="keyless", best="E1")
    statement = Statement(text=TEXT, start=0, end=len(TEXT), evidence=("E1",), verdict=found)
    assert wording.best_quote(statement, [quote]).endswith("aaa ...”")
    assert wording.best_quote(statement, []) == ""
