"""Your own set (JSON Lines, see docs/evaluation.md), all sets by name, and the training questions of a set."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from medground.corpus import compose
from medground.errors import UsageError
from medground.home import registry
from medground.recipes import pool
from medground.values import CLOSED, Task
from medground_evaluate.datasets import choice, citing, claims, literature, omni
from medground_evaluate.datasets.loader import ALL, LETTERS, Loader, Record, asked, for_set, release_problem
from medground_evaluate.items import DataSetInfo, Item, Split

# Your own set: JSON Lines, one question per line, in the format that docs/evaluation.md describes.


class OwnRecord(BaseModel, extra="forbid"):
    """One line. Only `question` and a gold value (`answer`, or `reference` for a free question) are required."""

    id: str = ""
    question: str
    task: Task | None = None
    options: dict[str, str] | list[str] = {}
    answer: str | list[str] = []
    reference: str = ""
    documents: list[str] = []
    context: list[dict[str, Any]] = []
    headings: list[str] = []
    split: Split = "test"
    group: str = ""
    extra: dict[str, Any] = {}


def _item(record: Record, i: str) -> Item:
    own = compose.validated(OwnRecord, record)
    options = own.options if isinstance(own.options, dict) else dict(zip(LETTERS, own.options, strict=False))
    gold = [own.answer] if isinstance(own.answer, str) else own.answer
    choice: Task = "single-choice" if len(gold) == 1 else "multiple-choice"
    closed: Task = "direction" if gold and set(gold) <= set(CLOSED["direction"]) else "yes-no-maybe"
    task = own.task or (choice if options else closed if gold else "free")
    allowed: Sequence[str] = list(options) or CLOSED.get(task, ())
    if not gold and not own.reference:
        raise ValueError('the gold answer is missing: give "answer", or "reference" for a free question')
    if wrong := [value for value in gold if value not in allowed]:
        raise ValueError(f"the gold answer {wrong[0]!r} is not one of {', '.join(allowed) or 'the options'}")
    if len(set(gold)) > 1 and task != "multiple-choice":
        raise ValueError(
            f"{len(set(gold))} gold answers, but a {task} question has one; only multiple-choice may have more"
        )
    return Item(
        id=i,
        question=asked(own.question, task, options),
        gold=tuple(gold),
        context=tuple(compose.make_document(document) for document in own.context),
        **own.model_dump(include={"reference", "documents", "headings", "group", "extra"}),
    )


def _unlike(record: Record) -> str:
    """Why a line is not in this format; empty if it is."""
    if "question" not in record:
        return 'the field "question" is missing'
    unknown = sorted(record.keys() - OwnRecord.model_fields.keys())
    return f"the field {unknown[0]!r} is unknown" if unknown else ""


OWN = for_set(
    "jsonl",
    _item,
    known=lambda record: not _unlike(record),
    unlike=_unlike,
    # Without an id, a hash of the question.
    key=lambda record: str(record.get("id") or sha256(str(record.get("question")).encode()).hexdigest()[:12]),
)


_OURS = (*choice.ALL, *citing.ALL, *claims.ALL, *literature.ALL, *omni.ALL, OWN)
_SETS = {one.info.name: one for one in _OURS}


def dataset_names() -> list[str]:
    """The names of all sets, with those of other packages."""
    return sorted({*_SETS, *registry.names("datasets")})


def open_dataset(name: str) -> Loader:
    """The loader of the set called `name`."""
    if (dataset := _SETS.get(name) or registry.find("datasets", name, Loader)) is None:
        raise UsageError(
            f"unknown data set {name!r}; available: {', '.join(dataset_names())}; see `medground data list`, or "
            "give module:NAME, in capitals, of your own code"
        )
    return dataset


def named_dataset(name: str) -> Loader:
    """The loader that a user names: as for `open_dataset`, or `module:NAME` of the user's own code, which is loaded.

    What a file names is only opened by `open_dataset`.
    """
    registry.trust(name)
    return open_dataset(name)


@dataclass(frozen=True)
class FileCheck:
    """The result of checking a file.

    Attributes:
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
    """The sets that the start of this file looks like."""
    if not path.exists():
        raise UsageError(f"{path} does not exist; check the path")
    every = _SETS | registry.added("datasets", Loader)
    sets = [dataset for _, dataset in sorted(every.items()) if dataset.recognises(path)]
    if not sets:
        raise UsageError(
            f"{path} does not look like any known data set; use --set NAME to see what is wrong, "
            "and `medground data list` for the names"
        )
    return sets


