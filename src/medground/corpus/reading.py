"""The first phase of a build: read every input, and note for each file what it gave or why it gave nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from medground.corpus.readers.base import Deleted, Input, Item, Note, Reading, Retracts, fingerprint_now
from medground.corpus.writer import DatabaseWriter
from medground.errors import BadDocument
from medground.values.document import Document
from medground.values.steps import Progress, no_progress

_ITEMS = 1000
_ATTEMPTS = 3
_CHANGED = "the file changed while it was read; run the same command again when it is finished"


def read_inputs(database: DatabaseWriter, inputs: Sequence[Input], progress: Progress, *, strict: bool = False) -> int:
    """Read all inputs, resuming where the last run stopped. Returns how many documents were deleted by a record.

    A file that cannot be read is noted with its reason, and reading goes on with the next.

    Raises:
        BadDocument: with `strict`, a file cannot be read.
    """
    deleted = database.state("deleted")
    since = 0
    for current in range(database.state("input"), len(inputs)):
        position = database.state("item")
        file = FileReading(database, inputs[current], strict=strict, progress=progress)
        for item in file.items(position):
            deleted += file.apply(item)
            position += 1
            since += 1
            if position % _ITEMS == 0:
                _save_position(database, current, position, deleted)
                progress("read", database.count(), None)
        since += 1
        if since >= _ITEMS or position >= _ITEMS:  # a commit for each of many small files would take most of the time
            _save_position(database, current + 1, 0, deleted)
            progress("read", database.count(), None)
            since = 0
        else:
            database.set_state("item", 0)
    _save_position(database, len(inputs), 0, deleted)
    progress("read", database.count(), database.count())
    return deleted


class FileReading:
    """One input as it is read into the database."""

    def __init__(
        self, database: DatabaseWriter, source: Input, *, strict: bool = False, progress: Progress = no_progress
    ) -> None:
        self._database = database
        self._source = source
        self._strict = strict
        self._progress = progress
        told = database.files.before_it(source) if source.refused is None else ""
        self._number = database.files.enter(source)
        if told:
            database.files.note(self._number, told)

    def items(self, skip: int = 0) -> Iterator[Item]:
        """The items of the input from number `skip`. A file that changed meanwhile is read again.

        Raises:
            BadDocument: with `strict`, the input cannot be read.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            before = self._state()
            try:
                yield from self._source.read(skip)
            except BadDocument as error:
                self._fail(error)
            except OSError as error:
                reason = f"cannot be read ({error.strerror or error})"
                self._fail(BadDocument(reason, file=self._source.name, passing=True))
            if before == self._state():
                return
            self._database.forget_held(self._number)
            skip = 0
            if attempt == _ATTEMPTS:
                self._fail(BadDocument(_CHANGED, file=self._source.name, passing=True))

    def apply(self, item: Item) -> int:
        """Store an item, or show how far a long document is. Returns how many documents it deleted."""
        database, number = self._database, self._number
        match item:
            case Document():
                if (lost := database.keep(item, number)) is not None:
                    name, why = self._source.name, f"another record of this file has its id {item.id}, and is kept"
                    database.skip(name, name, None, f"{lost.title[:80]}: {why}: {item.title[:80]}")
            case Deleted():
                return sum(database.withdraw(document_id, number) for document_id in item.ids)
            case Retracts():
                for document_id in item.ids:
                    database.retract(document_id)
            case Reading():
                self._progress(f"read {Path(self._source.name).name}", item.done, item.total)
            case Note():
                database.files.note(number, item.text)
            case BadDocument():
                if item is self._source.refused:
                    self._fail(item)
                else:
                    database.skip(self._source.name, item.file or self._source.name, item.position, item.reason)
        return 0

    def _state(self) -> str:
        """The fingerprint of the file now; that of an input which is not a plain file never changes."""
        path = Path(self._source.name)
        plain = self._source.refused is None and path.is_file()
        return fingerprint_now(path) if plain else self._source.fingerprint

    def _fail(self, error: BadDocument) -> None:
        if self._strict and error is not self._source.refused:
            raise error if error.file else BadDocument(error.reason, file=self._source.name, position=error.position)
        self._database.files.fail(self._number, error)


def _save_position(database: DatabaseWriter, current: int, position: int, deleted: int) -> None:
    for key, value in (("input", current), ("item", position), ("deleted", deleted)):
        database.set_state(key, value)
    database.commit()
