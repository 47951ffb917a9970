"""Keep a corpus as its folder is: add what is new, replace what changed, remove what went.

The snapshot itself knows which files it holds and how they were, so nothing else has to be kept. The work is done in a
copy that becomes the current snapshot in one step: killed at any moment, the corpus is as it was, and the next run
does what was not done.
"""

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from medground.corpus.build import Plan, add, build, identity_check, make
from medground.corpus.embedder import Embedder
from medground.corpus.faults import writing
from medground.corpus.join import remembered
from medground.corpus.library import Library
from medground.corpus.manifest import FILE_NAME, InputEntry, Manifest
from medground.corpus.phases import FileReading
from medground.corpus.readers.base import Input, fingerprint_now
from medground.corpus.readers.every import find_inputs, open_file, passed_over, survey
from medground.corpus.readers.folders import in_release_order
from medground.corpus.records import Records
from medground.corpus.snapshot import Snapshot
from medground.corpus.tables import KnownFile
from medground.corpus.writer import DatabaseWriter
from medground.errors import BadDocument, UsageError
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
    identity_check(base, embedder)
    known = base.manifest

    def read_some(database: DatabaseWriter) -> int:
        deleted = read(database)
        if database.count() == 0:
            why = "no readable document is left in the folder; remove the corpus to drop it"
            raise BadDocument(why, file=folder)
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
        manifest = library.info(name).replace(described=described)
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


_MANY = 2000
"""Up to this many new files, their documents are held in memory while the snapshot is patched."""


