"""Build a snapshot: read, cut and index, embed, publish. A phase that was killed resumes where it stopped.

The work is done in a folder next to the finished snapshots. Its name is derived from the inputs and settings, so the
same command finds it again. It becomes a snapshot, by renaming, only once all of it is on disk, so an
incomplete one is never opened.
"""

import hashlib
import logging
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from medground.corpus import tables
from medground.corpus.embedder import Embedder
from medground.corpus.faults import UnfinishedDamaged, writing
from medground.corpus.join import join_records, remembered, unite
from medground.corpus.library import Library
from medground.corpus.manifest import (
    EmbeddingEntry,
    Enriched,
    InputEntry,
    Manifest,
    describe_files,
    hash_file,
)
from medground.corpus.parallel import Workers
from medground.corpus.patch import Patched, patch
from medground.corpus.phases import copy_base, cut_and_index, embed, read_inputs
from medground.corpus.readers.base import Input
from medground.corpus.records import Records
from medground.corpus.snapshot import Snapshot
from medground.corpus.tables import RowDamaged
from medground.corpus.writer import DatabaseWriter
from medground.errors import BadDocument, ConfigError, StorageFailed, UsageError
from medground.home.files import make_folder, remove_unfinished
from medground.values.grouping import grouped
from medground.values.source_plan import SourceDescription
from medground.values.steps import Progress, no_progress

log = logging.getLogger(__name__)

Attachment = Callable[[Path], None]
"""Writes one file of a snapshot to the given path."""

DEFAULT_LIMIT = 1000
_ATTACHMENT = re.compile(r"[a-z0-9][a-z0-9_-]{0,40}\.[a-z0-9]{1,10}")
_OWN_FILES = {
    "documents.sqlite",
    "documents.sqlite-wal",
    "vectors.f16",
    "vectors.changes",
    "vectors.faiss",
    "manifest.json",
}


def build(
    library: Library,
    name: str,
    inputs: Sequence[Input],
    *,
    embedder: Embedder | None = None,
    attachments: Mapping[str, Attachment] | None = None,
    progress: Progress = no_progress,
    limit: int = DEFAULT_LIMIT,
    strict: bool = False,
    records: Sequence[Records] = (),
    described: SourceDescription | None = None,
    workers: Workers | None = None,
) -> Manifest:
    """Build a corpus from its inputs, replacing any corpus with this name. Memory use does not grow with its size.

    Args:
        inputs: what to read, in order; a later document replaces an earlier one with the same id.
        embedder: makes the vectors; without one, the corpus can only be searched by words.
        attachments: further files by name, such as `graph.sqlite`.
        limit: maximum number of characters in a passage.
        strict: stop at the first file that cannot be read, instead of passing it over.
        records: where the records of the documents are: what a document lacks is filled from them, in their order.
        described: what the corpus holds, for a planner of sources; it is kept in the manifest.
        workers: processes that read files, in parallel; None reads them one after the other.

    Raises:
        UsageError: the name or limit is invalid, there are no inputs, or another process is building this corpus.
        BadDocument: nothing can be read from the inputs; or, with `strict`, one of them cannot be read.
        StorageFailed: writing to disk failed.
    """
    if limit < 1:
        raise UsageError(f"the passage limit must be at least 1 character, not {limit}")
    given, attached = tuple(inputs), dict(attachments or {})
    with library.lock(name):
        return _run(
            Plan(library, name, given, embedder, attached, progress, limit, None, strict, records, described, workers)
        )


def add(
    library: Library,
    name: str,
    inputs: Sequence[Input],
    *,
    embedder: Embedder | None = None,
    progress: Progress = no_progress,
    strict: bool = False,
    records: Sequence[Records] | None = None,
    workers: Workers | None = None,
) -> Manifest:
    """Add inputs to a corpus: a new snapshot starts from the current one, with the same guarantees as `build`.

    Documents whose id already exists are replaced; deletions and retractions in the inputs are applied. Documents are
    joined with `records`, or else with those of the sources that the corpus remembers.

    Raises UsageError: the corpus does not exist, there are no inputs, or another process is building it; ConfigError:
    the vectors of the corpus come from another embedding model, or no model is given; BadDocument: with `strict`, an
    input cannot be read; SnapshotCorrupt: the current snapshot does not match its manifest; StorageFailed: writing to
    disk failed.
    """
    with library.lock(name), library.built(name) as base:
        identity_check(base, embedder)
        known, asked = base.manifest, remembered(library, name) if records is None else records
        limit, described = known.chunk_limit, known.described
        return _run(
            Plan(library, name, tuple(inputs), embedder, {}, progress, limit, base, strict, asked, described, workers)
        )


