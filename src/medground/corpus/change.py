"""Change the current snapshot at the price of what changes: documents, their records, or the description alone.

The work is done in a copy next to it, which becomes the current snapshot in one step.
"""

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from medground.corpus.build import Plan, identity_check, make
from medground.corpus.embedder import Embedder
from medground.corpus.faults import writing
from medground.corpus.join import remembered
from medground.corpus.library import Library
from medground.corpus.manifest import FILE_NAME, InputEntry, Manifest
from medground.corpus.records import Records
from medground.corpus.snapshot import Snapshot
from medground.corpus.writer import DatabaseWriter
from medground.errors import BadDocument
from medground.home.files import link
from medground.values.source_plan import SourceDescription
from medground.values.steps import Progress, no_progress

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
    known = base.manifest

    def read_some(database: DatabaseWriter) -> int:
        deleted = read(database)
        if database.count() == 0:
            why = "no readable document is left in the folder; remove the corpus to drop it"
            raise BadDocument(why, file=str(folder))
        return deleted

    def inputs(database: DatabaseWriter) -> Iterable[InputEntry]:
        if folder is None:
            return known.inputs
        others = (entry for entry in known.inputs if entry.name != str(folder))
        return [*others, *(InputEntry(name=str(folder), **group) for group in database.files.groups(str(folder)))]

    plan = Plan(
        library, base.name, (), embedder, {}, progress, known.chunk_limit, base, False, records, known.described, None
    )
    with _work_folder(library, base.name) as work:
        work.mkdir()
        return make(plan, work, read_some, inputs, anew=anew)


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