@dataclass(frozen=True)
class Changes:
    """Which files of a folder are not in the corpus as they are now, by name in the order of reading."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """Files with another size or time."""
    again: tuple[str, ...] = ()
    """Files that could not be read before, for a reason that may have passed."""
    gone: tuple[str, ...] = ()
    same: int = 0
    """How many are as they were."""
    unjoined: int = 0
    """How many documents a source of records is still to be asked for."""

    @property
    def any(self) -> bool:
        """Whether there is something to do."""
        return bool(self.new or self.changed or self.again or self.gone or self.unjoined)


def sync(
    library: Library,
    name: str,
    folder: Path,
    *,
    embedder: Embedder | None = None,
    progress: Progress = no_progress,
    records: Sequence[Records] | None = None,
) -> tuple[Manifest, Changes]:
    """Bring a corpus up to date with a folder; builds it if it does not exist. Other files of the corpus stay.

    A retraction that was read stays, even if the notice's file goes. Documents are joined with `records`, or else with
    those of the sources that the corpus remembers: those that are new, those for which a source could not be asked,
    and all of them where a source has changed.

    Raises UsageError: the folder does not exist, or another process is changing the corpus; ConfigError: the vectors of
    the corpus come from another embedding model, or no model is given; BadDocument: the corpus does not exist and
    nothing can be read; SnapshotCorrupt: the current snapshot does not match its manifest; StorageFailed: writing to
    disk failed.
    """
    folder = folder.resolve()
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; name the folder that the corpus is to follow")
    if not library.has(name):
        inputs = find_inputs([folder])
        made = build(library, name, inputs, embedder=embedder, progress=progress, records=records or ())
        return made, Changes(new=tuple(one.name for one in inputs))
    asked = remembered(library, name) if records is None else records
    with library.built(name) as base:
        known = base.known_files(str(folder))
    beside = frozenset(file.reader for file in known.values() if not file.failed)
    fresh = [(path, refusal) for path, refusal in survey(folder) if str(path) not in known]
    new = [_opened(path, folder, why, beside) for path, why in fresh] if len(fresh) > _MANY else []
    if new:  # `add` streams and resumes
        add(library, name, new, embedder=embedder, progress=progress, records=asked)
    with library.lock(name), library.built(name) as base:
        identity_check(base, embedder)
        refused = {str(path): refusal for path, refusal in survey(folder)}
        unjoined = base.unjoined({one.source: one.state for one in asked})
        changes = replace(_changes(base.known_files(str(folder)), refused), unjoined=unjoined)
        manifest = base.manifest
        if changes.any:
            manifest = changed(
                library,
                base,
                asked,
                read=lambda database: _read(database, folder, changes, refused, progress),
                folder=folder,
                embedder=embedder,
                progress=progress,
            )
    names = tuple(one.name for one in new)
    return manifest, replace(changes, new=(*names, *changes.new), same=changes.same - len(names))


def updated(
    library: Library, name: str, inputs: Sequence[Input], updates: Sequence[Input], *, limit: int, **options: Any
) -> Manifest | None:
    """Build a corpus from inputs and their updates; or, where it has these inputs, add the updates that it has not.

    Returns None if it has all of them. Takes what `build` and `add` take, and raises what they raise.
    """
    known: dict[str, str] = {}
    if updates and library.has(name):
        with library.built(name) as base:
            known = {file.name: file.fingerprint for file in base.known_files().values()}
    lacking, new = (
        [one for one in some if one.refused is None and known.get(one.name) != one.fingerprint]
        for some in (inputs, updates)
    )
    if lacking or not known:
        return build(library, name, in_release_order([*inputs, *updates]), limit=limit, **options)
    return add(library, name, new, **options) if new else None


def _opened(path: Path, folder: Path | None, refusal: BadDocument | None, beside: frozenset[str]) -> Input:
    return open_file(path, folder, beside=beside) if refusal is None else passed_over(refusal, folder)


def _changes(known: Mapping[str, KnownFile], now: Mapping[str, BadDocument | None]) -> Changes:
    found: dict[str, list[str]] = {"new": [], "changed": [], "again": []}
    for name, refusal in now.items():
        before = known.get(name)
        if before is None:
            found["new"].append(name)
        elif refusal is not None and before.failed:
            continue  # a hidden folder, a link or an alien: what is in it does not matter
        elif before.fingerprint != fingerprint_now(Path(name)):
            found["changed"].append(name)
        elif before.failed and (before.passing or before.made_by != version("medground")):
            found["again"].append(name)
    gone = tuple(name for name in known if name not in now)
    same = len(now) - sum(map(len, found.values()))
    return Changes(tuple(found["new"]), tuple(found["changed"]), tuple(found["again"]), gone, same)


def _read(
    database: DatabaseWriter,
    folder: Path,
    changes: Changes,
    refused: Mapping[str, BadDocument | None],
    progress: Progress,
) -> int:
    """Forget the files that went or changed, and read what is new. Returns how many documents a record deleted."""
    known = database.files.known()
    beside = frozenset(file.reader for file in known.values() if file.folder == str(folder) and not file.failed)
    stale = [name for name in (*changes.gone, *changes.changed, *changes.again) if name in known]
    sharing: dict[str, None] = {}
    given: list[str] = []
    for name in stale:
        number = known[name].number
        own = database.files.given_by(number)
        given += own
        own = [*own, *database.files.withdrawn_by(number)]  # other files may have what this one deleted
        sharing.update(dict.fromkeys(database.files.others_with(own, number)))
        database.files.clear(number)
        if name in changes.gone:
            database.files.remove(number)
    wanted = {*changes.new, *changes.changed, *changes.again}
    also = [name for name in sharing if name not in wanted and name not in stale]  # they hold what another file gave
    deleted = 0
    for done, name in enumerate([*(name for name in refused if name in wanted), *also], start=1):
        place: Path | None = folder
        if name in also:  # it was read before, and perhaps in another folder
            database.files.clear(known[name].number, holds=False)
            place = Path(found) if (found := known[name].folder) else None
        file = FileReading(database, _opened(Path(name), place, refused.get(name), beside), progress=progress)
        deleted += sum(file.apply(item) for item in file.items())
        progress("read", done, None)
    for document_id in given:
        if database.files.kept_from(document_id) is None:  # no file holds it any more
            database.delete(document_id)
    return deleted
