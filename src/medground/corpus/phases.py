"""The phases of a build: read, cut and index, embed.

Each resumes from what is in the folder, and saves its work in batches. Of each file is noted what it gave, or why
nothing.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from medground.corpus import tables, vectors
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
    Retracts,
    fingerprint_now,
    within_limits,
)
from medground.corpus.snapshot import LEXICAL, Snapshot
from medground.corpus.tables import PassageRow
from medground.corpus.vectors import VectorWriter, copy_rows, write_index
from medground.corpus.writer import DatabaseWriter
from medground.errors import BadDocument
from medground.home.files import link, put
from medground.values.document import Document
from medground.values.steps import Progress, no_progress

_START = 1000
_NO_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Thai, Lao, Burmese and Khmer; Japanese, Chinese, Korean."""
_UNSEARCHED = "in a language that is not searched (Chinese, Japanese, Korean, Thai, Khmer, Burmese)"
_ITEMS = 1000
_ATTEMPTS = 3
_CHANGED = "the file changed while it was read; run the same command again when it is finished"


def read_inputs(database: DatabaseWriter, inputs: Sequence[Input], progress: Progress, *, strict: bool = False) -> int:
    """Read all inputs, resuming where the last run stopped. Returns how many documents were deleted by a record.

    A file that cannot be read is noted with its reason, and reading continues with the next.

    Raises BadDocument: with `strict`, a file cannot be read.
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
        """The items of the input from number `skip`. A file that changed meanwhile is read again."""
        source = self._source
        for attempt in range(1, _ATTEMPTS + 1):
            before, unsearched = self._state(), 0
            try:
                read = partial(source.read, skip)
                found = read() if source.refused else within_limits(read, source.name, apart=source.apart)
                for item in found:
                    unsearched += isinstance(item, Document) and _is_unsearched(item)
                    yield item
            except BadDocument as error:
                self._fail(error)
            except OSError as error:
                reason = f"cannot be read ({error.strerror or error})"
                self._fail(BadDocument(reason, file=self._source.name, passing=True))
            if before == self._state():
                if unsearched:
                    self._database.files.note(self._number, f"{_UNSEARCHED}: {unsearched:,} documents")
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


def _is_unsearched(document: Document) -> bool:
    """Whether a text is in a script that does not set its words apart, so that no word of it would be found."""
    start = document.text[:_START]
    return not start.isascii() and len(_NO_SPACES.findall(start)) > len(start) / 3


def _save_position(database: DatabaseWriter, current: int, position: int, deleted: int) -> None:
    for key, value in (("input", current), ("item", position), ("deleted", deleted)):
        database.set_state(key, value)
    database.commit()


_PASSAGES = 20_000
_TEXTS = 256


def copy_base(base: Snapshot | None, folder: Path) -> None:
    """Start from the documents and passages of an earlier snapshot."""
    target = folder / tables.FILE_NAME
    if base is None or target.exists():
        return
    copy = folder / f"{tables.FILE_NAME}.part"
    # SQLite would replay the journal of a copy that was killed into the new one.
    for left in folder.glob(f"{copy.name}*"):
        left.unlink()
    shutil.copyfile(base.folder / tables.FILE_NAME, copy)
    database = DatabaseWriter(copy)
    database.forget_state()
    database.finish()
    put(copy, target)


def cut_and_index(
    database: DatabaseWriter, base: Snapshot | None, folder: Path, limit: int, progress: Progress
) -> None:
    """Cut documents into passages, and add every passage to the word index."""
    if base is not None and not database.state("settled"):
        whole = database.close_gaps() == base.manifest.counts.passages and not database.state("amended")
        database.set_state("settled", 1 if whole else 2)
        database.commit()
    # If no passage was removed and no document changed, the word index of the earlier snapshot is reused and only new
    # passages are added. A deleted passage would still count in Tantivy's statistics, so equal snapshots could rank
    # differently.
    if base is not None and database.state("settled") == 1:
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
    total = database.passage_count()
    writer = VectorWriter(folder, embedder.dimensions, database.state("vectors"))
    try:
        if base is not None and base.manifest.embedding is not None:
            copy_rows(base.vectors(), database.kept_rows(), writer)
            _keep_vectors(database, writer)
        left = database.passages_from(writer.rows)
        while rows := [*islice(left, _TEXTS)]:
            writer.append(embed_passages(embedder, [embedded(row, document) for row, document in rows]))
            _keep_vectors(database, writer)
            progress("embed", writer.rows, total)
    finally:
        writer.close()
    index_vectors(folder, total, embedder, progress)


def index_vectors(folder: Path, total: int, embedder: Embedder, progress: Progress) -> None:
    """Give the vectors an index if they are many and have none."""
    if total > vectors.EXACT_LIMIT and not (folder / vectors.INDEX_NAME).exists():
        progress("index vectors", 0, None)
        write_index(folder, embedder.dimensions)


def _keep_vectors(database: DatabaseWriter, writer: VectorWriter) -> None:
    """Note how many vectors are on disk: after a power failure the file may be longer than what it holds."""
    writer.sync()
    database.set_state("vectors", writer.rows)
    database.commit()


def _checkpoint(database: DatabaseWriter, words: LexicalWriter, done: int, progress: Progress) -> None:
    """Commit at intervals. Passages are committed first: the word index must never be ahead of them."""
    if done % _PASSAGES == 0:
        database.commit()
        words.commit()
    if done % _ITEMS == 0:
        progress("index", done, None)


def embedded(row: PassageRow, document: Document) -> tuple[str, str]:
    """What is embedded of a passage: the title of its document, and its text."""
    return document.title, document.text[row.start : row.stop]


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
