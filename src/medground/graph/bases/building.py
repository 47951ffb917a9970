"""Building a knowledge base: its text sources as inputs, each source as a corpus, and what can be wrong with it."""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.metadata import version
from itertools import islice
from pathlib import Path

from medground.corpus.build import build, input_entries
from medground.corpus.embedder import Embedder
from medground.corpus.library import Library
from medground.corpus.manifest import Manifest
from medground.corpus.readers.base import Input, Item
from medground.corpus.readers.every import all_readers, find_inputs, survey
from medground.corpus.sync import redescribed
from medground.errors import BadDocument, UsageError
from medground.graph.bases.record import Base, Bases, corpus_name, of_source
from medground.graph.bases.spec import MAPPED, InputSpec, Place, SourceSpec, Spec, Wanted, open_mapped
from medground.graph.draft import fingerprint
from medground.graph.vocabularies.base import Vocabulary
from medground.graph.vocabularies.hpo import Hpo
from medground.graph.writing import build_graph
from medground.values.document import Document, SourceKind
from medground.values.steps import Progress, no_progress

# The vocabularies of a graph, and what can be wrong with a specification that reads well: two sources of one name, a
# missing path, one read twice.

VOCABULARIES: Mapping[str, str] = {
    "hpo": "hpo:hpo",
    "mesh": "releases:mesh",
    "umls": "releases:umls",
    "drugbank": "releases:drugbank",
    "obo": "obo:obo",
}
"""Names of vocabularies in a specification, and what opens each: a function of its path in `graph/vocabularies`."""

FILTERS: Mapping[str, tuple[str, ...]] = {"umls": ("LAT", "SAB")}
"""What `where` may limit: the languages and the source vocabularies of UMLS, by the names of its own columns."""

_ARGUMENTS = {"LAT": "languages", "SAB": "sources"}
_UNTOLD = "obo"
"""The vocabulary whose files do not say under which terms they may be used: those of the source hold."""

INSTALLED = "hpo"
"""The vocabulary that needs no path: the extra `starter` brings it."""


def vocabularies_of(source: SourceSpec, folder: Path) -> list[Vocabulary]:
    """The vocabularies of a graph, in the order of its inputs.

    Raises ConfigError: the installed vocabulary is not there; BadDocument: a file is not what it claims to be.
    """
    found: list[Vocabulary] = []
    for one in source.inputs:
        name = one.reader or INSTALLED
        module, _, function = VOCABULARIES[name].partition(":")
        opened: Callable[..., Vocabulary] = getattr(import_module(f"medground.graph.vocabularies.{module}"), function)
        paths = one.resolved(folder)
        if name == INSTALLED:
            found += [opened(Hpo.open(path)) for path in paths or (None,)]
            continue
        told = {"licence": source.described.licence, "origin": source.described.origin} if name == _UNTOLD else {}
        limits = {_ARGUMENTS[column]: tuple(map(str, values)) for column, values in one.where.items()}
        found += [opened(path, **limits, **told) for path in paths]
    return found


Problem = tuple[Place, str]


def problems(spec: Spec, folder: Path) -> Iterator[Problem]:
    """What is wrong, with its place, in the order of the file; `folder` is that of the specification."""
    yield from _names(spec)
    seen: list[tuple[Path, InputSpec, str]] = []
    for number, source in enumerate(spec.sources):
        for at, one in enumerate(source.inputs):
            place: Place = ("sources", number, "inputs", at)
            yield from _vocabulary(one, place) if source.kind == "graph" else _reader(one, place)
            for path in one.resolved(folder):
                if not path.exists():
                    yield (*place, "path"), f"{path} does not exist"
                for other, before, where in seen:
                    nested = path == other or path.is_relative_to(other) or other.is_relative_to(path)
                    both = one.where.keys() & before.where.keys()  # no document has two values of one field
                    apart = any(set(map(str, one.where[n])).isdisjoint(map(str, before.where[n])) for n in both)
                    if nested and not apart:
                        again = "is named twice" if path == other else f"overlaps {other}"
                        yield (*place, "path"), f"{path} {again} (in {where}); give each its own values of one `where`"
                seen.append((path, one, source.described.name))


