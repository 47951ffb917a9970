"""The phases of a build. Each resumes from what is already in the folder, and saves its work in batches."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from medground.corpus import tables, vectors
from medground.corpus.chunk import chunk
from medground.corpus.embedder import Embedder, embed_passages
from medground.corpus.faults import UnfinishedDamaged, resuming
from medground.corpus.lexical import LexicalWriter
from medground.corpus.snapshot import LEXICAL, Snapshot
from medground.corpus.tables import PassageRow
from medground.corpus.vectors import VectorWriter, copy_rows, write_index
from medground.corpus.writer import DatabaseWriter
from medground.home.files import put, sync
from medground.values.document import Document
from medground.values.steps import Progress

_ITEMS = 1000
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
    # An index of before documents had metadata is made anew, too.
    if base is not None and base.has_metadata and database.state("settled") == 1:
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
            for row in database.add_passages(number, parent, chunk(document, limit)):
                words.add(row, document)
                number += 1
                _checkpoint(database, words, number, progress)
        database.commit()
        words.finish()
    progress("index", number, number)


def embed(
    database: DatabaseWriter,
    base: Snapshot | None,
    folder: Path,
    embedder: Embedder,
    progress: Progress,
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


def link(source: Path | str, target: Path | str) -> None:
    """Files of a snapshot never change, so that two snapshots may share them; a disk without links gets a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
        sync(Path(target))


# Change the passages, words and vectors of a snapshot's copy at the price of what changed.

_RENEW_ABOVE = 0.2


@dataclass
class Patched:
    """What became of the passages.

    Attributes:
        added: new passages with their documents.
        moved: for each passage that was moved, its number before and now.
        removed: passages that the word index still counts, since it was made.
        origin: hash of the snapshot from which passages were last removed, if the word index still counts any.
    """

    added: list[tuple[PassageRow, Document]] = field(default_factory=list)
    moved: list[tuple[int, int]] = field(default_factory=list)
    removed: int = 0
    origin: str = ""


def patch_passages(database: DatabaseWriter, base: Snapshot, folder: Path, limit: int) -> Patched:
    """Cut the new documents, give every passage a number, and bring the word index up to date."""
    freed = sorted(database.freed)
    amended = database.cut_and_amended()
    origin = base.manifest.hash if freed or amended else base.manifest.origin
    patched = Patched(removed=base.manifest.removed + len(freed), origin=origin)
    free = iter(freed)
    following = base.manifest.counts.passages
    for parent, document in database.uncut():
        for passage in chunk(document, limit):
            number = next(free, None)
            if number is None:
                number, following = following, following + 1
            row = PassageRow(number, parent, passage.start, passage.end, passage.section)
            patched.added.append((row, document))
    database.place(row for row, _ in patched.added)
    moving = database.fill(list(free))
    patched.moved = [(old, new) for old, new, _ in moving]
    replaced = {document for _, _, document in moving}.union(amended)
    total = database.passage_count()
    if base.has_metadata and patched.removed + sum(amended.values()) <= _RENEW_ABOVE * total:
        link_tree(base.folder / LEXICAL, folder / LEXICAL)
        again = [entry for document in sorted(replaced) for entry in database.passages_of(document)]
        gone = [*database.gone, *dict.fromkeys(document.id for _, document in again)]
        _write_words(folder, gone, [*patched.added, *again])
        patched.removed += len(again)  # moved passages are removed, and added under their new numbers
    else:
        _write_words(folder, (), database.passages_from(0))
        patched.removed, patched.origin = 0, ""
    return patched


def patch_vectors(patched: Patched, total: int, base: Snapshot, folder: Path, embedder: Embedder) -> None:
    """Copy the vectors of the earlier snapshot, and give the new passages theirs; `total` is the number of passages."""
    import numpy as np

    from medground.corpus.vectors import FILE_NAME, check_vectors

    before = base.vectors()
    shutil.copyfile(base.folder / FILE_NAME, folder / FILE_NAME)
    row = 2 * embedder.dimensions
    with (folder / FILE_NAME).open("r+b") as file:

        def write(numbers: Iterable[int], vectors: np.typing.NDArray[np.floating]) -> None:
            for number, vector in zip(numbers, np.ascontiguousarray(vectors, dtype="<f2"), strict=True):
                file.seek(number * row)
                file.write(vector.tobytes())

        for first in range(0, len(patched.moved), _TEXTS):
            moved = patched.moved[first : first + _TEXTS]
            write([new for _, new in moved], before.take(np.array([old for old, _ in moved], dtype=np.int64)))
        for first in range(0, len(patched.added), _TEXTS):
            added = patched.added[first : first + _TEXTS]
            made = embed_passages(embedder, [embedded(one, document) for one, document in added])
            check_vectors(made, embedder.dimensions)
            write([one.number for one, _ in added], made)
        file.truncate(total * row)


def _write_words(folder: Path, gone: Iterable[str], entries: Iterable[tuple[PassageRow, Document]]) -> None:
    with LexicalWriter.open(folder / LEXICAL) as words:
        for document_id in gone:
            words.delete(document_id)
        for row, document in entries:
            words.add(row, document)
        words.finish()
