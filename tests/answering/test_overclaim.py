"""Statements must not claim more than their source: certainty, cause, population."""

from __future__ import annotations

from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.answering.verify.overclaim import Overclaim, downgraded, overclaims
from medground.values.document import Document
from medground.values.statement import Label, Verdict


def kinds(statement: str, quote: str, title: str = "", sentence: str = "") -> list[tuple[str, str]]:
    document = Document(id="PMID:1", title=title, text=quote or "-")
    return [(o.kind, o.word) for o in overclaims(statement, quote, document, sentence=sentence)]


@each_row(
    ("statement", "quote", "title", "expected"),
    [
        ("Aspirin prevents stroke.", "Aspirin may prevent stroke.", "", [("certainty", "may")]),
        ("Statins help.", "These data suggest that statins help.", "", [("certainty", "suggest that")]),
        ("Aspirin prevents stroke in possible flutter.", "Aspirin may prevent stroke.", "", [("certainty", "may")]),
        ("Coffee causes cancer.", "Coffee was associated with cancer.", "", [("cause", "associated")]),
        ("Zinc cures colds in patients.", "Zinc cured colds in mice.", "", [("population", "mice")]),
        ("The drug helps patients.", "The drug was of help.", "A trial in rats", [("population", "rats")]),
        ("It kills tumours in children.", "It killed tumours in vitro.", "", [("population", "in vitro")]),
    ],
)
def test_overclaims_are_detected(statement: str, quote: str, title: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(statement, quote, title) == expected


@each_row(
    ("statement", "quote", "title", "sentence"),
    [
        ("Aspirin may prevent stroke.", "Aspirin may prevent stroke.", "", ""),
        ("Aspirin prevents stroke.", "Aspirin prevents stroke.", "", ""),
        ("It is possible that aspirin prevents stroke.", "Aspirin may prevent stroke.", "", ""),
        ("Aspirin prevents stroke, the trial suggests.", "Aspirin may prevent stroke.", "", ""),
        ("aspirin prevents stroke.", "Aspirin may prevent stroke.", "", "It suggests that aspirin prevents stroke."),
        ("Coffee is linked to cancer.", "Coffee was associated with cancer.", "", ""),
        ("Zinc cured colds in mice.", "Zinc cured colds in mice.", "", ""),
        ("Zinc cured colds in patients.", "Zinc cured colds in patients and mice.", "", ""),
        ("Zinc cured colds in patients.", "Zinc cured colds.", "Zinc in adults: from rats to clinics", ""),
    ],
)
def test_faithful_statements_are_not_overclaims(statement: str, quote: str, title: str, sentence: str) -> None:
    assert kinds(statement, quote, title, sentence) == []


@each_row("before", get_args(Label))
def test_an_overclaim_is_partly_supported_at_most(before: Label) -> None:
    verdict = downgraded(Verdict(label=before, critic="c", flags=("number",)), (Overclaim("certainty", "may"),))
    assert verdict.label == ("partly" if before == "supported" else before)
    flagged = before in ("supported", "partly", "related", "not judged", "given")
    assert verdict.flags == (("number", "certainty") if flagged else ("number",))
    assert verdict.note == ("is more certain than its source, which says `may`" if flagged else "")


@settings(max_examples=10)
@given(st.text(max_size=60))
def test_no_text_overclaims_itself(text: str) -> None:
    assert kinds(text, text) == []