def _names(spec: Spec) -> Iterator[Problem]:
    graphs = [number for number, source in enumerate(spec.sources) if source.kind == "graph"]
    if len(graphs) > 1:
        yield ("sources", graphs[1], "kind"), "there are two graphs; list all vocabularies as inputs of one"
    names: dict[str, int] = {}
    for number, source in enumerate(spec.sources):
        name = source.described.name
        if name in names:
            yield ("sources", number), f"two sources are called {name}; give one of them another `name`"
        names[name] = number


def _reader(one: InputSpec, place: Place) -> Iterator[Problem]:
    if not one.paths:
        yield place, "`path` is missing; name a file or a folder"
    if one.reader is not None and one.reader not in all_readers():
        yield (*place, "reader"), f"unknown reader {one.reader!r}; use one of {', '.join(all_readers())}"


def _vocabulary(one: InputSpec, place: Place) -> Iterator[Problem]:
    known = ", ".join(VOCABULARIES)
    if one.reader is None:
        yield place, f"`reader` is missing; name the vocabulary: {known}"
    elif one.reader not in VOCABULARIES:
        yield (*place, "reader"), f"unknown vocabulary {one.reader!r}; use one of {known}"
    elif not one.paths and one.reader != INSTALLED:
        yield place, f"`path` is missing; name the file or folder of {one.reader}"
    filters = FILTERS.get(one.reader or "", ())
    if one.fields or not set(one.where) <= set(filters):
        kept = f"keep only {' and '.join(filters)} in `where`" if filters else "leave out `where`"
        yield place, f"{one.reader} has no such filter; leave out `fields` and {kept}"


# The inputs of a source: its files by its readers, each document of the source's kind, and only those it wants.


def inputs_of(source: SourceSpec, folder: Path) -> list[Input]:
    """What a source that is not a graph is read from, in order; paths are relative to the folder.

    Raises UsageError: a path does not exist, or a reader is unknown; BadDocument: no file of an input can be read.
    """
    found: list[Input] = []
    for one in source.inputs:
        paths = one.resolved(folder)
        opened = [*_mapped(one, paths)] if one.fields else find_inputs(paths, one.reader)
        found += [_of_source(each, source, one) for each in opened]
    return found


def _mapped(one: InputSpec, paths: tuple[Path, ...]) -> Iterator[Input]:
    for path in paths:
        files = [path]
        if path.is_dir():
            suffixes = all_readers()[MAPPED].suffixes
            files = [file for file, refused in survey(path, MAPPED) if not refused and file.name.endswith(suffixes)]
            if not files:
                raise BadDocument("the folder contains no JSON Lines", file=path)
        for file in files:
            opened = open_mapped(file, one.fields, tuple(one.where), one.prefix)
            yield replace(opened, folder=str(path) if path.is_dir() else None)


def _of_source(opened: Input, source: SourceSpec, one: InputSpec) -> Input:
    """The input with its documents made those of the source; what shapes them is part of its fingerprint."""
    shape = repr((source.kind, sorted(one.where.items()), sorted(one.fields.items()), one.prefix))
    digest = hashlib.sha256(shape.encode()).hexdigest()[:8]
    return replace(
        opened,
        fingerprint=f"{opened.fingerprint}-{digest}",
        read=partial(_read, opened, source.kind, one.where),
        license=opened.license or source.described.licence,
    )


def _read(opened: Input, kind: SourceKind, where: Wanted, skip: int) -> Iterator[Item]:
    """The items that are wanted; if no document is, that is said, because it is a mistake in the specification."""
    if where:  # what is left out cannot be counted without reading it
        return islice(_chosen(opened, kind, where), skip, None)
    return (_of_kind(item, kind) for item in opened.read(skip))


def _chosen(opened: Input, kind: SourceKind, where: Wanted) -> Iterator[Item]:
    seen = kept = 0
    for item in opened.read(0):
        if isinstance(item, Document):
            seen += 1
            if any(set(map(str, values)).isdisjoint(_values(item, name)) for name, values in where.items()):
                continue
            kept += 1
        yield _of_kind(item, kind)
    if seen and not kept:
        asked = "; ".join(f"{name} = {', '.join(map(str, values))}" for name, values in where.items())
        yield BadDocument(f"none of its {seen:,} documents has {asked}; correct `where`", file=opened.name)


def _of_kind(item: Item, kind: SourceKind) -> Item:
    return item.replace(kind=kind) if isinstance(item, Document) and item.kind != kind else item


