"""The loader of every set: a set defines how to read its records and build its items; the checks are here."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from medground.errors import UsageError, UserMistake
from medground.evaluate.base import DataSetInfo, Item, Split
from medground.evaluate.datasets.records import Placed, Record, content_hash

ALL = "all"
_DESCRIPTIONS = "sets.toml"
_TRIED = 3
_PACKED = ".gz"


@cache
def _described() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files(__package__) / _DESCRIPTIONS).read_text(encoding="utf-8"))


def described(name: str) -> DataSetInfo:
    """The description of a set."""
    return DataSetInfo(name=name, **_described()[name])


def only_itself(path: Path) -> tuple[Path, ...]:
    """The files of a set that is a single file."""
    return (path,)


@dataclass(frozen=True)
class Loader:
    """A data set made of records.

    Attributes:
        info: the description of the set.
        files: names to look for in a folder, also compressed (`.gz`).
        records: reads the records of a file as a stream.
        known: whether a record has this set's format.
        ours: whether a record in this format is a question of this set; others in the file are skipped.
        key: the id of a record, unique in the set.
        split: the split of a record.
        item: builds the item of a record; raises ValueError, with a one-line message, if it cannot.
        parts: the file and the files next to it that belong to it.
        folder: whether a folder is the set itself, in several files.
        unlike: explains why a record is not known, if the set can tell.
    """

    info: DataSetInfo
    files: tuple[str, ...]
    records: Callable[[Path], Generator[Placed]]
    known: Callable[[Record], bool]
    item: Callable[[Record], Item]
    key: Callable[[Record], str] = lambda record: str(record["id"])
    split: Callable[[Record], Split] = lambda record: "test"
    parts: Callable[[Path], tuple[Path, ...]] = only_itself
    folder: Callable[[Path], bool] = lambda path: False
    ours: Callable[[Record], bool] = lambda record: True
    unlike: Callable[[Record], str] = lambda record: ""

    def find(self, path: Path) -> Path:
        """The file of the set: `path` itself or, if `path` is a folder, the file in it; the folder if it is the set.

        Raises:
            UsageError: the file does not exist.
        """
        if not path.exists():
            raise UsageError(f"{path} does not exist; give the file of {self.info.name} ({self.info.obtain})")
        if not path.is_dir() or self.folder(path):
            return path
        named = [path / f"{name}{end}" for name in self.files for end in ("", _PACKED)]
        there = [file for file in named if file.is_file()]
        if not there:
            names = f" ({' or '.join(self.files)})" if self.files else ""
            raise UsageError(f"{path} contains no file of {self.info.name}{names}; give the file itself")
        return next(filter(self.fits, there), there[0])

    def fits(self, path: Path) -> bool:
        """Whether the start of a file looks like this set, and the file has a question of it."""
        try:
            with closing(self.records(path)) as records:
                first = [record for _, record in islice(records, _TRIED)]
                known = all(self.known(record) for record in first)
                return known and (any(map(self.ours, first)) or any(self.ours(record) for _, record in records))
        except UserMistake:
            return False

    def hash(self, path: Path) -> str:
        """SHA-256 of the decompressed file and of the files next to it that belong to it.

        Raises:
            UsageError: a file is missing or damaged.
        """
        return content_hash(self.parts(path))

    def ids(self, path: Path, split: str) -> Iterator[str]:
        """Ids of the items of a split, without building the items; checks the records as `read` does."""
        return (i for _, i, _ in self._of(path, split))

    def read(self, path: Path, split: str, wanted: Callable[[str], bool] | None = None) -> Iterator[Item]:
        """Items of a split (`all` for every split), in file order; with `wanted`, only those whose id it accepts.

        Raises:
            UsageError: the file is not of this set, an item has no gold answer, or an id occurs twice; the message
                is one line with file and position.
        """
        for where, i, record in self._of(path, split):
            if wanted is None or wanted(i):
                try:
                    yield self.item(record)
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    raise UsageError(f"{where}: {i}: {_reason(error)}") from None

    def _of(self, path: Path, split: str) -> Iterator[tuple[str, str, Record]]:
        seen: set[str] = set()
        with closing(self.records(path)) as records:
            for where, record in records:
                if not self.known(record):
                    why = self.unlike(record) or "find its set with `medground data check`"
                    raise UsageError(f"{where}: not a record of {self.info.name}; {why}")
                if not self.ours(record):
                    continue
                i = self.key(record)
                if i in seen:
                    raise UsageError(f"{where}: the id {i!r} occurs twice; remove one of the two")
                seen.add(i)
                if split in (ALL, self.split(record)):
                    yield where, i, record


def _reason(error: Exception) -> str:
    """What is wrong with a record, in one line."""
    if isinstance(error, ValidationError):
        return str(error.errors(include_url=False)[0]["msg"].removeprefix("Value error, "))
    if isinstance(error, KeyError):
        return f"the field {error} is missing"
    return str(error) if type(error) is ValueError else f"a field has an unexpected form ({error})"
