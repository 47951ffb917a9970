"""Looking at a file before it is run: which set it is, whether it is whole, and whether it is the known release."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from medground.errors import UsageError
from medground.evaluate.base import DataSet, DataSetInfo
from medground.evaluate.datasets import dataset_names, open_dataset
from medground.evaluate.datasets.loader import ALL
from medground.evaluate.datasets.release import release_problem


@dataclass(frozen=True)
class FileCheck:
    """What a file turned out to be.

    Attributes:
        sizes: items by split.
        tasks: items by task.
        with_context: items that come with documents.
        known: whether its hash is that of a known release; None where none is known for that file name.
        missing: published sizes that the file does not reach, such as `test 637 of 1,273`.
    """

    info: DataSetInfo
    path: Path
    hash: str
    sizes: dict[str, int]
    tasks: dict[str, int]
    with_context: int
    known: bool | None
    missing: tuple[str, ...]


def recognised(path: Path) -> list[DataSet]:
    """The sets whose files begin like this one.

    Raises:
        UsageError: there is no such file, or no set has files like it.
    """
    if not path.exists():
        raise UsageError(f"no file {path}")
    sets = [dataset for dataset in map(open_dataset, dataset_names()) if _begins_like(dataset, path)]
    if not sets:
        raise UsageError(
            f"{path} begins like no set that is known; --set NAME says what is wrong, medground data list names them"
        )
    return sets


def _begins_like(dataset: DataSet, path: Path) -> bool:
    try:
        return dataset.fits(dataset.find(path))
    except UsageError:
        return False


def check_file(dataset: DataSet, path: Path) -> FileCheck:
    """Read every item of a file.

    Raises:
        UsageError: the first thing that is wrong, with file and position: another set's record, a missing gold answer,
            an id that comes twice, a half-written line, another hash than that of the release, no question at all.
    """
    file = dataset.find(path)
    digest = dataset.hash(file)
    sizes: Counter[str] = Counter()
    tasks: Counter[str] = Counter()
    with_context = 0
    for item in dataset.read(file, ALL):
        sizes[item.split] += 1
        tasks[item.question.task] += 1
        with_context += bool(item.context)
    if not sizes:
        raise UsageError(f"{file} has no question of {dataset.info.name}")
    if problem := release_problem(dataset.info, file, digest):
        raise UsageError(f"{problem}; it can be read, and is run with --accept dataset_hash")
    published = dataset.info.sizes
    return FileCheck(
        info=dataset.info,
        path=file,
        hash=digest,
        sizes=dict(sizes),
        tasks=dict(tasks),
        with_context=with_context,
        known=True if file.name.removesuffix(".gz") in dataset.info.hashes else None,
        missing=tuple(f"{name} {sizes[name]:,} of {n:,}" for name, n in published.items() if sizes[name] < n),
    )
