"""What changed since a question was asked before, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rows import each_row

from medground.answering.changes import changes
from medground.values.answer import Answer, SnapshotReference
from medground.values.decision import YesNoDecision
from medground.values.document import Document
from medground.wording.changes import AskedAgain, again_as_text

PAPER = Document(id="PMID:1", title="A trial.", text="0123456789Aspirin may prevent stroke.")


def said(before: Answer, now: Answer, *documents: Document, **more: Any) -> str:
    found = changes(before, now, {document.id: document for document in documents}, **more)
    printed = again_as_text(AskedAgain(before=before, answer=now, changes=found))
    return " ".join(printed[printed.index("Since 2026-01-01") :].split())


def test_nothing_changed(make_answer: Callable[..., Answer]) -> None:
    printed = said(make_answer(), make_answer())
    assert "The decision is the same: Not judged. Quotes: 2 the same." in printed
    empty = make_answer(evidence=(), statements=(), rationale="")
    assert "Neither answer quotes anything." in said(empty, empty)


def test_decision_settings_program_and_corpora(make_answer: Callable[..., Answer]) -> None:
    before = make_answer(snapshots=(SnapshotReference(name="papers", hash="a" * 64),))
    now = make_answer(
        decision=YesNoDecision(status="decided", value="yes", basis="model"),
        snapshots=(SnapshotReference(name="other", hash="b" * 64),),
        settings_hash="f" * 16,
        made_by="medground 9",
    )
    printed = said(before, now)
    assert "The decision differs: Not judged then, Yes now." in printed
    assert "Corpus papers: searched then only." in printed
    assert "Corpus other: searched now only." in printed
    assert "The settings differ" in printed
    assert "Answered by an earlier version then, and by medground 9 now." in printed


@each_row(
    ("paper", "reached", "why"),
    [
        (PAPER, True, "still has it, but other quotes were chosen"),
        (PAPER.model_copy(update={"text": "Nothing."}), True, "no longer has this sentence"),
        (PAPER.model_copy(update={"retraction": "retracted"}), True, "has been retracted"),
        (None, True, "no longer in what was searched"),
        (None, False, "because a source failed"),
    ],
)
def test_why_a_quote_is_gone(
    make_answer: Callable[..., Answer], paper: Document | None, reached: bool, why: str
) -> None:
    now = make_answer(evidence=(), statements=(), rationale="")
    printed = said(make_answer(), now, *([paper] if paper else []), reached=reached)
    assert "Quotes: 2 gone." in printed
    (first, _) = printed.split("Gone: ")[1:]
    assert first.startswith("“Aspirin may prevent stroke.” A trial (PMID:1): its document")
    assert why in first


@each_row(
    ("mark", "words"),
    [("notice", "is now marked as a retraction notice"), ("concern", "has an expression of concern since")],
)
def test_a_document_that_was_marked(make_answer: Callable[..., Answer], mark: Any, words: str) -> None:
    now = PAPER.model_copy(update={"retraction": mark})
    assert f"A trial (PMID:1) {words}." in said(make_answer(), make_answer(), now)
