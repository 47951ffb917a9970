"""Runs over one data set side by side: intervals, paired tests, questions won and lost, costs, classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from medground.errors import UsageError
from medground.evaluate.comparable import check_same_set, chosen_differences, warnings_between, warnings_of
from medground.evaluate.metrics.accuracy import accuracy
from medground.evaluate.metrics.answer_sets import SetScores, set_scores
from medground.evaluate.metrics.citations import DocumentCitations, document_citations
from medground.evaluate.metrics.classes import ClassScore, class_scores, confusion, macro_f1
from medground.evaluate.metrics.cost import MODEL_ONLY, Cost, cost_ratio, mean_cost
from medground.evaluate.metrics.grounding import grounded_rate
from medground.evaluate.metrics.share import Share
from medground.evaluate.metrics.support import SupportScores, support_scores
from medground.evaluate.results import Result
from medground.evaluate.significance import PairedDifference, holm, mcnemar, paired_bootstrap
from medground.evaluate.tally import is_right, tallied


@dataclass(frozen=True)
class Row:
    """One run. `cost_ratio` is relative to the model-only run or, without one, to the first run."""

    name: str
    recipe: str
    model: str
    items: int
    unfinished: int
    statuses: Mapping[str, int]
    accuracy: Share
    macro_f1: float | None
    sets: SetScores | None
    classes: tuple[ClassScore, ...]
    confusion: Mapping[tuple[str, str], int]
    grounded: Share
    cited: DocumentCitations
    support: SupportScores
    cost: Cost
    cost_ratio: Mapping[str, float | None]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """A run against the first one, over the questions that both have a line for.

    Attributes:
        won, lost: ids of questions that only the other, or only the first, got right; in the order of the first.
        both, neither: how many questions both, or neither, got right.
        difference: in accuracy, other minus first, -1 to 1; None if no question has a gold answer.
        p: from the exact McNemar test.
        adjusted: p adjusted for the number of comparisons (Holm).
        chosen: settings in which the runs differ by design.
        warnings: why the two rows are not comparable.
    """

    first: str
    other: str
    questions: int
    won: tuple[str, ...]
    lost: tuple[str, ...]
    both: int
    neither: int
    difference: PairedDifference | None
    p: float
    adjusted: float
    chosen: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """Runs side by side. `majority` is the most common gold answer and how often it is correct."""

    dataset: str
    majority: tuple[str, Share] | None
    cost_base: str
    rows: tuple[Row, ...]
    pairs: tuple[Pair, ...]


def compare(results: Sequence[Result], *, seed: int = 0) -> Comparison:
    """Compare runs with the first of them.

    Args:
        results: one or more runs over the same data set.
        seed: for the bootstrap.

    Raises:
        UsageError: there are no runs, or they are over different sets, have no question in common, or have different
            gold answers for the same question.
    """
    if not results:
        raise UsageError("no runs to compare; give the files of one or more runs")
    first, *others = results
    for other in others:
        check_same_set(first.header, other.header, (first.name, other.name))
    base = next((result for result in results if result.header.recipe == MODEL_ONLY), first)
    tests = [_tested(first, other, seed) for other in others]
    adjusted = holm([pair.p for pair in tests])
    return Comparison(
        dataset=first.header.dataset,
        majority=_majority(first),
        cost_base=base.name,
        rows=tuple(_row(result, _cost(base)) for result in results),
        pairs=tuple(replace(pair, adjusted=p) for pair, p in zip(tests, adjusted, strict=True)),
    )


def _row(result: Result, base: Cost) -> Row:
    lines = list(result.lines.values())
    classes = class_scores(lines)
    cost = _cost(result)
    return Row(
        name=result.name,
        recipe=result.header.recipe,
        model=result.header.model,
        items=max(result.header.items, len(lines)),
        unfinished=result.unfinished,
        statuses=Counter(line.status for line in lines),
        accuracy=accuracy(lines, result.header.items),
        macro_f1=macro_f1(classes),
        sets=set_scores(lines) if any(line.task == "multiple-choice" for line in lines) else None,
        classes=classes,
        confusion=confusion(lines),
        grounded=grounded_rate(lines, result.header.items),
        cited=document_citations(lines),
        support=support_scores(lines),
        cost=cost,
        cost_ratio=cost_ratio(cost, base),
        warnings=tuple(_row_warnings(result, cost)),
    )


def _row_warnings(result: Result, cost: Cost) -> list[str]:
    warnings = warnings_of(result.header)
    if result.unfinished:
        warnings.append(f"{result.unfinished:,} of {result.header.items:,} questions are unfinished and count as wrong")
    if cost.cached_calls:
        warnings.append(
            f"{cost.cached_calls:.2f} calls per question came from the cache, so tokens, time and cost are too low"
        )
    return [*warnings, *tallied(result.lines.values(), result.header.items).incomplete]


def _tested(first: Result, other: Result, seed: int) -> Pair:
    common = [i for i in first.lines if i in other.lines]
    if not common:
        raise UsageError(
            f"{first.name} and {other.name} have no question in common; compare runs over the same questions"
        )
    for i in common:
        if set(first.lines[i].gold) != set(other.lines[i].gold):
            raise UsageError(
                f"{first.name} and {other.name} have different gold answers for {i!r}; run one of them again"
            )
    scored = [i for i in common if first.lines[i].gold]
    right = {i: (is_right(first.lines[i]), is_right(other.lines[i])) for i in scored}
    won = tuple(i for i, (one, two) in right.items() if two and not one)
    lost = tuple(i for i, (one, two) in right.items() if one and not two)
    both = sum(one and two for one, two in right.values())
    scores = list(zip(*right.values(), strict=True)) or [(), ()]
    p = mcnemar(len(won), len(lost))
    return Pair(
        first=first.name,
        other=other.name,
        questions=len(scored),
        won=won,
        lost=lost,
        both=both,
        neither=len(scored) - both - len(won) - len(lost),
        difference=paired_bootstrap(scores[0], scores[1], seed=seed),
        p=p,
        adjusted=p,
        chosen=tuple(chosen_differences(first.header, other.header)),
        warnings=tuple(_pair_warnings(first, other, len(common))),
    )


def _pair_warnings(first: Result, other: Result, common: int) -> list[str]:
    warnings = warnings_between(first.header, other.header)
    alone = len(first.lines) + len(other.lines) - 2 * common
    if alone:
        warnings.append(f"questions with a line in only one run, left out of paired tests: {alone:,}")
    return warnings


def _cost(result: Result) -> Cost:
    return mean_cost(line.usage for line in result.lines.values())


def _majority(result: Result) -> tuple[str, Share] | None:
    gold = Counter(", ".join(sorted(line.gold)) for line in result.lines.values() if line.gold)
    if not gold:
        return None
    answer, times = max(gold.items(), key=lambda pair: (pair[1], pair[0]))
    return answer, Share(times, gold.total())
