"""Runs over one data set side by side: read, checked for what may be compared, tested in pairs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from medground.errors import UsageError
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.items import Item, RunHeader, RunLine, Tally, tallied
from medground_evaluate.metrics import answers
from medground_evaluate.metrics.cost import MODEL_ONLY, Cost, cost_ratio, mean_cost
from medground_evaluate.run_file import differences, read_run
from medground_evaluate.statistics import ClassScore, PairedDifference, Share, holm, mcnemar, paired_difference


@dataclass(frozen=True)
class Result:
    """A run read from its file. `lines` are by question id."""

    name: str
    header: RunHeader
    lines: Mapping[str, RunLine]

    @cached_property
    def tally(self) -> Tally:
        """The totals over its lines."""
        return tallied(self.lines.values(), self.header.items)

    def knows(self, field: str) -> bool:
        """Whether its lines hold this field; those of a run that was imported need not."""
        return not self.header.imported or any(getattr(line, field) for line in self.lines.values())


def read_result(path: Path) -> Result:
    """Read a run and name it after its file. A truncated last line is ignored."""
    header, lines = read_run(path)
    kept: dict[str, RunLine] = {}
    for line in lines:
        if kept.setdefault(line.id, line) is not line:
            raise UsageError(f"{path}: {line.id!r} has two lines; remove one of them")
    if not kept:
        raise UsageError(f"{path} has no finished questions yet; run it first")
    return Result(path.stem, header, kept)


def read_results(paths: Sequence[Path]) -> list[Result]:
    """Read runs and give each a unique name: its recipe, with its model and then its file added where needed."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise UsageError("the same run is given twice; give each run once")
    results = [read_result(path) for path in paths]
    names = [result.header.recipe for result in results]
    fuller = [f"{result.header.recipe} {result.header.model}" for result in results]
    fullest = [f"{name} {path}" for name, path in zip(fuller, paths, strict=True)]
    for better in (fuller, fullest):
        times = Counter(names)
        names = [new if times[name] > 1 else name for name, new in zip(names, better, strict=True)]
    return [Result(name, result.header, result.lines) for name, result in zip(names, results, strict=True)]


def items_of(result: Result, data: Path) -> list[Item]:
    """The items that a run has lines for, as it asked them, from its data set's file or folder.

    A subset made by an experiment (`pubmedqa (yes or no)`) is read from the whole set.
    """
    loader = open_dataset(result.header.dataset.partition(" ")[0])
    path = loader.find(data)
    if loader.hash(path) != result.header.dataset_hash:
        raise UsageError(f"{path} is not the file that {result.name} was made from; give that file with --data")
    items = loader.read(path, result.header.split, result.lines.__contains__)
    return [item.asked_as(result.lines[item.id].task) for item in items]


SELECTION = ("dataset_hash", "split", "limit", "seed", "with_context")
"""Header fields that decide which questions are asked, and with which documents."""

_PROGRAM = ("prompts_hash", "medground")
_CHOSEN = ("recipe", "model")


def _differing(first: RunHeader, other: RunHeader) -> tuple[list[str], list[str]]:
    """What differs between two runs by design (recipe, model, their options), and why they are not comparable."""
    found = differences(first, other)
    if first.imported or other.imported:  # of such a run, no more is known
        found = {name: said for name, said in found.items() if name in {*SELECTION, *_CHOSEN} - {"with_context"}}
    corpora = [name for name in found if name.startswith("snapshots.")]
    warnings = [f"different questions: {found[name]}" for name in SELECTION if name in found]
    if MODEL_ONLY not in (first.recipe, other.recipe):  # it searches nothing
        warnings += [f"different corpus: {found[name]}" for name in corpora]
    warnings += [f"different program: {found[name]}" for name in _PROGRAM if name in found]
    chosen = found.keys() - {*SELECTION, *_PROGRAM, *corpora, "dataset"}
    return [found[name] for name in sorted(chosen, key=lambda name: (name not in _CHOSEN, name))], warnings


@dataclass(frozen=True)
class Row:
    """One run. `cost_ratio` is relative to the model-only run or the first with a known cost; None if imported."""

    name: str
    recipe: str
    model: str
    items: int
    unfinished: int
    statuses: Mapping[str, int]
    accuracy: Share
    macro_f1: float | None
    sets: answers.SetScores | None
    classes: tuple[ClassScore, ...]
    confusion: Mapping[tuple[str, str], int]
    grounded: Share
    cited: answers.DocumentCitations
    support: answers.SupportScores
    cost: Cost | None
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


