"""Make a snapshot: read, cut and index, embed, publish. Every phase can be killed and goes on where it was.

Work happens in a folder beside the finished snapshots, named after the inputs and settings, so the same command
finds it again. It is renamed to a snapshot when all of it is on disk: nobody ever opens half of one.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from medground.corpus import tables
from medground.corpus.embedding.base import Embedder
from medground.corpus.faults import writing
from medground.corpus.library import Library
from medground.corpus.manifest import (
    EmbeddingEntry,
    InputEntry,
    Manifest,
    describe_files,
    hash_file,
    sync_files,
    write_manifest,
)
from medground.corpus.phases import cut_and_index, embed, read_inputs, take_over
from medground.corpus.readers.base import Input
from medground.corpus.snapshot import Snapshot
from medground.corpus.tables import RowDamaged
from medground.corpus.vectors import EXACT_LIMIT
from medground.corpus.writer import DatabaseWriter
from medground.errors import BadDocument, ConfigError, StorageFailed, UsageError
from medground.progress import Progress, no_progress

Attachment = Callable[[Path], None]
"""Writes one file of a snapshot, at the path given."""

DEFAULT_LIMIT = 1000
_ATTACHMENT = re.compile(r"[a-z0-9][a-z0-9_-]{0,40}\.[a-z0-9]{1,10}")
_OWN_FILES = {"documents.sqlite", "vectors.f16", "vectors.faiss", "manifest.json"}


def build(
    library: Library,
    name: str,
    inputs: Sequence[Input],
    *,
    embedder: Embedder | None = None,
    attachments: Mapping[str, Attachment] | None = None,
    progress: Progress = no_progress,
    limit: int = DEFAULT_LIMIT,
    exact_limit: int = EXACT_LIMIT,
) -> Manifest:
    """Build a corpus from its inputs, in place of the one that has the name now. Memory does not grow with it.

    Args:
        library: where it goes.
        name: its name.
        inputs: what to read, in order; a later document replaces an earlier one of the same id.
        embedder: makes the vectors; without one the corpus is searched by words alone.
        attachments: further files by name, such as `graph.sqlite`.
        progress: hears how far it is.
        limit: most characters of a passage.
        exact_limit: with more passages than this, an index for the vectors is made.

    Raises:
        UsageError: a wrong name or limit, no inputs, or another process builds this corpus.
        BadDocument: nothing can be read from the inputs, or one of them is not what it claims.
        StorageFailed: the disk refuses.
    """
    if limit < 1:
        raise UsageError(f"a passage needs at least 1 character, not {limit}")
    plan = _Plan(library, name, tuple(inputs), embedder, dict(attachments or {}), progress, limit, exact_limit, None)
    with library.lock(name):
        return _run(plan)


def add(
    library: Library,
    name: str,
    inputs: Sequence[Input],
    *,
    embedder: Embedder | None = None,
    attachments: Mapping[str, Attachment] | None = None,
    progress: Progress = no_progress,
    exact_limit: int = EXACT_LIMIT,
) -> Manifest:
    """Add inputs to a corpus: a new snapshot takes over what the current one holds, with the same promises as `build`.

    Documents of an id that is there already are replaced; deletions and retractions in the inputs are applied.

    Raises:
        UsageError: there is no such corpus, no inputs, or another process builds it.
        ConfigError: the corpus has vectors of another embedding model, or none is given.
        BadDocument: an input is not what it claims.
        SnapshotCorrupt: the current snapshot differs from its manifest.
        StorageFailed: the disk refuses.
    """
    with library.lock(name), library.open(name) as base:
        base.verify()
        had = base.manifest.embedding
        if had is not None and (embedder is None or embedder.identity != had.identity):
            now = "none" if embedder is None else embedder.identity
            raise ConfigError(
                f"corpus {name} has vectors of {had.identity}, the embedding model now is {now}; "
                f"add with --embed {had.name}, or build the corpus again"
            )
        limit = base.manifest.chunk_limit
        plan = _Plan(
            library, name, tuple(inputs), embedder, dict(attachments or {}), progress, limit, exact_limit, base
        )
        return _run(plan)


@dataclass(frozen=True)
class _Plan:
    """All that one build needs."""

    library: Library
    name: str
    inputs: tuple[Input, ...]
    embedder: Embedder | None
    attachments: Mapping[str, Attachment]
    progress: Progress
    limit: int
    exact_limit: int
    base: Snapshot | None

    @property
    def settings(self) -> list[str]:
        """What shapes a snapshot beside its documents."""
        identity = "" if self.embedder is None else self.embedder.identity
        return ["1", str(self.limit), identity]

    @property
    def key(self) -> str:
        """The same command has the same key."""
        inputs = [(i.name, i.reader, i.fingerprint) for i in self.inputs]
        base = "" if self.base is None else self.base.manifest.hash
        content = (self.settings, inputs, base, sorted(self.attachments), self.exact_limit, version("medground"))
        return hashlib.sha256(repr(content).encode()).hexdigest()[:16]


def _run(plan: _Plan) -> Manifest:
    for wrong in (n for n in plan.attachments if not _ATTACHMENT.fullmatch(n) or n in _OWN_FILES):
        raise UsageError(f"{wrong!r} cannot be the name of an attachment; use one such as graph.sqlite")
    if not plan.inputs:
        raise UsageError(f"nothing to read for corpus {plan.name}; name at least one file or folder")
    folder = _working_folder(plan)
    try:
        with writing(folder):
            return _phases(plan, folder)
    except (sqlite3.DatabaseError, RowDamaged) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise StorageFailed(
            f"{folder}: the unfinished build was damaged and is dropped; run the same command again to start anew"
        ) from error
    except BadDocument:
        shutil.rmtree(folder, ignore_errors=True)
        if not any(folder.parent.iterdir()):
            folder.parent.rmdir()
        raise


def _working_folder(plan: _Plan) -> Path:
    """The folder of this very build, with what an interrupted run has left; those of other builds are dropped."""
    parent = plan.library.folder_of(plan.name)
    folder = parent / f"building-{plan.key}"
    with writing(parent):
        for other in parent.glob("building-*"):
            if other != folder:
                shutil.rmtree(other)
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _phases(plan: _Plan, folder: Path) -> Manifest:
    take_over(plan.base, folder)
    database = DatabaseWriter(folder / tables.FILE_NAME)
    try:
        deleted = read_inputs(database, plan.inputs, plan.progress)
        if database.count() == 0:
            raise _nothing_readable(plan, database)
        cut_and_index(database, plan.base, folder, plan.limit, plan.progress)
        if plan.embedder is not None:
            embed(database, plan.base, folder, plan.embedder, plan.progress, plan.exact_limit)
        attached = _attach(plan, folder)
        counts = database.counts(deleted + (plan.base.manifest.counts.deleted if plan.base else 0))
        digest = database.digest([*plan.settings, *(f"{n}:{hash_file(folder / n)}" for n in attached)])
        database.finish()
    finally:
        database.close()
    plan.progress("finish", 0, None)
    manifest = Manifest(
        name=plan.name,
        hash=digest,
        created=datetime.now(UTC),
        made_by=f"medground {version('medground')}",
        counts=counts,
        inputs=_inputs(plan),
        chunk_limit=plan.limit,
        embedding=_embedding(plan.embedder),
        attachments=attached,
        files=describe_files(folder),
    )
    write_manifest(folder, manifest)
    sync_files(folder)
    published = plan.library.publish(plan.name, folder, digest)
    return Snapshot.open(published).manifest


def _nothing_readable(plan: _Plan, database: DatabaseWriter) -> BadDocument:
    first = database.first_skipped()
    why = f"; the first problem: {first}" if first else ""
    return BadDocument(f"no readable document in {', '.join(i.name for i in plan.inputs[:3])}{why}")


def _attach(plan: _Plan, folder: Path) -> tuple[str, ...]:
    """Write the attachments and take over those of the base."""
    there = () if plan.base is None else plan.base.manifest.attachments
    kept = [(plan.base.folder / n, n) for n in there if plan.base is not None and n not in plan.attachments]
    for source, name in kept:
        shutil.copyfile(source, folder / name)
    for name, write in plan.attachments.items():
        plan.progress(f"write {name}", 0, None)
        (folder / name).unlink(missing_ok=True)
        write(folder / name)
    return tuple(sorted([*(name for _, name in kept), *plan.attachments]))


def _inputs(plan: _Plan) -> tuple[InputEntry, ...]:
    before = () if plan.base is None else plan.base.manifest.inputs
    read = (InputEntry(name=i.name, reader=i.reader, fingerprint=i.fingerprint, license=i.license) for i in plan.inputs)
    return tuple(dict.fromkeys([*before, *read]))


def _embedding(embedder: Embedder | None) -> EmbeddingEntry | None:
    if embedder is None:
        return None
    return EmbeddingEntry(name=embedder.name, identity=embedder.identity, dimensions=embedder.dimensions)
