"""Change a copy of the current snapshot at the price of what changes, and publish it in one step."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from medground.corpus import tables
from medground.corpus.build import identity_check
from medground.corpus.embedding.base import Embedder
from medground.corpus.faults import writing
from medground.corpus.joining.base import Records
from medground.corpus.joining.join import join_records
from medground.corpus.library import Library
from medground.corpus.manifest import Enriched, InputEntry, Manifest, describe_files, read_manifest, write_manifest
from medground.corpus.patch import patch_passages, patch_vectors
from medground.corpus.phases import copy_base
from medground.corpus.snapshot import LEXICAL, Snapshot
from medground.corpus.vectors import EXACT_LIMIT, INDEX_NAME, write_index
from medground.corpus.writer import DatabaseWriter
from medground.durable import sync_tree
from medground.errors import BadDocument
from medground.progress import Progress, no_progress

_WORK = "building-sync"


def changed(
    library: Library,
    base: Snapshot,
    records: Sequence[Records],
    *,
    read: Callable[[DatabaseWriter], int] = lambda database: 0,
    folder: Path | None = None,
    embedder: Embedder | None = None,
    progress: Progress = no_progress,
    exact_limit: int = EXACT_LIMIT,
    anew: bool = False,
) -> Manifest:
    """The next snapshot of a corpus: documents are read into a copy, joined with their records, cut and embedded.

    Args:
        library: where the corpus is; the caller holds its lock.
        base: its current snapshot.
        records: the sources of records, in the order in which they are asked.
        read: changes the documents, and returns how many were deleted by a record.
        folder: the folder that was read, or None.
        embedder: the model of its vectors.
        progress: called as the work advances.
        exact_limit: with more passages than this, the vectors get an index.
        anew: ask for the records of all documents, and not only of those that were not asked for.

    Raises:
        ConfigError: the vectors of the corpus come from another embedding model, or no model is given.
        BadDocument: no document is left.
        StorageFailed: writing to disk failed.
    """
    identity_check(base.name, base, embedder)
    work = library.folder_of(base.name) / _WORK
    shutil.rmtree(work, ignore_errors=True)
    try:
        with writing(work):
            work.mkdir()
            copy_base(base, work)
            database = DatabaseWriter(work / tables.FILE_NAME)
            try:
                manifest = _patched(database, base, records, read, folder, embedder, progress, exact_limit, anew=anew)
            finally:
                database.close()
            manifest = manifest.model_copy(
                update={"files": describe_files(work, base.manifest.files, base.folder, LEXICAL, INDEX_NAME)}
            )
            write_manifest(work, manifest)
            sync_tree(work)
            return read_manifest(library.publish(base.name, work, manifest))
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _patched(
    database: DatabaseWriter,
    base: Snapshot,
    records: Sequence[Records],
    read: Callable[[DatabaseWriter], int],
    folder: Path | None,
    embedder: Embedder | None,
    progress: Progress,
    exact_limit: int,
    *,
    anew: bool,
) -> Manifest:
    """Make the changes in the folder of the database; the manifest has no entries of files yet."""
    work = database.folder
    deleted = read(database) + base.manifest.counts.deleted
    if database.count() == 0:
        raise BadDocument("no readable document is left in the folder; remove the corpus to drop it", file=str(folder))
    join_records(database, records, progress, base.manifest.enriched, anew=anew)
    patched = patch_passages(database, base, work, base.manifest.chunk_limit)
    progress("index", len(patched.added), len(patched.added))
    counts, total = database.counts(deleted), database.passage_count()
    if embedder is not None:
        patch_vectors(patched, total, base, work, embedder)
        if total > exact_limit:
            progress("index vectors", 0, None)
            write_index(work, embedder.dimensions)
    for name in base.manifest.attachments:
        shutil.copyfile(base.folder / name, work / name)
    identity = "" if embedder is None else embedder.identity
    settings = ["1", str(base.manifest.chunk_limit), identity]
    settings += [f"{name}:{base.manifest.files[name].sha256}" for name in base.manifest.attachments]
    enriched = tuple(Enriched(name=one.name, source=one.source, state=one.state) for one in records)
    update = {
        "hash": database.digest([*settings, patched.origin] if patched.origin else settings),
        "created": datetime.now(UTC),
        "made_by": f"medground {version('medground')}",
        "counts": counts,
        "inputs": base.manifest.inputs if folder is None else _inputs(base, database, str(folder)),
        "removed": patched.removed,
        "origin": patched.origin,
        "sources": database.sources(enriched),
        "enriched": enriched,
    }
    database.finish()
    return base.manifest.model_copy(update=update)


def _inputs(base: Snapshot, database: DatabaseWriter, folder: str) -> tuple[InputEntry, ...]:
    others = (entry for entry in base.manifest.inputs if entry.name != folder)
    return (*others, *(InputEntry(name=folder, **group) for group in database.files.groups(folder)))