def identity_check(base: Snapshot, embedder: Embedder | None) -> None:
    """Check that a corpus with vectors gets more of the same model.

    Raises ConfigError: its vectors come from another embedding model, or no model is given.
    """
    existing = base.manifest.embedding
    if existing is not None and (embedder is None or embedder.identity != existing.identity):
        given = "none" if embedder is None else embedder.identity
        raise ConfigError(
            f"corpus {base.name} has vectors of {existing.identity}, but the embedding model is {given}; "
            f"use [[--embed {existing.name}|that model|that model]], or rebuild the corpus"
        )


@dataclass(frozen=True)
class Plan:
    """What a snapshot is made of."""

    library: Library
    name: str
    inputs: tuple[Input, ...]
    embedder: Embedder | None
    attachments: Mapping[str, Attachment]
    progress: Progress
    limit: int
    base: Snapshot | None
    strict: bool
    records: Sequence[Records]
    described: SourceDescription | None
    workers: Workers | None

    @property
    def key(self) -> str:
        """Identifies the command: the same inputs and settings give the same key."""
        inputs = [(i.name, i.reader, i.fingerprint) for i in self.inputs]
        base = "" if self.base is None else self.base.manifest.hash
        shape = shape_of(self.limit, self.embedder, {})
        content: tuple[object, ...] = (shape, inputs, base, sorted(self.attachments))
        content += (version("medground"), *((record.source, record.state) for record in self.records))
        return hashlib.sha256(repr(content).encode()).hexdigest()[:16]


def _run(plan: Plan) -> Manifest:
    for invalid in (n for n in plan.attachments if not _ATTACHMENT.fullmatch(n) or n in _OWN_FILES):
        raise UsageError(f"{invalid!r} is not a valid attachment name; use a name such as graph.sqlite")
    if not plan.inputs:
        raise UsageError(f"nothing to read for corpus {plan.name}; name at least one file or folder")
    folder = _working_folder(plan)
    resumed = any(folder.iterdir())
    try:
        with writing(folder):
            return _phases(plan, folder)
    except (sqlite3.DatabaseError, RowDamaged, UnfinishedDamaged) as error:
        shutil.rmtree(folder, ignore_errors=True)
        if resumed:
            log.warning("%s: the remains of an interrupted build were damaged; building from the start", plan.name)
            return _run(plan)
        raise StorageFailed(
            f"{folder}: the unfinished build was damaged and has been deleted; run the same command again to start over"
        ) from error
    except BadDocument:
        shutil.rmtree(folder, ignore_errors=True)
        if not any(folder.parent.iterdir()):
            folder.parent.rmdir()
        raise


def _working_folder(plan: Plan) -> Path:
    """The folder of this build, with what an interrupted run left in it. Folders of other builds are deleted."""
    parent = plan.library.folder_of(plan.name)
    folder = parent / f"building-{plan.key}"
    with writing(parent):
        for other in parent.glob("building-*"):
            if other != folder:
                shutil.rmtree(other)
        make_folder(folder)
        remove_unfinished(folder)
    return folder


def _phases(plan: Plan, folder: Path) -> Manifest:
    def read(database: DatabaseWriter) -> int:
        with _reading(plan, folder) as given:
            deleted = read_inputs(database, plan.inputs, plan.progress, strict=plan.strict, given=given)
        if database.count() == 0:
            why = f"; the first problem: {first}" if (first := database.first_problem()) else ""
            raise BadDocument(f"no readable document in {', '.join(i.name for i in plan.inputs[:3])}{why}")
        return deleted

    def inputs(database: DatabaseWriter) -> Iterable[InputEntry]:
        return [*(plan.base.manifest.inputs if plan.base else ()), *input_entries(plan.inputs)]

    return make(plan, folder, read, inputs)