def compare(results: Sequence[Result]) -> Comparison:
    """Compare runs over one data set with the first of them.

    Raises UsageError: there are no runs, or they are over different sets, have no question in common, or have different
    gold answers for the same question.
    """
    if not results:
        raise UsageError("no runs to compare; give the files of one or more runs")
    first, *others = results
    for other in others:
        if first.header.dataset != other.header.dataset:
            raise UsageError(
                f"{first.name} is a run over {first.header.dataset}, but {other.name} is over {other.header.dataset}; "
                "compare runs over the same data set"
            )
    ours = [result for result in results if not result.header.imported] or [first]
    base = next((result for result in ours if result.header.recipe == MODEL_ONLY), ours[0])
    tests = [_tested(first, other) for other in others]
    majority = first.tally.majority
    adjusted = holm([pair.p for pair in tests])
    return Comparison(
        dataset=first.header.dataset,
        majority=None if majority is None else (", ".join(majority[0]), Share(majority[1], first.tally.scored)),
        cost_base=base.name,
        rows=tuple(_row(result, _cost(base)) for result in results),
        pairs=tuple(replace(pair, adjusted=p) for pair, p in zip(tests, adjusted, strict=True)),
    )


def _row(result: Result, base: Cost | None) -> Row:
    lines, cost = list(result.lines.values()), _cost(result)
    classes = answers.class_scores(lines)
    cites = lines if result.knows("cited") else []
    return Row(
        name=result.name,
        recipe=result.header.recipe,
        model=result.header.model,
        items=max(result.header.items, len(lines)),
        unfinished=result.tally.unfinished,
        statuses=result.tally.statuses,
        accuracy=result.tally.final,
        macro_f1=answers.macro_f1(classes),
        sets=answers.set_scores(lines) if any(line.task == "multiple-choice" for line in lines) else None,
        classes=classes,
        confusion=answers.confusion(lines),
        grounded=answers.grounded_rate(cites, result.header.items if cites else 0),
        cited=answers.document_citations(cites),
        support=answers.support_scores([] if result.header.imported else lines),
        cost=cost,
        cost_ratio=cost_ratio(cost, base) if cost and base else {},
        warnings=tuple(_row_warnings(result, cost)),
    )


def _row_warnings(result: Result, cost: Cost | None) -> list[str]:
    warnings = [f"resumed although {difference}" for difference in result.header.accepted]
    if left := result.tally.unfinished:
        warnings.append(f"{left:,} of {result.header.items:,} questions are unfinished and count as wrong")
    if cost is None:
        warnings.append("imported: how these answers were made, from which literature and at what cost is not recorded")
    elif cost.cached_calls:
        warnings.append(
            f"{cost.cached_calls:.2f} calls per question came from the cache: their tokens count, the price does not, "
            "and seconds are not shown"
        )
    return [*warnings, *result.tally.incomplete]


def in_common(first: Result, other: Result) -> list[str]:
    """The questions that both runs have, in the order of the first. There must be one."""
    common = [i for i in first.lines if i in other.lines]
    if not common:
        raise UsageError(
            f"{first.name} and {other.name} have no question in common; compare runs over the same questions"
        )
    return common


def _tested(first: Result, other: Result) -> Pair:
    common = in_common(first, other)
    for i in common:
        if set(first.lines[i].gold) != set(other.lines[i].gold):
            raise UsageError(
                f"{first.name} and {other.name} have different gold answers for {i!r}; run one of them again"
            )
    scored = [i for i in common if first.lines[i].gold]
    right = {i: (first.lines[i].right, other.lines[i].right) for i in scored}
    won = tuple(i for i, (one, two) in right.items() if two and not one)
    lost = tuple(i for i, (one, two) in right.items() if one and not two)
    both = sum(one and two for one, two in right.values())
    p = mcnemar(len(won), len(lost))
    chosen, warnings = _differing(first.header, other.header)
    if alone := len(first.lines) + len(other.lines) - 2 * len(common):
        warnings.append(f"questions with a line in only one run, left out of paired tests: {alone:,}")
    return Pair(
        first=first.name,
        other=other.name,
        questions=len(scored),
        won=won,
        lost=lost,
        both=both,
        neither=len(scored) - both - len(won) - len(lost),
        difference=paired_difference(len(won), len(lost), len(scored)),
        p=p,
        adjusted=p,
        chosen=tuple(chosen),
        warnings=tuple(warnings),
    )


def _cost(result: Result) -> Cost | None:
    return None if result.header.imported else mean_cost(line.usage for line in result.lines.values())
