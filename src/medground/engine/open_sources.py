"""Opening what the settings name: a source for each corpus and for the graph it carries, and other sources by name."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from typing import TYPE_CHECKING

from medground.corpus.library import GRAPH_FILE, STARTER, Library
from medground.corpus.snapshot import Snapshot
from medground.errors import ConfigError, SnapshotCorrupt
from medground.graph.bases.record import Bases
from medground.graph.concept_store import open_graph
from medground.home.settings import Settings
from medground.sources.base import Source, find_source
from medground.sources.corpus import CorpusSource
from medground.sources.graph import GraphSource
from medground.values.steps import Progress, no_progress

if TYPE_CHECKING:
    from medground.corpus.embedder import Embedder

log = logging.getLogger(__name__)


def open_sources(settings: Settings, progress: Progress = no_progress) -> list[Source]:
    """Open the sources that the settings name. Builds the starter corpus if it is missing.

    Raises:
        UsageError: no corpus, no knowledge base or no source has that name.
        ConfigError: an extra is missing, an embedding model changed since the build, or an address is not valid.
        SnapshotCorrupt: a corpus differs from its manifest.
    """
    library = Library(settings.home)
    sources: list[Source] = []
    models: dict[str, Embedder | None] = {}  # one for all corpora that it built: a large one fills the memory
    with ExitStack() as opened:  # closes what is open if a later source fails
        for name in corpora_of(settings):
            snapshot = _starter(library, progress) if name == STARTER else library.open(name)
            opened.callback(snapshot.close)
            source = CorpusSource(snapshot, _embedder(snapshot, settings, models))
            sources.append(source)
            if (graph := snapshot.attachment(GRAPH_FILE)) is not None:
                store = open_graph(graph)
                opened.callback(store.close)
                sources.append(GraphSource(store, source.fetch, source.state, snapshot.described))
        sources += [find_source(name).open(settings) for name in _named(settings)]
        opened.pop_all()
    return sources


def corpora_of(settings: Settings) -> tuple[str, ...]:
    """Names of the corpora that the settings name one by one, then those of their knowledge base, each once.

    Raises:
        UsageError: there is no such knowledge base, or it is half-built.
    """
    base = settings.retrieval.knowledge_base
    parts = Bases(settings.home).read(base).corpora if base else ()
    return tuple(dict.fromkeys([*settings.retrieval.corpora, *parts]))


def _starter(library: Library, progress: Progress) -> Snapshot:
    """The starter corpus. Builds it if it is missing or this version cannot use it."""
    if STARTER in library.list():
        try:
            return library.open(STARTER)
        except (ConfigError, SnapshotCorrupt) as error:
            log.warning("the starter corpus is rebuilt: %s", error)
    from medground.graph.corpora import build_starter  # it brings the readers, which are slow to import

    build_starter(library, progress)
    return library.open(STARTER)


def _named(settings: Settings) -> list[str]:
    """Sources that are named one by one, each once; PubMed's address names PubMed too."""
    pubmed = ["pubmed"] if settings.retrieval.pubmed else []
    return list(dict.fromkeys([*settings.retrieval.sources, *pubmed]))


def _embedder(snapshot: Snapshot, settings: Settings, opened: dict[str, Embedder | None]) -> Embedder | None:
    """The model that made the snapshot's vectors; None if there are none, it is unavailable, or dense search is off.

    Args:
        snapshot: the snapshot.
        settings: the user's settings.
        opened: models that were opened before, by name; one that is opened now is added.
    """
    embedding = snapshot.manifest.embedding
    if embedding is None or not settings.retrieval.dense:
        return None
    from medground.models.embedders import open_embedder

    if embedding.name not in opened:
        try:
            opened[embedding.name] = open_embedder(embedding.name, settings.home)
        except ConfigError as error:
            log.warning("corpus %s is searched by words alone: %s", snapshot.manifest.name, error)
            opened[embedding.name] = None
    return opened[embedding.name]
