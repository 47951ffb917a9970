"""The graph of a knowledge base: the vocabularies that its specification names, as one graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from medground.corpus.concepts import build_graph
from medground.corpus.embedding.base import Embedder
from medground.corpus.library import Library
from medground.corpus.manifest import Manifest
from medground.graph.concepts.draft import fingerprint
from medground.graph.hpo import Hpo
from medground.graph.vocabularies.base import Vocabulary
from medground.kb.spec import InputSpec, SourceSpec
from medground.progress import Progress

VOCABULARIES: Mapping[str, str] = MappingProxyType(
    {
        "hpo": "hpo:hpo",
        "mesh": "mesh:mesh",
        "umls": "rrf:umls",
        "drugbank": "drugbank:drugbank",
        "obo": "obo:obo",
        "obo-graph": "obo_json:obo_json",
    }
)
"""Names of vocabularies in a specification, and what opens each: a function of its path in `graph/vocabularies`."""

FILTERS: Mapping[str, tuple[str, ...]] = MappingProxyType({"umls": ("LAT", "SAB")})
"""What `where` may limit: the languages and the source vocabularies of UMLS, by the names of its own columns."""

_ARGUMENTS = {"LAT": "languages", "SAB": "sources"}
_UNTOLD = frozenset(["obo", "obo-graph"])
"""Vocabularies whose files do not say under which terms they may be used: those of the source hold."""

INSTALLED = "hpo"
"""The vocabulary that needs no path: the extra `starter` brings it."""


def vocabularies_of(source: SourceSpec, folder: Path) -> list[Vocabulary]:
    """The vocabularies of a graph, in the order of its inputs.

    Raises:
        ConfigError: the installed vocabulary is not there.
        BadDocument: a file is not what it claims to be.
    """
    return [vocabulary for one in source.inputs for vocabulary in _opened(source, one, folder)]


def graph_is_current(known: Manifest, source: SourceSpec, folder: Path) -> bool:
    """Whether a corpus was built from the vocabularies as they are now.

    Raises:
        ConfigError: the installed vocabulary is not there.
        BadDocument: a file is not what it claims to be.
    """
    return [entry.fingerprint for entry in known.inputs] == [fingerprint(vocabularies_of(source, folder))]


def build_graph_source(
    library: Library, corpus: str, source: SourceSpec, folder: Path, embedder: Embedder | None, progress: Progress
) -> Manifest:
    """Build the corpus of a graph: a document for each concept, and the graph beside them.

    Raises:
        UsageError: another process is building it.
        ConfigError: the installed vocabulary is not there.
        BadDocument: a file is not what it claims to be.
        StorageFailed: writing to disk failed.
    """
    return build_graph(
        library,
        corpus,
        vocabularies_of(source, folder),
        embedder=embedder,
        progress=progress,
        limit=source.chunk,
        described=source.described,
    )


def _opened(source: SourceSpec, one: InputSpec, folder: Path) -> Iterator[Vocabulary]:
    name = one.reader or INSTALLED
    module, _, function = VOCABULARIES[name].partition(":")
    opened: Callable[..., Vocabulary] = getattr(import_module(f"medground.graph.vocabularies.{module}"), function)
    paths = one.resolved(folder)
    if name == INSTALLED:
        yield from (opened(Hpo.open(path)) for path in paths or (None,))
    else:
        told = {"licence": source.described.licence, "origin": source.described.origin} if name in _UNTOLD else {}
        limits = {_ARGUMENTS[column]: tuple(map(str, values)) for column, values in one.where.items()}
        yield from (opened(path, **limits, **told) for path in paths)
