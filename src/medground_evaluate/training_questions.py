"""Questions with known answers from any data set, divided into training and held-out ones."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from medground.errors import UsageError
from medground.recipes.reason_and_verify.pool import ANSWERED, TRAINING_SPLITS
from medground_evaluate.datasets.loader import ALL, Loader
from medground_evaluate.datasets.registry import open_dataset, recognised
from medground_evaluate.items import Item


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
            dataset = open_dataset(self.dataset)
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
    mine = [item for item in items if source.as_training or item.split in TRAINING_SPLITS]
    training = tuple(item for item in mine if known_answer(item))
    held_out = [item for item in items if not source.as_training and item.split not in TRAINING_SPLITS]
    refused = Counter(f"refused: from the split {item.split}" for item in held_out)
    refused["no known answer"] = len(mine) - len(training)
    if not training:
        there = ", ".join(f"{number} {reason}" for reason, number in (+refused).items()) or "none"
        raise UsageError(
            f"{file} has no questions of {dataset.info.name} from a training split; examples may only come from "
            f"those (other questions: {there}); if none of them will ever be asked, use --as-training"
        )
    asked = [Source(path, dataset.info.name if dataset.recognises(path) else None).open() for path in source.against]
    held_out += [item for one, place in asked for item in one.read(place, ALL)]
    digests = [one.hash(place) for one, place in [(dataset, file), *asked]]
    digest = digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()
    return Records(dataset.info.name, digest, training, tuple(held_out), dict(+refused))


def known_answer(item: Item) -> tuple[str, ...]:
    """The answer y in the form in which a model gives it: the gold values, or that an open question is answered."""
    return item.gold or ((ANSWERED,) if item.reference else ())
