"""The content of a report: runs side by side, and each question with every run's answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from medground_evaluate.audit.baselines import Baseline
from medground_evaluate.audit.report import best_blind
from medground_evaluate.compare import Comparison, Result, compare, read_results
from medground_evaluate.items import Item, RunHeader, RunLine
from medground_evaluate.run_file import read_run
from medground_evaluate.statistics import wilson
from medground_evaluate.tally import is_right

MOST_QUESTIONS = 5_000
"""Maximum number of questions listed; those on which the runs disagree take precedence."""


@dataclass(frozen=True)
class Given:
    """A run's answer to one question; None takes its place if the run has no line for it."""

    answer: tuple[str, ...]
    status: str
    right: bool


@dataclass(frozen=True)
class Asked:
    """One question. `given` are in the order of the runs."""

    id: str
    text: str
    gold: tuple[str, ...]
    given: tuple[Given | None, ...]

    @property
    def outcome(self) -> str:
        """`won` if another run is right and the first is not, `lost` if the other way round, else `same`."""
        marks = [given is not None and given.right for given in self.given]
        if not marks[0] and any(marks[1:]):
            return "won"
        return "lost" if marks[0] and not all(marks[1:]) else "same"


@dataclass(frozen=True)
class FirstRow:
    """The reference for accuracies: the best blind baseline or, without one, the most common gold answer."""

    name: str
    words: str
    share: float
    low: float
    high: float
    of: int


@dataclass(frozen=True)
class Report:
    """The content of a report.

    Attributes:
        left_out: number of questions that are not listed because there are too many.
    """

    comparison: Comparison
    headers: tuple[RunHeader, ...]
    baseline: FirstRow | None
    questions: tuple[Asked, ...]
    left_out: int


def read_report(paths: Sequence[Path], items: Sequence[Item] | None = None) -> Report:
    """Read runs of one data set.

    Args:
        paths: files of runs; all are compared with the first.
        items: the set's items, for the best blind baseline; without them the most common gold answer takes its place.

    Raises:
        UsageError: a file is not a run, or the runs have different sets or gold answers.
    """
    results = read_results(paths)
    comparison = compare(results)
    asked = _questions(paths, results)
    listed = sorted(asked, key=lambda question: question.outcome == "same")[:MOST_QUESTIONS]
    kept = {question.id for question in listed}
    return Report(
        comparison=comparison,
        headers=tuple(result.header for result in results),
        baseline=_baseline(comparison, results, items),
        questions=tuple(question for question in asked if question.id in kept),
        left_out=len(asked) - len(listed),
    )


def _questions(paths: Sequence[Path], results: Sequence[Result]) -> list[Asked]:
    texts: dict[str, str] = {}
    for path in paths:
        _, lines = read_run(path)
        for line in lines:
            texts.setdefault(line.id, line.question)
    found = []
    for i, text in texts.items():
        lines_of = [result.lines.get(i) for result in results]
        gold = next(line.gold for line in lines_of if line is not None)
        found.append(Asked(i, text, gold, tuple(map(_given, lines_of))))
    return found


def _given(line: RunLine | None) -> Given | None:
    return None if line is None else Given(line.answer, line.status, is_right(line))


def _baseline(comparison: Comparison, results: Sequence[Result], items: Sequence[Item] | None) -> FirstRow | None:
    if items is not None:
        asked = results[0].lines
        found: Baseline | None = best_blind([item for item in items if item.id in asked])
        if found is not None:
            name = f"best blind baseline: {found.name}"
            return FirstRow(name, found.words, found.share, found.low, found.high, found.of)
    if comparison.majority is None:
        return None
    answer, share = comparison.majority
    low, high = wilson(share.right, share.of)
    hint = "the set has no better baseline" if items else "use --data for the best blind baseline"
    words = f"the most common gold answer; {hint}"
    return FirstRow(f"always {answer}", words, share.value or 0.0, low, high, share.of)
