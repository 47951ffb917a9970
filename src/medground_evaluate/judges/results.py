"""Results of judgements, by models and people: win, tie and loss per axis, mean marks; the form that people fill in."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from medground.engine import Answers
from medground.errors import StorageFailed, UsageError
from medground.models import EvidenceView
from medground.values import Frozen, grouped
from medground_evaluate.compare import Result, items_of
from medground_evaluate.datasets.loader import checked, json_lines
from medground_evaluate.judges.judgements import LONG_AXES, PAIR_AXES, Judgement, each_once
from medground_evaluate.statistics import mean, wilson

OVERALL = "overall"
ORDERS = 2
"""How often a model sees two answers: once in each order. A person sees them once."""

Outcome = Literal["win", "tie", "loss"]
"""For the first-named answer of a comparison."""


class AxisResult(Frozen):
    """One axis of a comparison.

    Attributes:
        wins: questions that the first-named answer wins in every order shown.
        losses: questions that it loses in every order shown.
        ties: all other judged questions, including those where the orders disagree.
        flipped: ties in which the two orders prefer different answers, so that only the position decides.
        low: lower end of the 95 % Wilson interval of wins among all judged.
        mean: mean mark of the first-named answer over all orders, 1 to 5; None if marks are missing.
    """

    axis: str
    wins: int
    ties: int
    losses: int
    flipped: int
    low: float
    high: float
    mean: float | None
    other_mean: float | None


class Counted(Frozen):
    """What became of the questions that a judge was asked."""

    judge: str
    questions: int
    judged: int
    not_judged: int
    failed: int


class PairResult(Counted):
    """One judge on two runs. A question with an order that was not judged is not a win, tie or loss."""

    one: str
    other: str
    first_preferred: float | None
    """Share of the orders with a winner in which the answer shown first wins; far from 0.5 means position bias."""
    axes: tuple[AxisResult, ...]


class LongResult(Counted):
    """One judge on one run's long answers: mean marks by axis, None if no answer has one."""

    answer: str
    means: dict[str, float | None]


def pair_results(lines: Iterable[Judgement]) -> list[PairResult]:
    """A result for every judge and pair of answers, in order of appearance."""
    return [_pair_result(group) for group in _by_judge_and_answers(lines, ORDERS)]


def _by_judge_and_answers(lines: Iterable[Judgement], answers: int) -> Iterable[list[Judgement]]:
    return grouped(((line.judge, frozenset(line.shown)), line) for line in lines if len(line.shown) == answers).values()


def long_results(lines: Iterable[Judgement]) -> list[LongResult]:
    """A result for every judge and run of long answers, in order of appearance."""
    return [
        LongResult(
            judge=group[0].judge,
            answer=group[0].shown[0],
            questions=len(group),
            **_statuses(line.status for line in group),
            means={axis: _mean(group, group[0].shown[0], axis) for axis in LONG_AXES},
        )
        for group in _by_judge_and_answers(lines, 1)
    ]


def outcomes(lines: Iterable[Judgement], one: str, axis: str) -> dict[str, Outcome]:
    """Win, tie or loss of the answer called `one` on an axis, by item; items that were not fully judged are left out.

    The lines are of one judge about two answers; the axis `OVERALL` is about which answer was called better.
    """
    found: dict[str, Outcome] = {}
    for item, of_item in _fully_judged(lines).items():
        each = [outcome for line in of_item if (outcome := _outcome(line, one, axis))]
        if len(each) == len(of_item):
            found[item] = each[0] if len(set(each)) == 1 else "tie"
    return found


def _pair_result(lines: Sequence[Judgement]) -> PairResult:
    one, other = lines[0].shown
    worst: dict[str, str] = {}
    whole = _fully_judged(lines)
    for line in lines:
        status = "judged" if line.item in whole else "not judged"
        worst[line.item] = "failed" if "failed" in (line.status, worst.get(line.item)) else status
    preferred = Counter(line.better for line in lines)
    decided = preferred["first"] + preferred["second"]
    axes = [_axis_result(lines, whole, one, other, axis) for axis in (OVERALL, *PAIR_AXES)]
    return PairResult(
        judge=lines[0].judge,
        one=one,
        other=other,
        questions=len(worst),
        **_statuses(worst.values()),
        first_preferred=preferred["first"] / decided if decided else None,
        axes=tuple(axis for axis in axes if axis is not None),
    )


def _axis_result(
    lines: Sequence[Judgement], whole: Mapping[str, Sequence[Judgement]], one: str, other: str, axis: str
) -> AxisResult | None:
    found = outcomes(lines, one, axis)
    if not found:
        return None
    counts = Counter(found.values())
    low, high = wilson(counts["win"], len(found))
    judged = [line for item in found for line in whole[item]]
    return AxisResult(
        axis=axis,
        wins=counts["win"],
        ties=counts["tie"],
        losses=counts["loss"],
        flipped=sum({_outcome(line, one, axis) for line in whole[item]} == {"win", "loss"} for item in found),
        low=low,
        high=high,
        mean=_mean(judged, one, axis),
        other_mean=_mean(judged, other, axis),
    )


