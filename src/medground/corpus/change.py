"""Change the current snapshot at the price of what changes: documents, their records, or the description alone.

The work is done in a copy next to it, which becomes the current snapshot in one step.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path

from medground.corpus import tables
from medground.corpus.build import described_files, finish, identity_check
from medground.corpus.chunk import cuts
from medground.corpus.embedder import Embedder, embed_passages
from medground.corpus.faults import writing
from medground.corpus.join import join_records, remembered, unite
from medground.corpus.lexical_fields import LexicalWriter
from medground.corpus.library import Library
from medground.corpus.manifest import FILE_NAME, InputEntry, Manifest
from medground.corpus.phases import copy_base, embedded, index_vectors, link_tree
from medground.corpus.records import Records
from medground.corpus.snapshot import LEXICAL, Snapshot
from medground.corpus.tables import PassageRow
from medground.corpus.writer import DatabaseWriter
from medground.errors import BadDocument
from medground.home.files import link
from medground.values.document import Document
from medground.values.source_plan import SourceDescription
from medground.values.steps import Progress, no_progress

_TEXTS = 256
_RENEW_ABOVE = 0.2


@dataclass
class Patched:
    """What became of the passages: the new ones, and for each that was moved, its number before and now."""

    added: list[tuple[PassageRow, Document]] = field(default_factory=list)
    moved: list[tuple[int, int]] = field(default_factory=list)
    removed: int = 0
    """Passages that the word index still counts, since it was made."""
    origin: str = ""
    """Hash of the snapshot from which passages were last removed, if the word index still counts any."""


def patch_passages(database: DatabaseWriter, base: Snapshot, folder: Path, limit: int) -> Patched:
    """Cut the new documents, give every passage a number, and bring the word index up to date."""
    freed = sorted(database.freed)
    amended = database.cut_and_amended()
    origin = base.manifest.hash if freed or amended else base.manifest.origin
    patched = Patched(removed=base.manifest.removed + len(freed), origin=origin)
    free = iter(freed)
    numbers = chain(free, count(base.manifest.counts.passages))
    for parent, document in database.uncut():
        for place in cuts(document, limit):
            patched.added.append((PassageRow(next(numbers), parent, *place), document))
    database.place(row for row, _ in patched.added)
    moving = database.fill(list(free))
    patched.moved = [(old, new) for old, new, _ in moving]
    replaced = {document for _, _, document in moving}.union(amended)
    total = database.passage_count()
    if patched.removed + sum(amended.values()) <= _RENEW_ABOVE * total:
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


_WORK = "building-change"


def changed(
    library: Library,
    base: Snapshot,
    records: Sequence[Records],
    *,
    read: Callable[[DatabaseWriter], int] = lambda database: 0,
    folder: Path | None = None,
    embedder: Embedder | None = None,
    progress: Progress = no_progress,
    anew: bool = False,
) -> Manifest:
    """The next snapshot of a corpus, of which the caller holds the lock: documents are read into a copy of `base`,
    joined with their records, cut and embedded.

    Args:
        read: changes the documents, and returns how many were deleted by a record.
        folder: the folder that was read, or None.
        anew: ask for the records of all documents, and not only of those that were not asked for.

    Raises ConfigError: the vectors of the corpus come from another embedding model, or no model is given; BadDocument:
    no document is left.
    """
    identity_check(base.name, base, embedder)
    with _work_folder(library, base.name) as work:
        work.mkdir()
        copy_base(base, work)
        database = DatabaseWriter(work / tables.FILE_NAME)
        try:
            deleted = read(database) + base.manifest.counts.deleted
            if database.count() == 0:
                why = "no readable document is left in the folder; remove the corpus to drop it"
                raise BadDocument(why, file=str(folder))
            unite(database)
            join_records(database, records, progress, base.manifest.enriched, anew=anew)
            manifest = _patched(database, base, records, deleted, folder, embedder, progress)
        finally:
            database.close()
        manifest = manifest.model_copy(update={"files": described_files(work, base)})
        return library.publish(base.name, work, manifest)


def enrich(
    library: Library,
    name: str,
    records: Sequence[Records] | None = None,
    *,
    embedder: Embedder | None = None,
    progress: Progress = no_progress,
) -> Manifest:
    """Ask the sources of records for all documents of a corpus, which remembers them; its files are not read again.

    `records` are asked in their order; by default those that the corpus remembers. With none at all, documents become
    as their files have them. The embedder is for documents that are given a title.

    Raises UsageError: the corpus does not exist, or another process is changing it; ConfigError: the vectors of the
    corpus come from another embedding model, or PubMed rejected the API key; SnapshotCorrupt: the current snapshot does
    not match its manifest; StorageFailed: writing to disk failed.
    """
    asked = remembered(library, name) if records is None else records
    with library.lock(name), library.built(name) as base:
        return changed(library, base, asked, embedder=embedder, progress=progress, anew=True)


def redescribed(library: Library, name: str, described: SourceDescription) -> Manifest:
    """Replace the description of a corpus; nothing is read or indexed again.

    Raises UsageError: no corpus has this name, or it is being built; SnapshotCorrupt: its manifest is damaged;
    StorageFailed: writing to disk failed.
    """
    with library.lock(name), _work_folder(library, name) as work:
        manifest = library.info(name).model_copy(update={"described": described})
        shutil.copytree(library.current(name), work, copy_function=link)
        (work / FILE_NAME).unlink()  # its link leads to that of the other snapshot
        return library.publish(name, work, manifest)


@contextlib.contextmanager
def _work_folder(library: Library, name: str) -> Iterator[Path]:
    """Where the next snapshot is made; nothing of it is left if that fails."""
    work = library.folder_of(name) / _WORK
    shutil.rmtree(work, ignore_errors=True)
    try:
        with writing(work):
            yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _patched(
    database: DatabaseWriter,
    base: Snapshot,
    records: Sequence[Records],
    deleted: int,
    folder: Path | None,
    embedder: Embedder | None,
    progress: Progress,
) -> Manifest:
    """Cut, index and embed what changed in the folder of the database; the manifest has no entries of files yet."""
    work, known = database.folder, base.manifest
    patched = patch_passages(database, base, work, known.chunk_limit)
    progress("index", len(patched.added), len(patched.added))
    counts = database.counts(deleted)
    if embedder is not None:
        patch_vectors(patched, counts.passages, base, work, embedder)
        index_vectors(work, counts.passages, embedder, progress)
    inputs = known.inputs
    if folder is not None:
        others = (entry for entry in inputs if entry.name != str(folder))
        inputs = (*others, *(InputEntry(name=str(folder), **group) for group in database.files.groups(str(folder))))
    for name in known.attachments:
        shutil.copyfile(base.folder / name, work / name)
    finished = finish(
        database,
        limit=known.chunk_limit,
        embedder=embedder,
        attached={name: known.files[name].sha256 for name in known.attachments},
        origin=patched.origin,
        records=records,
        counts=counts,
    )
    return known.model_copy(update={**finished, "removed": patched.removed, "inputs": inputs})
