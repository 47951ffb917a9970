"""The phases of a build: read, cut and index, embed.

Each resumes from what is in the folder, and saves its work in batches. Of each file is noted what it gave, or why
nothing.
"""

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from medground.corpus import retraction_table, tables, vectors
from medground.corpus.chunk import cuts
from medground.corpus.embedder import Embedder, embed_passages
from medground.corpus.faults import UnfinishedDamaged, resuming
from medground.corpus.lexical_fields import LexicalWriter
from medground.corpus.readers.base import (
    Deleted,
    Input,
    Item,
    Note,
    RawRecord,
    Reading,
    Ready,
    Retracts,
    fingerprint_now,
    readable,
    within_limits,
)
from medground.corpus.snapshot import LEXICAL, Snapshot
from medground.corpus.tables import PassageRow, prepared
from medground.corpus.vectors import ChangeWriter, VectorWriter, copy_rows, share, write_index
from medground.corpus.writer import DatabaseWriter
from medground.errors import BadDocument
from medground.home.files import link, put
from medground.values.document import Document
from medground.values.steps import Progress, no_progress

_UNSEARCHED = "in a language that is not searched (Chinese, Japanese, Korean, Thai, Khmer, Burmese)"
_ITEMS = 1000
_ATTEMPTS = 3
_CHANGED = "the file changed while it was read; run the same command again when it is finished"


def read_inputs(
    database: DatabaseWriter,
    inputs: Sequence[Input],
    progress: Progress,
    *,
    strict: bool = False,
    given: Callable[[int], Input] | None = None,
) -> int:
    """Read all inputs, resuming where the last run stopped. Returns how many documents were deleted by a record.

    A file that cannot be read is noted with its reason, and reading continues with the next. `given` gives the input
    at a place where another process reads it.

    Raises BadDocument: with `strict`, a file cannot be read.
    """
    deleted = database.state("deleted")
    since = 0
    for current in range(database.state("input"), len(inputs)):
        position = database.state("item")
        source = given(current) if given else inputs[current]
        file = FileReading(database, source, strict=strict, progress=progress)
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
        self._unsearched = 0
        told = database.files.before_it(source) if source.refused is None else ""
        self._number = database.files.enter(source)
        if told:
            database.files.note(self._number, told)

    def items(self, skip: int = 0) -> Iterator[Item]:
        """The items of the input from number `skip`. A file that changed meanwhile is read again."""
        source = self._source
        for attempt in range(1, _ATTEMPTS + 1):
            before, self._unsearched = self._state(), 0
            try:
                read = partial(prepared, source, retraction_table.home(), skip)
                with readable(Path(source.name)):
                    if source.refused or source.ready:
                        yield from source.read(skip)
                    else:
                        yield from within_limits(read, source.name, apart=source.apart)
            except BadDocument as error:
                self._fail(error)
            if before == self._state():
                if self._unsearched:
                    self._database.files.note(self._number, f"{_UNSEARCHED}: {self._unsearched:,} documents")
                return
            self._database.forget_held(self._number)
            skip = 0
            if attempt == _ATTEMPTS:
                self._fail(BadDocument(_CHANGED, file=self._source.name, passing=True))

    def apply(self, item: Item) -> int:
        """Store an item, or show how far a long document is. Returns how many documents it deleted."""
        database, number = self._database, self._number
        match item:
            case Ready():
                self._unsearched += item.is_unsearched
                if (lost := database.keep(item, number)) is not None:
                    name, why = self._source.name, f"another record of this file has its id {item.id}, and is kept"
                    database.skip(name, name, None, f"{lost.title[:80]}: {why}: {item.document.title[:80]}")
            case RawRecord():
                database.files.keep_raw(item, number)
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

    def _state(self) -> str:  # that of an input which is not a plain file never changes
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


_LOGGED = b"\x02\x02"
"""In the header of an SQLite file that has a log of changes; files of earlier versions have none."""
_LARGEST_LOG = 8
"""A log is at most this part of the file that it belongs to, or small."""
_SMALL_LOG = 1 << 20
_PASSAGES = 20_000
_TEXTS = 256