def _values(document: Document, name: str) -> tuple[str, ...]:
    own = getattr(document, name) if name in Document.model_fields else ()
    own = document.metadata.get(name, () if own is None else own)
    return tuple(map(str, own)) if isinstance(own, tuple) else (str(own),)


# Build a knowledge base: each source as a corpus of its own, in the order of the specification.

OpenEmbedder = Callable[[str], Embedder]


@dataclass(frozen=True)
class BuiltSource:
    """What became of one source, with the manifest of its corpus; no `seconds` if it was left as it was."""

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
    spec: Spec, path: Path, home: Path, *, open_embedder: OpenEmbedder, progress: Progress = no_progress
) -> BuiltBase:
    """Build what is not built yet, then publish the base. Sources that the specification dropped are deleted.

    `path` is the file of the specification; paths in it are relative to its folder. Steps of the progress begin with
    the name of their source.

    Raises UsageError: another process builds this base, or a corpus of one of its names was built by other means;
    ConfigError: an embedding model or a package is missing; BadDocument: nothing can be read for a source; the message
    names it; StorageFailed: writing to disk failed.
    """
    bases, library = Bases(home), Library(home)
    with bases.lock(spec.name):
        before = bases.find(spec.name) or Base(name=spec.name)
        names = tuple(source.described.name for source in spec.sources)
        known = (*before.sources, *before.pending)
        for corpus in (corpus_name(spec.name, name) for name in names if name not in known):
            if library.has(corpus):
                raise UsageError(
                    f"the corpus {corpus} was not built for this base; remove it with "
                    f"medground corpus remove {corpus}, or give the base another name"
                )
        pending = tuple(name for name in dict.fromkeys((*known, *names)) if name not in before.sources)
        base = before.replace(pending=pending, spec=str(path.resolve()))
        bases.write(base)
        built = []
        for source in spec.sources:
            one = _build_source(spec, source, path.resolve().parent, library, open_embedder, progress)
            built.append(one)
            counted = {**base.counted, one.name: of_source(base, one.name, library)}
            base = base.replace(counted=counted)
            bases.write(base)
        removed = tuple(name for name in dict.fromkeys(known) if name not in names)
        base = base.replace(sources=names, pending=removed)
        bases.write(base)
        for name in removed:
            remove_corpus(library, corpus_name(spec.name, name))
        kept = {name: one for name, one in base.counted.items() if name in names}
        base = base.replace(pending=(), counted=kept)
        bases.write(base)
        return BuiltBase(base, tuple(built), removed)


def remove_base(name: str, home: Path) -> Base:
    """Delete a base with its corpora, finished or not. Returns what it was.

    Raises UsageError: there is no such base, or it or one of its corpora is being built; StorageFailed: writing to disk
    failed.
    """
    bases, library = Bases(home), Library(home)
    with bases.lock(name):
        base = bases.find(name) or bases.read(name)  # which says that there is none
        bases.write(base.replace(sources=(), pending=(*base.sources, *base.pending)))
        for source in (*base.sources, *base.pending):
            remove_corpus(library, corpus_name(name, source))
        bases.forget(name)
    return base


def remove_corpus(library: Library, name: str) -> None:
    """Delete a corpus and any unfinished build of it, if there is one."""
    if library.folder_of(name).is_dir():
        library.remove(name)


def _build_source(
    spec: Spec, source: SourceSpec, folder: Path, library: Library, open_embedder: OpenEmbedder, progress: Progress
) -> BuiltSource:
    described = source.described
    name, corpus = described.name, corpus_name(spec.name, described.name)
    embed = None if (asked := source.embed or spec.embed) == "none" else asked
    started = time.monotonic()

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
        shape = (source.chunk, embed, f"medground {version('medground')}")
        vectors = known.embedding.name if known is not None and known.embedding else None
        if known is not None and same and shape == (known.chunk_limit, vectors, known.made_by):
            if known.described == described:
                return BuiltSource(name, known, None)
            return BuiltSource(name, redescribed(library, corpus, described), time.monotonic() - started)
        embedder = open_embedder(embed) if embed else None
        manifest = make(library, corpus, embedder=embedder, progress=shown, limit=source.chunk, described=described)
    except BadDocument as error:
        raise BadDocument(f"source {name}: {error.reason}", file=error.file, position=error.position) from None
    return BuiltSource(name, manifest, time.monotonic() - started)
