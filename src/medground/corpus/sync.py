"""Keep a corpus as its folder is: add what is new, replace what changed, remove what went.

The snapshot itself knows which files it holds and how they were, so nothing else has to be kept. The work is done in a
copy that becomes the current snapshot in one step: killed at any moment, the corpus is as it was, and the next run
does what was not done.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from medground.corpus import tables
from medground.corpus.build import add, build, identity_check
from medground.corpus.embedding.base import Embedder
from medground.corpus.faults import writing
from medground.corpus.file_table import KnownFile
from medground.corpus.library import Library
from medground.corpus.manifest import InputEntry, Manifest, describe_files, sync_files, write_manifest
from medground.corpus.patch import patch_passages, patch_vectors
from medground.corpus.phases import copy_base
from medground.corpus.readers import find_inputs, open_file, passed_over, survey
from medground.corpus.readers.files import fingerprint
from medground.corpus.reading import FileReading
from medground.corpus.snapshot import LEXICAL, Snapshot
from medground.corpus.vectors import EXACT_LIMIT, INDEX_NAME, write_index
from medground.corpus.writer import DatabaseWriter
from medground.errors import BadDocument, UsageError
from medground.progress import Progress, no_progress

_WORK = "building-sync"
_MANY = 2000
"""Up to this many new files, their documents are held in memory while the snapshot is patched."""


@dataclass(frozen=True)
class Changes:
    """Which files of a folder are not in the corpus as they are now, by name in the order of reading.

    Attributes:
        new: files that the corpus does not have.
        changed: files with another size or time.
        again: files that could not be read before, for a reason that may have passed.
        gone: files that are no longer in the folder.
        same: how many are as they were.
    """

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    same: int = 0

    @property
    def any(self) -> bool:
        """Whether there is something to do."""
        return bool(self.new or self.changed or self.again or self.gone)


def sync(
    library: Library,
    name: str,
    folder: Path,
    *,
    embedder: Embedder | None = None,
    progress: Progress = no_progress,
    exact_limit: int = EXACT_LIMIT,
) -> tuple[Manifest, Changes]:
    """Bring a corpus up to date with a folder; builds it if it does not exist. Other files of the corpus stay.

    A retraction that was read stays, even if the notice's file goes.

    Raises:
        UsageError: the folder does not exist, or another process is changing the corpus.
        ConfigError: the vectors of the corpus come from another embedding model, or no model is given.
        BadDocument: the corpus does not exist and nothing can be read.
        SnapshotCorrupt: the current snapshot does not match its manifest.
        StorageFailed: writing to disk failed.
    """
    folder = folder.resolve()
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; name the folder that the corpus is to follow")
    if not library.has(name):
        inputs = find_inputs([folder])
        manifest = build(library, name, inputs, embedder=embedder, progress=progress, exact_limit=exact_limit)
        return manifest, Changes(new=tuple(one.name for one in inputs))
    new = _many_new(library, name, folder)
    if new:  # `add` streams and resumes
        inputs = [open_file(Path(path), folder) if not why else passed_over(why, folder) for path, why in new.items()]
        add(library, name, inputs, embedder=embedder, progress=progress, exact_limit=exact_limit)
        manifest, changes = sync(library, name, folder, embedder=embedder, progress=progress, exact_limit=exact_limit)
        return manifest, replace(changes, new=(*new, *changes.new), same=changes.same - len(new))
    with library.lock(name), library.open(name) as base:
        identity_check(name, base, embedder)
        refused = {str(path): refusal for path, refusal in survey(folder)}
        changes = _changes(base.known_files(str(folder)), refused)
        if not changes.any:
            return base.manifest, changes
        work = library.folder_of(name) / _WORK
        shutil.rmtree(work, ignore_errors=True)
        try:
            with writing(work):
                work.mkdir()
                manifest = _patched(base, work, folder, changes, refused, embedder, progress, exact_limit)
                return Snapshot.open(library.publish(name, work, manifest)).manifest, changes
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _many_new(library: Library, name: str, folder: Path) -> Mapping[str, BadDocument | None]:
    """The new files of a folder if they are many, and why some of them are passed over; else nothing."""
    with library.open(name) as base:
        known = base.known_files(str(folder))
    new = {str(path): refusal for path, refusal in survey(folder) if str(path) not in known}
    return new if len(new) > _MANY else {}


def _changes(known: Mapping[str, KnownFile], now: Mapping[str, BadDocument | None]) -> Changes:
    new: list[str] = []
    changed: list[str] = []
    again: list[str] = []
    for name, refusal in now.items():
        before = known.get(name)
        if before is None:
            new.append(name)
        elif refusal is not None and before.failed:
            continue  # a hidden folder, a link or an alien: what is in it does not matter
        elif before.fingerprint != _state(name):
            changed.append(name)
        elif before.failed and (before.passing or before.made_by != version("medground")):
            again.append(name)
    gone = tuple(name for name in known if name not in now)
    same = len(now) - len(new) - len(changed) - len(again)
    return Changes(tuple(new), tuple(changed), tuple(again), gone, same)


def _state(name: str) -> str:
    try:
        return fingerprint(Path(name))
    except BadDocument:
        return ""


def _patched(
    base: Snapshot,
    work: Path,
    folder: Path,
    changes: Changes,
    refused: Mapping[str, BadDocument | None],
    embedder: Embedder | None,
    progress: Progress,
    exact_limit: int,
) -> Manifest:
    """The snapshot with these changes, in the folder `work`."""
    copy_base(base, work)
    database = DatabaseWriter(work / tables.FILE_NAME)
    try:
        deleted = _read(database, folder, changes, refused, progress) + base.manifest.counts.deleted
        if database.count() == 0:
            raise BadDocument(
                "no readable document is left in the folder; remove the corpus to drop it", file=str(folder)
            )
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
        digest = database.digest([*settings, patched.origin] if patched.origin else settings)
        sources = database.files.digest()
        others = (entry for entry in base.manifest.inputs if entry.name != str(folder))
        read = (InputEntry(name=str(folder), **group) for group in database.files.groups(str(folder)))
        inputs = (*others, *read)
        database.finish()
    finally:
        database.close()
    manifest = base.manifest.model_copy(
        update={
            "hash": digest,
            "created": datetime.now(UTC),
            "made_by": f"medground {version('medground')}",
            "counts": counts,
            "inputs": inputs,
            "removed": patched.removed,
            "origin": patched.origin,
            "sources": sources,
            "files": describe_files(work, base.manifest.files, base.folder, LEXICAL, INDEX_NAME),
        }
    )
    write_manifest(work, manifest)
    sync_files(work)
    return manifest


def _read(
    database: DatabaseWriter,
    folder: Path,
    changes: Changes,
    refused: Mapping[str, BadDocument | None],
    progress: Progress,
) -> int:
    """Forget the files that went or changed, and read what is new. Returns how many documents a record deleted."""
    known = database.files.known()
    stale = [name for name in (*changes.gone, *changes.changed, *changes.again) if name in known]
    sharing: dict[str, None] = {}
    given: list[str] = []
    for name in stale:
        number = known[name].number
        own = database.files.given_by(number)
        given += own
        sharing.update(dict.fromkeys(database.files.others_with(own, number)))
        database.files.clear(number)
        if name in changes.gone:
            database.files.remove(number)
    wanted = {*changes.new, *changes.changed, *changes.again}
    also = [name for name in sharing if name not in wanted and name not in stale]  # they hold what another file gave
    deleted = 0
    for done, name in enumerate([*(name for name in refused if name in wanted), *also], start=1):
        deleted += _read_file(database, name, known.get(name), folder, refused.get(name), progress, again=name in also)
        progress("read", done, None)
    for document_id in given:
        if database.files.kept_from(document_id) is None:  # no file holds it any more
            database.delete(document_id)
    return deleted


def _read_file(
    database: DatabaseWriter,
    name: str,
    known: KnownFile | None,
    folder: Path,
    refusal: BadDocument | None,
    progress: Progress,
    *,
    again: bool,
) -> int:
    place = Path(known.folder) if again and known and known.folder else None if again else folder
    source = open_file(Path(name), place) if refusal is None else passed_over(refusal, place)
    if again and known is not None:
        database.files.clear(known.number, holds=False)
    file = FileReading(database, source, progress=progress)
    return sum(file.apply(item) for item in file.items())
