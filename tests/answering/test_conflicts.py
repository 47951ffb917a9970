"""Sources that disagree: by a model's stances or by words alone, and documents that never take a side."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from rows import each_row

from medground.answering.run import Run
from medground.answering.verify.rationale import find_conflicts
from medground.values.document import Document
from medground.values.evidence import Stance
from medground.values.question import Question
from medground.values.statement import Conflict

MakeRun = Callable[..., Run]
QUESTION = "Does aspirin reduce the risk of stroke?"


def found(
    run: Run, quotes: Sequence[tuple[str, str, Stance]], reader: str | None = None, **document: Any
) -> list[Conflict]:
    """The conflicts among quotes given as (document id, text, stance); `document` changes the last document."""
    texts: dict[str, list[tuple[str, Stance]]] = {}
    for name, text, stance in quotes:
        texts.setdefault(name, []).append((text, stance))
    for name, said in texts.items():
        more = document if name == quotes[-1][0] else {}
        run.ledger.admit([Document(id=name, text=" ".join(t for t, _ in said), **more)])
        at = 0
        for text, stance in said:
            run.ledger.quote(name, at, at + len(text), stance=stance)
            at += len(text) + 1
    if reader:
        run.answered_by["extract"] = reader
    return asyncio.run(find_conflicts(Question.ask(QUESTION), run.ledger.evidence, run))


def test_papers_with_opposite_stances_are_both_sides(make_run: MakeRun) -> None:
    quotes: list[tuple[str, str, Stance]] = [
        ("PMID:1", "Aspirin helped.", "supports"),
        ("PMID:2", "It did nothing.", "contradicts"),
        ("PMID:3", "It helped some.", "supports"),
        ("PMID:4", "It helped men.", "supports"),
        ("PMID:4", "Women had strokes.", "contradicts"),
        ("PMID:5", "Stroke is common.", "unknown"),
    ]
    (conflict,) = found(make_run("q?"), quotes, "openai:gpt-5")
    assert conflict.found_by == "openai:gpt-5"
    assert conflict.about == QUESTION
    assert [(side.stance, side.evidence) for side in conflict.sides] == [
        ("supports", ("E1", "E3")),
        ("contradicts", ("E2",)),
        ("mixed", ("E4", "E5")),
    ]


@each_row(
    "quotes",
    [
        [("PMID:1", "Aspirin helped.", "supports"), ("PMID:1", "It did nothing.", "contradicts")],
        [("PMID:1", "Aspirin helped.", "supports"), ("PMID:2", "It helped more.", "supports")],
        [("PMID:1", "Aspirin reduced stroke risk.", "unknown"), ("PMID:2", "Aspirin raised stroke risk.", "unknown")],
        [("PMID:1", "Aspirin helped.", "supports"), ("PMID:2", "We asked whether aspirin helps.", "contradicts")],
        [],
    ],
)
def test_one_paper_or_one_side_is_not_a_conflict(make_run: MakeRun, quotes: Any) -> None:
    assert found(make_run("q?"), quotes, "openai:gpt-5") == []


AGAINST: tuple[str, str, Stance] = ("PMID:2", "Aspirin did not reduce the risk of stroke in women.", "contradicts")
FOR: tuple[str, str, Stance] = ("PMID:1", "Aspirin significantly reduced the risk of stroke.", "supports")


@each_row("retraction", ["retracted", "notice", "concern"])
def test_retracted_papers_take_no_side(make_run: MakeRun, retraction: str) -> None:
    expected = 0 if retraction != "concern" else 1
    assert len(found(make_run("q?"), [FOR, AGAINST], "openai:gpt-5", retraction=retraction)) == expected


def test_stored_relations_take_no_side(make_run: MakeRun) -> None:
    run = make_run("q?")
    run.ledger.admit([Document(id="PMID:1", text=FOR[1]), Document(id="HP:1", text=AGAINST[1])])
    run.ledger.quote("PMID:1", 0, len(FOR[1]), stance="supports")
    run.ledger.quote("HP:1", 0, len(AGAINST[1]), stance="contradicts", origin="graph")
    assert asyncio.run(find_conflicts(Question.ask(QUESTION), run.ledger.evidence, run)) == []