def copy_base(base: Snapshot | None, folder: Path) -> None:
    """Start from the documents and passages of an earlier snapshot.

    Its file is shared, and what changes is in a log beside it, of which the log of the earlier snapshot is the start.
    Once that has grown, the file is copied, and the log becomes part of it.
    """
    target = folder / tables.FILE_NAME
    if base is None or target.exists():
        return
    (folder / tables.LOG).unlink(missing_ok=True)  # of a copy that was killed: SQLite would replay it into the next
    unfinished = folder / "base.part"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    source, log = base.folder / tables.FILE_NAME, base.folder / tables.LOG
    grown = log.stat().st_size if log.exists() else 0
    with source.open("rb") as file:
        has_logs = file.read(20)[18:] == _LOGGED
    shared = has_logs and grown <= max(_SMALL_LOG, source.stat().st_size // _LARGEST_LOG)
    (link if shared else shutil.copyfile)(source, unfinished / source.name)
    if grown:
        shutil.copyfile(log, unfinished / log.name)
    database = DatabaseWriter(unfinished / source.name)
    database.forget_state()
    database.finish()
    for path in sorted(unfinished.iterdir(), reverse=True):  # the file comes last
        put(path, folder / path.name)
    unfinished.rmdir()


def cut_and_index(
    database: DatabaseWriter, base: Snapshot | None, folder: Path, limit: int, progress: Progress
) -> None:
    """Cut documents into passages, and add every passage to the word index."""
    if base is not None:  # it has all passages of the earlier snapshot; `patch` is for one that has not
        link_tree(base.folder / LEXICAL, folder / LEXICAL)
    with contextlib.ExitStack() as opened:
        with resuming(folder):
            words = opened.enter_context(LexicalWriter.open(folder / LEXICAL))
        if words.committed > database.passage_count():
            raise UnfinishedDamaged(folder, "its word index is ahead of its passages")
        for row, document in database.passages_from(words.committed):
            words.add(row, document)
            _checkpoint(database, words, row.number + 1, progress)
        number = database.passage_count()
        for parent, document in database.uncut():
            rows = [PassageRow(at, parent, *place) for at, place in enumerate(cuts(document, limit), start=number)]
            database.place(rows)
            for row in rows:
                words.add(row, document)
                number += 1
                _checkpoint(database, words, number, progress)
        database.commit()
        words.finish()
    progress("index", number, number)


def embed(
    database: DatabaseWriter, base: Snapshot | None, folder: Path, embedder: Embedder, progress: Progress
) -> None:
    """Give every passage a vector, reusing those of an earlier snapshot by the same model."""
    total, before = database.passage_count(), base.vectors() if base and base.manifest.embedding else None
    if before is not None and share(before, folder, total - len(before)):
        writer: VectorWriter = ChangeWriter(folder, embedder.dimensions, before.changed + database.state("vectors"))
        known, first = before.changed, len(before)
    else:
        writer, known, first = VectorWriter(folder, embedder.dimensions, database.state("vectors")), 0, 0
        if before is not None:
            copy_rows(before, writer)
            _keep_vectors(database, writer, known)
    with contextlib.closing(writer):
        left = database.passages_from(first + writer.rows - known)
        while rows := [*islice(left, _TEXTS)]:
            made = vectors_of(rows, embedder)
            if isinstance(writer, ChangeWriter):
                writer.put([row.number for row, _ in rows], made)
            else:
                writer.append(made)
            _keep_vectors(database, writer, known)
            progress("embed", first + writer.rows - known, total)
    continued = base.folder if base and before is not None and before.only_grew else None
    index_vectors(folder, total, embedder, progress, continued)


def index_vectors(folder: Path, total: int, embedder: Embedder, progress: Progress, base: Path | None = None) -> None:
    """Give the vectors an index if they are many and have none; that of the folder `base` is continued."""
    if total > vectors.EXACT_LIMIT and not (folder / vectors.INDEX_NAME).exists():
        progress("index vectors", 0, None)
        write_index(folder, embedder.dimensions, base)


def _keep_vectors(database: DatabaseWriter, writer: VectorWriter, known: int) -> None:
    """Note how many vectors are on disk: after a power failure the file may be longer than what it holds."""
    writer.sync()
    database.set_state("vectors", writer.rows - known)
    database.commit()


def _checkpoint(database: DatabaseWriter, words: LexicalWriter, done: int, progress: Progress) -> None:
    """Commit at intervals. Passages are committed first: the word index must never be ahead of them."""
    if done % _PASSAGES == 0:
        database.commit()
        words.commit()
    if done % _ITEMS == 0:
        progress("index", done, None)


def vectors_of(rows: Iterable[tuple[PassageRow, Document]], embedder: Embedder) -> NDArray[np.float32]:
    """The vectors of passages: what is embedded is the title of the document, and the text."""
    return embed_passages(embedder, [(document.title, document.text[row.start : row.stop]) for row, document in rows])


def link_tree(source: Path, target: Path) -> None:
    """Link the files of a folder into another."""
    if target.exists():
        return
    unfinished = target.with_name(f"{target.name}.part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    for path in source.iterdir():
        if path.suffix != ".lock":
            link(path, unfinished / path.name)
    put(unfinished, target)