def _fully_judged(lines: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    """Lines by item, for items judged in every order: by a model in both, by a person in at least one."""
    return {
        item: of_item
        for item, of_item in grouped((line.item, line) for line in lines).items()
        if all(line.status == "judged" for line in of_item) and len(of_item) >= (ORDERS if of_item[0].pin else 1)
    }


def _outcome(line: Judgement, one: str, axis: str) -> Outcome | None:
    place = line.shown.index(one)
    if axis == OVERALL:
        difference = {"first": 1, "tie": 0, "second": -1}[line.better or "tie"] * (1 if place == 0 else -1)
    elif line.marks and all(axis in marks for marks in line.marks):
        difference = line.marks[place][axis].score - line.marks[1 - place][axis].score
    else:
        return None
    return "win" if difference > 0 else "loss" if difference < 0 else "tie"


def _mean(lines: Iterable[Judgement], answer: str, axis: str) -> float | None:
    marks = [line.marks[line.shown.index(answer)] for line in lines if line.marks]
    return mean(mark[axis].score for mark in marks if axis in mark).value


def _statuses(statuses: Iterable[str]) -> dict[str, int]:
    counts = Counter(statuses)
    return {"judged": counts["judged"], "not_judged": counts["not judged"], "failed": counts["failed"]}


# The form in which people mark long answers (Omni-RAG, E.12), and what judges see besides the answer.


def references_of(run: Result, data: Path) -> dict[str, str]:
    """Reference answers by item id, from the file that the run was made from."""
    return {item.id: item.reference for item in items_of(run, data) if item.reference}


def quotes_of(run: Result, home: Path) -> dict[str, tuple[EvidenceView, ...]]:
    """The quotes that each answer of a run cites, by item id, from the answers stored under `home`.

    Answers that were removed or have no quotes are left out.
    """
    found: dict[str, tuple[EvidenceView, ...]] = {}
    for i, line in run.lines.items():
        try:
            answer = Answers(home).as_given(line.trace)
        except UsageError:  # from another version; the judge then sees no documents
            continue
        if answer is not None and answer.evidence:
            titles = {document.id: document.title for document in answer.documents}
            found[i] = tuple(
                EvidenceView(id=one.id, title=titles.get(one.document_id, ""), quote=one.quote)
                for one in answer.evidence
            )
    return found


OPTIONAL = "interpretability"
"""It is about the retrieved documents, so an answer without any has no such mark."""

SCALE: Mapping[str, str] = {
    "relevance": "1 not about the question; 3 about it, but unfocused or without key points; 5 exactly on it",
    "completeness": "1 almost nothing of the reference answer; 3 some of it; 5 all of it",
    "proficiency": "1 lay language only; 3 fairly complex knowledge, clearly told; 5 all medical knowledge correct",
    "interpretability": "1 the documents do not help; 3 some of them bear on it; 5 they fully support the answer",
}


_SEEN = ("question", "reference", "answer", "documents")
"""What a line of the form has besides a judgement, for the person who marks it."""


@dataclass(frozen=True)
class Marked:
    """Judgements in all files, and the number of lines that are still blank."""

    lines: list[Judgement]
    blank: int = 0


def _unmarked(*, documents: bool) -> list[dict[str, dict[str, None]]]:
    """The marks of an answer before a person has written any."""
    return [{axis: {"score": None} for axis in LONG_AXES if axis != OPTIONAL or documents}]


def blank_form(
    run: Result, references: Mapping[str, str], quotes: Mapping[str, Sequence[EvidenceView]]
) -> Iterator[dict[str, Any]]:
    """A judgement without judge and marks for each long answer of a run that has text and a reference answer, in the
    order of the run, with what is to be judged; `documents` are the quotes that the answer cites.
    """
    for i, line in run.lines.items():
        if line.text.strip() and references.get(i):
            cited = [quote.quote for quote in quotes.get(i, ())]
            seen = zip(_SEEN, (line.question, references[i], line.text, cited), strict=True)
            marks = _unmarked(documents=bool(cited))
            yield {"item": i, "judge": "", "shown": [run.name], **dict(seen), "marks": marks}


def write_form(lines: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write a form."""
    if not lines:
        raise UsageError("no long answer with a reference answer; check that --data is the set that was run")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    except FileExistsError:
        raise UsageError(f"{path} exists and may hold marks; name another file with --out") from None
    except OSError as error:
        raise StorageFailed(f"{path} cannot be written ({error.strerror or error}); use another folder") from None


def read_marked(paths: Sequence[Path]) -> Marked:
    """The judgements of all files, forms and others.

    Raises UsageError: a line is not a judgement or marked in part, a judge judges the same answers twice, or nothing
    was judged at all.
    """
    lines: list[Judgement] = []
    blank = 0
    for path in paths:
        for where, record in json_lines(path, may_be_cut=True):
            if record.get("marks") in (_unmarked(documents=True), _unmarked(documents=False)):
                blank += 1
            else:
                said = {name: value for name, value in record.items() if name not in _SEEN}
                lines.append(checked(Judgement, said, where))
    if blank and not lines:
        raise UsageError(f"all {blank:,} lines are still blank; fill in `judge` and each `score` (1 to 5)")
    return Marked(each_once(lines, paths), blank)