def make(
    plan: Plan,
    folder: Path,
    read: Callable[[DatabaseWriter], int],
    inputs: Callable[[DatabaseWriter], Iterable[InputEntry]],
    *,
    anew: bool = False,
) -> Manifest:
    """Make a snapshot in a folder and publish it.

    Args:
        read: brings the documents up to date, and returns how many were deleted by a record.
        inputs: what the manifest says was read.
        anew: ask for the records of all documents, and not only of those that were not asked for.
    """
    base = plan.base.manifest if plan.base else None
    copy_base(plan.base, folder)
    database = DatabaseWriter(folder / tables.FILE_NAME)
    try:
        deleted = read(database) + (base.counts.deleted if base else 0)
        unite(database)
        join_records(database, plan.records, plan.progress, base.enriched if base else (), anew=anew)
        patched = Patched(base.removed, base.origin) if base else Patched(0, "")
        if plan.base is not None and database.pending():
            patched = patch(database, plan.base, plan.limit, plan.embedder, plan.progress)
        else:
            cut_and_index(database, plan.base, folder, plan.limit, plan.progress)
            if plan.embedder is not None:
                embed(database, plan.base, folder, plan.embedder, plan.progress)
        attached = {name: hash_file(folder / name) for name in _attach(plan, folder)}
        enriched = tuple(
            Enriched(name=record.name, source=record.source, state=record.state) for record in plan.records
        )
        shape = shape_of(plan.limit, plan.embedder, attached)
        finished = {
            "hash": database.digest([*shape, *filter(None, [patched.origin])]),
            "counts": database.counts(deleted),
            "inputs": tuple(dict.fromkeys(inputs(database))),
            "sources": database.sources(enriched),
        }
        database.finish()
    finally:
        database.close()
    plan.progress("finish", 0, None)
    model, known = plan.embedder, (base.files, plan.base.folder) if base and plan.base else ()
    manifest = Manifest(
        **finished,
        name=plan.name,
        created=datetime.now(UTC),
        made_by=f"medground {version('medground')}",
        chunk_limit=plan.limit,
        embedding=model and EmbeddingEntry(name=model.name, identity=model.identity, dimensions=model.dimensions),
        attachments=tuple(attached),
        removed=patched.removed,
        origin=patched.origin,
        enriched=enriched,
        described=plan.described,
        files=describe_files(folder, *known),
    )
    return plan.library.publish(plan.name, folder, manifest, plan.base.folder if plan.base else None)


def _reading(plan: Plan, folder: Path) -> AbstractContextManager[Callable[[int], Input] | None]:
    if plan.workers is None:
        return nullcontext()
    return plan.workers.reading(plan.inputs, folder)


def shape_of(limit: int, embedder: Embedder | None, attached: Mapping[str, str]) -> list[str]:
    """What shapes a snapshot besides its documents: passages, vectors, the hashes of its attachments."""
    identity = "" if embedder is None else embedder.identity
    return ["1", str(limit), identity, *(f"{name}:{digest}" for name, digest in attached.items())]


def _attach(plan: Plan, folder: Path) -> tuple[str, ...]:
    """Write the attachments and copy those of the base snapshot."""
    existing = {n: plan.base.folder / n for n in plan.base.manifest.attachments} if plan.base else {}
    kept = [name for name in existing if name not in plan.attachments]
    for name in kept:
        shutil.copyfile(existing[name], folder / name)
    for name, write in plan.attachments.items():
        plan.progress(f"write {name}", 0, None)
        (folder / name).unlink(missing_ok=True)
        write(folder / name)
    return tuple(sorted([*kept, *plan.attachments]))


def input_entries(inputs: Sequence[Input]) -> tuple[InputEntry, ...]:
    """What is read, as the manifest says it: one entry for all files that one reader reads in one folder."""
    groups = grouped(((one.folder or one.name, one.reader, one.license), one) for one in inputs if not one.refused)
    entries = []
    for (name, reader, license), group in groups.items():
        each = repr([(one.name, one.fingerprint) for one in group]).encode()
        state = group[0].fingerprint if len(group) == 1 else hashlib.sha256(each).hexdigest()[:32]
        entries.append(InputEntry(name=name, reader=reader, fingerprint=state, license=license, files=len(group)))
    return tuple(entries)
