"""The loader of every set: a set says how its records are read and what an item is made of, and is checked here."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from medground.errors import UsageError, UserMistake
from medground.evaluate.base import DataSetInfo, Item, Split
from medground.evaluate.datasets.records import Placed, Record, content_hash

ALL = "all"
_TRIED = 3
_PACKED = ".gz"


def only_itself(path: Path) -> tuple[Path, ...]:
    """The files of a set that is one file."""
    return (path,)


@dataclass(frozen=True)
class Loader:
    """A data set made of records.

    Attributes:
        info: what the set is.
        files: names that its file has, looked for in a folder; packed ones (`.gz`) too.
        records: the records of a file, read as a stream.
        known: whether a record is of this set's form.
        ours: whether a record of this form is a question of this set; others in the file are passed over.
        key: the id of a record, unique in the set.
        split: which split a record is of.
        item: the item of a record; raises ValueError, in one line, for one that it cannot use.
        parts: the file and those beside it that belong to it.
        folder: whether a folder is the set itself, in several files.
        unlike: what keeps a record that is not known from being one of this set, in words, where the set can say it.
    """

    info: DataSetInfo
    files: tuple[str, ...]
    records: Callable[[Path], Generator[Placed]]
    known: Callable[[Record], bool]
    key: Callable[[Record], str]
    split: Callable[[Record], Split]
    item: Callable[[Record], Item]
    parts: Callable[[Path], tuple[Path, ...]] = only_itself
    folder: Callable[[Path], bool] = lambda path: False
    ours: Callable[[Record], bool] = lambda record: True
    unlike: Callable[[Record], str] = lambda record: ""

    def find(self, path: Path) -> Path:
        """The file of the set that `path` is or, for a folder, holds; the folder where it is the set.

        Raises:
            UsageError: there is no such file.
        """
        if not path.exists():
            raise UsageError(f"no file {path}; name the file of {self.info.name}: {self.info.obtain}")
        if not path.is_dir() or self.folder(path):
            return path
        named = [path / f"{name}{end}" for name in self.files for end in ("", _PACKED)]
        there = [file for file in named if file.is_file()]
        if not there:
            names = f" ({' or '.join(self.files)})" if self.files else ""
            raise UsageError(f"{path} holds no file of {self.info.name}{names}; name the file itself")
        return next(filter(self.fits, there), there[0])

    def fits(self, path: Path) -> bool:
        """Whether a file begins like one of this set, and holds a question of it."""
        try:
            with closing(self.records(path)) as records:
                first = [record for _, record in islice(records, _TRIED)]
                known = all(self.known(record) for record in first)
                return known and (any(map(self.ours, first)) or any(self.ours(record) for _, record in records))
        except UserMistake:
            return False

    def hash(self, path: Path) -> str:
        """SHA-256 of the file's bytes, unpacked, and of the files beside it that belong to it.

        Raises:
            UsageError: a file is missing or damaged.
        """
        return content_hash(self.parts(path))

    def ids(self, path: Path, split: str) -> Iterator[str]:
        """Ids of the items of a split, without building the items; raises as `read` does for the records alone."""
        return (i for _, i, _ in self._of(path, split))

    def read(self, path: Path, split: str, wanted: Callable[[str], bool] | None = None) -> Iterator[Item]:
        """Items of a split (`all`: of every one), in the file's order; with `wanted`, those whose id it takes.

        Raises:
            UsageError: the file is not of this set, an item lacks its gold answer, an id comes twice; one line with
                file and position.
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
                    why = self.unlike(record) or "medground data check names the set"
                    raise UsageError(f"{where}: not a record of {self.info.name}; {why}")
                if not self.ours(record):
                    continue
                i = self.key(record)
                if i in seen:
                    raise UsageError(f"{where}: the id {i!r} comes twice; remove one of the two")
                seen.add(i)
                if split in (ALL, self.split(record)):
                    yield where, i, record


def _reason(error: Exception) -> str:
    """What is wrong with a record, in one line."""
    if isinstance(error, ValidationError):
        return str(error.errors(include_url=False)[0]["msg"].removeprefix("Value error, "))
    if isinstance(error, KeyError):
        return f"the field {error} is missing"
    return str(error) if type(error) is ValueError else f"a field has another form than expected ({error})"