def check_file(dataset: Loader, path: Path) -> FileCheck:
    """Read every item of a file."""
    file = dataset.find(path)
    digest = dataset.hash(file)
    each = [(item.split, item.question.task, bool(item.context)) for item in dataset.read(file, ALL)]
    sizes: Counter[str] = Counter(split for split, _, _ in each)
    tasks: Counter[str] = Counter(task for _, task, _ in each)
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
        with_context=sum(context for _, _, context in each),
        known=True if file.name.removesuffix(".gz") in dataset.info.hashes else None,
        missing=tuple(f"{name} {sizes[name]:,} of {n:,}" for name, n in published.items() if sizes[name] < n),
    )


@dataclass(frozen=True)
class Source:
    """What a pool is made of.

    Attributes:
        against: files or folders with questions that will be asked, which no demonstration may resemble.
        as_training: take every question for training, whatever split the set gives it.
    """

    path: Path
    dataset: str | None = None
    against: tuple[Path, ...] = ()
    as_training: bool = False

    def open(self) -> tuple[Loader, Path]:
        """The loader of the set, and its file."""
        if self.dataset is not None:
            dataset = named_dataset(self.dataset)
        elif len(found := recognised(self.path)) == 1:
            dataset = found[0]
        else:
            names = ", ".join(one.info.name for one in found)
            raise UsageError(f"{self.path} can be read as {names}; choose one with --dataset NAME")
        return dataset, dataset.find(self.path)


@dataclass(frozen=True)
class Records:
    """Training questions with a known answer, held-out questions, and why others are neither.

    `dataset` is the name of the set, and `digest` changes with any file that was read.
    """

    dataset: str
    digest: str
    training: tuple[Item, ...]
    held_out: tuple[Item, ...]
    refused: Mapping[str, int]


def read_records(source: Source) -> Records:
    """Read a set, and the questions that will be asked."""
    dataset, file = source.open()
    items = list(dataset.read(file, ALL))
    mine = [item for item in items if source.as_training or item.split in pool.TRAINING_SPLITS]
    training = tuple(item for item in mine if known_answer(item))
    held_out = [item for item in items if not source.as_training and item.split not in pool.TRAINING_SPLITS]
    refused = Counter(f"refused: from the split {item.split}" for item in held_out)
    refused["no known answer"] = len(mine) - len(training)
    if not training:
        there = ", ".join(f"{number} {reason}" for reason, number in (+refused).items()) or "none"
        raise UsageError(
            f"{file} has no questions of {dataset.info.name} from a training split; examples may only come from "
            f"those (other questions: {there}); if none of them will ever be asked, use --as-training"
        )
    against = [
        (one, one.find(path))
        for path in source.against
        for one in ([dataset] if dataset.recognises(path) else recognised(path))  # all that a file holds will be asked
    ]
    held_out += [item for one, place in against for item in one.read(place, ALL)]
    digests = [one.hash(place) for one, place in [(dataset, file), *against]]
    digest = digests[0] if len(digests) == 1 else sha256("\n".join(digests).encode()).hexdigest()
    return Records(dataset.info.name, digest, training, tuple(held_out), dict(+refused))


def known_answer(item: Item) -> tuple[str, ...]:
    """The answer y in the form in which a model gives it: the gold values, or that an open question is answered."""
    return item.gold or ((pool.ANSWERED,) if item.reference else ())
