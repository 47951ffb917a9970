"""Runs over one data set side by side: intervals, paired tests, questions won and lost, costs, classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from medground.errors import UsageError
from medground.evaluate.base import RunHeader, RunLine
from medground.evaluate.comparable import check_same_set, chosen_differences, warnings_between, warnings_of
from medground.evaluate.metrics.accuracy import accuracy
from medground.evaluate.metrics.answer_sets import SetScores, set_scores
from medground.evaluate.metrics.classes import ClassScore, class_scores, confusion, macro_f1
from medground.evaluate.metrics.cost import MODEL_ONLY, Cost, cost_ratio, mean_cost
from medground.evaluate.metrics.share import Share
from medground.evaluate.metrics.support import SupportScores, support_scores
from medground.evaluate.runs import read_run
from medground.evaluate.significance import PairedDifference, holm, mcnemar, paired_bootstrap
from medground.evaluate.tally import is_right


@dataclass(frozen=True)
class Result:
    """A run that was read. `lines` by question id, without their texts and rankings."""

    name: str
    header: RunHeader
    lines: Mapping[str, RunLine]

    @property
    def unfinished(self) -> int:
        """Items without a line."""
        return max(0, self.header.items - len(self.lines))


@dataclass(frozen=True)
class Row:
    """One run by itself. `cost_ratio` is to the model-only run, or else to the first one."""

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
    support: SupportScores
    cost: Cost
    cost_ratio: Mapping[str, float | None]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """A run against the first one, over the questions that both have a line for.

    Attributes:
        won, lost: ids of questions that only the other, or only the first, has right; in the order of the first.
        both, neither: how many both or none have right.
        difference: in accuracy, other minus first, -1 to 1; None where no question has a gold answer.
        p: of the exact McNemar test.
        adjusted: p adjusted for the number of comparisons (Holm).
        chosen: settings in which the runs differ on purpose.
        warnings: why the two rows may not be compared.
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
    """Runs side by side. `majority` is the commonest gold answer and how often it is right."""

    dataset: str
    majority: tuple[str, Share] | None
    cost_base: str
    rows: tuple[Row, ...]
    pairs: tuple[Pair, ...]


def read_result(path: Path, name: str = "") -> Result:
    """Read a run. A last line that was cut off is not counted.

    Raises:
        UsageError: the file is missing or no run, a line is broken or comes twice, or no question is finished.
    """
    header, lines = read_run(path)
    kept: dict[str, RunLine] = {}
    for line in lines:
        if line.id in kept:
            raise UsageError(f"{path}: {line.id!r} has two lines; remove one of them")
        kept[line.id] = line.model_copy(update={"text": "", "found": (), "question": ""})
    if not kept:
        raise UsageError(f"{path} has no finished question yet; run it first")
    return Result(name or path.stem, header, kept)


def read_results(paths: Sequence[Path]) -> list[Result]:
    """Read runs, each with a name of its own: that of its recipe, then with its model, then with its file.

    Raises:
        UsageError: as `read_result`, or a file is named twice.
    """
    if len({path.resolve() for path in paths}) < len(paths):
        raise UsageError("one run is named twice; name each once")
    results = [read_result(path) for path in paths]
    names = [result.header.recipe for result in results]
    fuller = [f"{result.header.recipe} {result.header.model}" for result in results]
    fullest = [f"{name} {path}" for name, path in zip(fuller, paths, strict=True)]
    for better in (fuller, fullest):
        times = Counter(names)
        names = [new if times[name] > 1 else name for name, new in zip(names, better, strict=True)]
    return [Result(name, result.header, result.lines) for name, result in zip(names, results, strict=True)]


def compare(results: Sequence[Result], *, seed: int = 0) -> Comparison:
    """Compare runs with the first of them.

    Args:
        results: one or more runs over the same data set.
        seed: of the bootstrap.

    Raises:
        UsageError: there is none, they are of different sets, have no question in common, or name another gold answer
            for the same question.
    """
    if not results:
        raise UsageError("no run to compare; name the files of runs")
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
        support=support_scores(lines),
        cost=cost,
        cost_ratio=cost_ratio(cost, base),
        warnings=tuple(_row_warnings(result, cost)),
    )


def _row_warnings(result: Result, cost: Cost) -> list[str]:
    said = warnings_of(result.header)
    if result.unfinished:
        said.append(f"{result.unfinished:,} of {result.header.items:,} questions unfinished, counted as wrong")
    if cost.cached_calls:
        said.append(f"{cost.cached_calls:.2f} calls per question came from the cache: tokens, time and money are low")
    return said


def _tested(first: Result, other: Result, seed: int) -> Pair:
    common = [i for i in first.lines if i in other.lines]
    if not common:
        raise UsageError(f"{first.name} and {other.name} have no question in common; compare runs of one selection")
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
    said = warnings_between(first.header, other.header)
    alone = len(first.lines) + len(other.lines) - 2 * common
    if alone:
        said.append(f"questions with a line in one run only, in no paired test: {alone:,}")
    return said


def _cost(result: Result) -> Cost:
    return mean_cost(line.usage for line in result.lines.values())


def _majority(result: Result) -> tuple[str, Share] | None:
    gold = Counter(", ".join(sorted(line.gold)) for line in result.lines.values() if line.gold)
    if not gold:
        return None
    answer, times = max(gold.items(), key=lambda pair: (pair[1], pair[0]))
    return answer, Share(times, gold.total())
