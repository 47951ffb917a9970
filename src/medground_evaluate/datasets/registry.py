"""Data sets by name, and which set a file is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from medground.errors import UsageError
from medground_evaluate.datasets.choice import BIOMEDMCQS, MIRAGE, MIRAGE_SETS, MMLU, MMLU_PRO
from medground_evaluate.datasets.literature import BIOASQ, COVIDQA, PUBMEDQA, SCIFACT, YES_NO
from medground_evaluate.datasets.loader import ALL, Loader, release_problem
from medground_evaluate.datasets.omni import (
    DDXPLUS,
    EXPERTQA,
    LIVEQA,
    MEDICATIONQA,
    MEDQUAD,
    MIMIC_IV_ED,
    OMNI_LONG,
    SEER,
)
from medground_evaluate.datasets.own import OWN
from medground_evaluate.items import DataSetInfo

_LITERATURE = (BIOASQ, YES_NO, COVIDQA, PUBMEDQA, SCIFACT)
_CHOICE = (BIOMEDMCQS, MIRAGE, *MIRAGE_SETS, MMLU, MMLU_PRO, SEER, DDXPLUS, MIMIC_IV_ED)
_OPEN = (EXPERTQA, LIVEQA, MEDICATIONQA, MEDQUAD, OMNI_LONG, OWN)
_SETS: Mapping[str, Loader] = {one.info.name: one for one in (*_LITERATURE, *_CHOICE, *_OPEN)}


def dataset_names() -> list[str]:
    """The names of all sets."""
    return sorted(_SETS)


def open_dataset(name: str) -> Loader:
    """The loader of the set called `name`.

    Raises:
        UsageError: there is no set of that name.
    """
    if name not in _SETS:
        raise UsageError(
            f"unknown data set {name!r}; available: {', '.join(dataset_names())}; see `medground data list`"
        )
    return _SETS[name]


@dataclass(frozen=True)
class FileCheck:
    """The result of checking a file.

    Attributes:
        sizes: items by split.
        tasks: items by task.
        with_context: items that come with documents.
        known: whether its hash is that of a known release; None if no release is known for that file name.
        missing: splits smaller than published, such as `test 637 of 1,273`.
    """

    info: DataSetInfo
    path: Path
    hash: str
    sizes: dict[str, int]
    tasks: dict[str, int]
    with_context: int
    known: bool | None
    missing: tuple[str, ...]


def recognised(path: Path) -> list[Loader]:
    """The sets that the start of this file looks like.

    Raises:
        UsageError: the file does not exist, or looks like no known set.
    """
    if not path.exists():
        raise UsageError(f"{path} does not exist; check the path")
    sets = [dataset for dataset in map(open_dataset, dataset_names()) if dataset.recognises(path)]
    if not sets:
        raise UsageError(
            f"{path} does not look like any known data set; use --set NAME to see what is wrong, "
            "and `medground data list` for the names"
        )
    return sets


def check_file(dataset: Loader, path: Path) -> FileCheck:
    """Read every item of a file.

    Raises:
        UsageError: the first problem, with file and position: another set's record, a missing gold answer, a repeated
            id, a truncated line, a hash that is not the release's, no questions at all.
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
        raise UsageError(f"{file} has no questions of {dataset.info.name}; give the file of that set")
    if problem := release_problem(dataset.info, file, digest):
        raise UsageError(f"{problem}; the file is readable, so to run it anyway use --accept dataset_hash")
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
