"""Reading runs for comparisons and reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from medground.errors import UsageError
from medground.evaluate.base import Item, RunHeader, RunLine
from medground.evaluate.datasets.registry import open_dataset
from medground.evaluate.runs import read_run
from medground.question import Task


@dataclass(frozen=True)
class Result:
    """A run read from its file. `lines` are by question id, without their texts."""

    name: str
    header: RunHeader
    lines: Mapping[str, RunLine]

    @property
    def unfinished(self) -> int:
        """Items without a line."""
        return max(0, self.header.items - len(self.lines))


def read_result(path: Path, *, rankings: bool = False) -> Result:
    """Read a run and name it after its file. A truncated last line is ignored.

    Args:
        path: the run's file.
        rankings: keep the documents that searches found, for retrieval measures.

    Raises:
        UsageError: the file is missing or is not a run, a line is invalid or repeated, or no question is finished.
    """
    header, lines = read_run(path)
    kept: dict[str, RunLine] = {}
    dropped: dict[str, object] = {"question": "", "text": ""} | ({} if rankings else {"found": ()})
    for line in lines:
        if line.id in kept:
            raise UsageError(f"{path}: {line.id!r} has two lines; remove one of them")
        kept[line.id] = line.model_copy(update=dropped)
    if not kept:
        raise UsageError(f"{path} has no finished questions yet; run it first")
    return Result(path.stem, header, kept)


def read_results(paths: Sequence[Path], *, rankings: bool = False) -> list[Result]:
    """Read runs and give each a unique name: its recipe, with its model and then its file added where needed.

    Raises:
        UsageError: as for `read_result`, or a file is given twice.
    """
    if len({path.resolve() for path in paths}) < len(paths):
        raise UsageError("the same run is given twice; give each run once")
    results = [read_result(path, rankings=rankings) for path in paths]
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

    Raises:
        UsageError: the file is not the one that the run was made from, or cannot be read.
    """
    loader = open_dataset(result.header.dataset.partition(" ")[0])
    path = loader.find(data)
    if loader.hash(path) != result.header.dataset_hash:
        raise UsageError(f"{path} is not the file that {result.name} was made from; give that file with --data")
    items = loader.read(path, result.header.split, result.lines.__contains__)
    return [_as_asked(item, result.lines[item.id].task) for item in items]


def _as_asked(item: Item, task: Task) -> Item:
    """A subset may allow fewer answers, such as yes-no for a set that also has maybe."""
    if item.question.task == task:
        return item
    return item.model_copy(update={"question": item.question.model_copy(update={"task": task})})
