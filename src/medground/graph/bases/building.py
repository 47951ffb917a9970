"""Build a knowledge base: each source as a corpus of its own, in the order of the specification.

A source whose files, readers and settings are those of its corpus is left as it is. A build that was killed goes on
where it stopped: sources that are finished are not built again, and the others resume file by file (`corpus/build.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

from medground.corpus.build import build, input_entries
from medground.corpus.change import redescribed
from medground.corpus.embedder import Embedder
from medground.corpus.library import Library
from medground.corpus.manifest import Manifest
from medground.errors import BadDocument, UsageError
from medground.graph.bases.checks import vocabularies_of
from medground.graph.bases.inputs import inputs_of
from medground.graph.bases.record import Base, Bases, corpus_name, counted
from medground.graph.bases.spec import SourceSpec, Spec
from medground.graph.corpora import build_graph
from medground.graph.draft import fingerprint
from medground.values.steps import Progress, no_progress

OpenEmbedder = Callable[[str], Embedder]
Clock = Callable[[], float]


@dataclass(frozen=True)
class BuiltSource:
    """What became of one source.

    Attributes:
        name: its name.
        manifest: the manifest of its corpus.
        seconds: how long it took; None if it was left as it was.
    """

    name: str
    manifest: Manifest
    seconds: float | None


@dataclass(frozen=True)
class BuiltBase:
    """What became of a base: its record, its sources in order, and those that were removed from it."""

    base: Base
    sources: tuple[BuiltSource, ...]
    removed: tuple[str, ...] = ()


def build_base(
    spec: Spec,
    path: Path,
    home: Path,
    *,
    open_embedder: OpenEmbedder,
    progress: Progress = no_progress,
    clock: Clock = time.monotonic,
) -> BuiltBase:
    """Build what is not built yet, then publish the base. Sources that the specification dropped are deleted.

    Args:
        spec: the specification, as `read_spec` gives it.
        path: its file; paths in it are relative to the folder of this file.
        home: the user's folder.
        open_embedder: opens an embedding model by name.
        progress: called as the build advances; steps begin with the name of their source.
        clock: gives seconds.

    Raises:
        UsageError: another process builds this base, or a corpus of one of its names was built by other means.
        ConfigError: an embedding model or a package is missing.
        BadDocument: nothing can be read for a source; the message names it.
        StorageFailed: writing to disk failed.
    """
    bases, library = Bases(home), Library(home)
    with bases.lock(spec.name):
        before = bases.find(spec.name) or Base(name=spec.name)
        names = tuple(source.described.name for source in spec.sources)
        _check_corpora(library, before, names)
        known = (*before.sources, *before.pending)
        pending = tuple(name for name in dict.fromkeys((*known, *names)) if name not in before.sources)
        base = before.model_copy(update={"pending": pending, "spec": str(path.resolve())})
        bases.write(base)
        built = []
        for source in spec.sources:
            one = _build_source(spec, source, path.resolve().parent, library, open_embedder, progress, clock)
            built.append(one)
            base = _noted(base, one, library)
            bases.write(base)
        removed = tuple(name for name in dict.fromkeys(known) if name not in names)
        base = base.model_copy(update={"sources": names, "pending": removed})
        bases.write(base)
        for name in removed:
            remove_corpus(library, corpus_name(spec.name, name))
        kept = {name: one for name, one in base.counted.items() if name in names}
        spent = {name: one for name, one in base.seconds.items() if name in names}
        base = base.model_copy(update={"pending": (), "counted": kept, "seconds": spent})
        bases.write(base)
        return BuiltBase(base, tuple(built), removed)


def remove_base(name: str, home: Path) -> Base:
    """Delete a base with its corpora, finished or not. Returns what it was.

    Raises:
        UsageError: there is no such base, or it or one of its corpora is being built.
        StorageFailed: writing to disk failed.
    """
    bases, library = Bases(home), Library(home)
    with bases.lock(name):
        base = bases.find(name)
        if base is None:
            bases.read(name)  # raises
            raise UsageError(f"no knowledge base {name!r}")
        bases.write(base.model_copy(update={"sources": (), "pending": (*base.sources, *base.pending)}))
        for source in (*base.sources, *base.pending):
            remove_corpus(library, corpus_name(name, source))
        bases.forget(name)
    return base


def remove_corpus(library: Library, name: str) -> None:
    """Delete a corpus and any unfinished build of it, if there is one."""
    if library.folder_of(name).is_dir():
        library.remove(name)


def _check_corpora(library: Library, before: Base, names: tuple[str, ...]) -> None:
    for name in names:
        corpus = corpus_name(before.name, name)
        if name not in (*before.sources, *before.pending) and library.has(corpus):
            raise UsageError(
                f"the corpus {corpus} was not built for this base; remove it with medground corpus remove {corpus}, "
                "or give the base another name"
            )


def _build_source(
    spec: Spec,
    source: SourceSpec,
    folder: Path,
    library: Library,
    open_embedder: OpenEmbedder,
    progress: Progress,
    clock: Clock,
) -> BuiltSource:
    described = source.described
    name, corpus = described.name, corpus_name(spec.name, described.name)
    embed = source.embed or spec.embed
    embed = None if embed == "none" else embed
    started = clock()

    def shown(step: str, done: int, total: int | None) -> None:
        progress(f"{name}: {step}", done, total)

    try:
        known = library.info(corpus) if library.has(corpus) else None
        if source.kind == "graph":
            vocabularies = vocabularies_of(source, folder)
            make = partial(build_graph, vocabularies=vocabularies)
            same = known is not None and [one.fingerprint for one in known.inputs] == [fingerprint(vocabularies)]
        else:
            inputs = inputs_of(source, folder)
            make = partial(build, inputs=inputs)
            same = known is not None and known.inputs == input_entries(inputs)
        if known is not None and same and _shaped_alike(known, source, embed):
            if known.described == described:
                return BuiltSource(name, known, None)
            return BuiltSource(name, redescribed(library, corpus, described), clock() - started)
        embedder = open_embedder(embed) if embed else None
        manifest = make(library, corpus, embedder=embedder, progress=shown, limit=source.chunk, described=described)
    except BadDocument as error:
        raise BadDocument(f"source {name}: {error.reason}", file=error.file, position=error.position) from None
    return BuiltSource(name, manifest, clock() - started)


def _shaped_alike(known: Manifest, source: SourceSpec, embed: str | None) -> bool:
    """Whether a corpus was built by this version with the same passages and the same vectors."""
    vectors = known.embedding.name if known.embedding else None
    made_by = f"medground {version('medground')}"
    return (known.chunk_limit, vectors, known.made_by) == (source.chunk, embed, made_by)


def _noted(base: Base, one: BuiltSource, library: Library) -> Base:
    """The record with what was counted in a source; counted once for each snapshot."""
    known = base.counted.get(one.name)
    if known is None or known.hash != one.manifest.hash:
        with library.open(one.manifest.name) as snapshot:
            known = counted(snapshot)
    seconds = base.seconds if one.seconds is None else {**base.seconds, one.name: round(one.seconds, 1)}
    return base.model_copy(update={"counted": {**base.counted, one.name: known}, "seconds": seconds})
