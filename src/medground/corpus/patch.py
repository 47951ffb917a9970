"""Bring passages, words and vectors up to date where a new snapshot no longer has all passages of the one before."""

import contextlib
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count, islice
from typing import TypeVar

from medground.corpus.chunk import cuts
from medground.corpus.embedder import Embedder
from medground.corpus.lexical_fields import LexicalWriter
from medground.corpus.phases import index_vectors, link_tree, vectors_of
from medground.corpus.snapshot import LEXICAL, Snapshot
from medground.corpus.tables import PassageRow
from medground.corpus.writer import DatabaseWriter
from medground.values.steps import Progress

T = TypeVar("T")
_TEXTS = 256
_RENEW_ABOVE = 0.2
_RENEW_BELOW = 5000
"""A word index of fewer passages is made anew, which takes less than a second."""


@dataclass(frozen=True)
class Patched:
    """What the manifest says of the word index."""

    removed: int
    """Passages that it still counts in its statistics."""
    origin: str
    """Hash of the snapshot from which they were last removed, if there are any."""


def patch(
    database: DatabaseWriter, base: Snapshot, limit: int, embedder: Embedder | None, progress: Progress
) -> Patched:
    """Cut the new documents, give every passage a number, and bring words and vectors up to date.

    Nothing is committed meanwhile: one that was killed begins again.
    """
    freed = database.pending("freed")
    amended = {number: size for number in database.pending("amended") if (size := len(database.passages_of(number)))}
    origin = base.manifest.hash if freed or amended else base.manifest.origin
    if not database.state("patched"):
        removed = _patched(database, base, freed, amended, limit, embedder, progress)
        database.set_state("removed", removed)
        database.set_state("patched", 1)
    removed = database.state("removed")
    return Patched(removed, origin if removed else "")


def _patched(
    database: DatabaseWriter,
    base: Snapshot,
    freed: list[int],
    amended: Mapping[int, int],
    limit: int,
    embedder: Embedder | None,
    progress: Progress,
) -> int:
    folder = database.folder
    shutil.rmtree(folder / LEXICAL, ignore_errors=True)
    for path in folder.glob("vectors.*"):
        path.unlink()
    before = base.manifest.counts.passages
    removed = base.manifest.removed + len(freed)
    renewed = removed + sum(amended.values()) > _RENEW_ABOVE * before or before < _RENEW_BELOW
    numbers, added = chain(freed, count(before)), []
    for parent, document in database.uncut():
        rows = [PassageRow(next(numbers), parent, *place) for place in cuts(document, limit)]
        database.place(rows)
        added += [row.number for row in rows]
    total = database.passage_count()
    moving = database.fill([hole for hole in freed[len(added) :] if hole < total], total)
    if renewed:
        removed = 0
        with LexicalWriter.open(folder / LEXICAL) as words:
            for entry in database.passages_from(0):
                words.add(*entry)
            words.finish()
    else:
        link_tree(base.folder / LEXICAL, folder / LEXICAL)
        replaced = sorted({document for _, _, document in moving}.union(amended))
        removed += _write_words(database, replaced, added)
    progress("index", len(added), len(added))
    if embedder is not None:
        _patch_vectors(database, base, embedder, [(old, new) for old, new, _ in moving], added)
        index_vectors(folder, total, embedder, progress)
    return removed


def _write_words(database: DatabaseWriter, replaced: list[int], added: list[int]) -> int:
    """Remove what is gone and add what is new; returns how many passages were removed to be added again."""
    again = 0
    with LexicalWriter.open(database.folder / LEXICAL) as words:
        for document_id in database.pending("gone"):
            words.delete(document_id)
        for number in replaced:
            entries = database.passages_of(number)
            words.delete(entries[0][1].id)
            for entry in entries:
                words.add(*entry)
            again += len(entries)
        for entry in database.entries(added):
            words.add(*entry)
        words.finish()
    return again


def _patch_vectors(
    database: DatabaseWriter, base: Snapshot, embedder: Embedder, moved: list[tuple[int, int]], added: list[int]
) -> None:
    """Take over the vectors of the earlier snapshot, and give the new passages theirs."""
    import numpy as np

    from medground.corpus.vectors import ChangeWriter, VectorWriter, copy_rows, share

    folder = database.folder
    if base.manifest.embedding is None:
        with contextlib.closing(VectorWriter(folder, embedder.dimensions, 0)) as writer:
            for rows in _batches(database.passages_from(0)):
                writer.append(vectors_of(rows, embedder))
        return
    before = base.vectors()
    if not share(before, folder, len(moved) + len(added)):
        with contextlib.closing(VectorWriter(folder, embedder.dimensions, 0)) as writer:
            copy_rows(before, writer)
    with contextlib.closing(ChangeWriter(folder, embedder.dimensions, before.changed)) as changes:
        for some in _batches(moved):
            changes.put([new for _, new in some], before.take(np.array([old for old, _ in some], dtype=np.int64)))
        for rows in _batches(database.entries(added)):
            changes.put([row.number for row, _ in rows], vectors_of(rows, embedder))


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    left = iter(items)
    while some := [*islice(left, _TEXTS)]:
        yield some
