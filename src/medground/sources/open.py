"""Opening what the settings name: a source for each corpus, one for the graph that a corpus carries, and PubMed."""

from __future__ import annotations

import logging
from contextlib import ExitStack

from medground.corpus.embedding import Embedder, open_embedder
from medground.corpus.library import Library
from medground.corpus.snapshot import Snapshot
from medground.corpus.starter import GRAPH_FILE, build_starter
from medground.corpus.starter import NAME as STARTER
from medground.errors import ConfigError, SnapshotCorrupt
from medground.graph.store import GraphStore
from medground.progress import Progress, no_progress
from medground.settings import Settings
from medground.sources.base import Source
from medground.sources.corpus import CorpusSource
from medground.sources.graph import GraphSource

log = logging.getLogger(__name__)


def open_sources(settings: Settings, progress: Progress = no_progress) -> list[Source]:
    """Open the sources that the settings name. Builds the starter corpus if it is missing.

    Raises:
        UsageError: no corpus has that name.
        ConfigError: an extra is missing, an embedding model changed since the build, or PubMed's address is not valid.
        SnapshotCorrupt: a corpus differs from its manifest.
    """
    library = Library(settings.home)
    sources: list[Source] = []
    with ExitStack() as opened:  # closes what is open if a later source fails
        for name in dict.fromkeys(settings.retrieval.corpora):
            snapshot = _starter(library, progress) if name == STARTER else library.open(name)
            opened.callback(snapshot.close)
            source = CorpusSource(snapshot, _embedder(snapshot, settings))
            sources.append(source)
            if (graph := snapshot.attachment(GRAPH_FILE)) is not None:
                store = GraphStore.open(graph)
                opened.callback(store.close)
                sources.append(GraphSource(store, source.fetch, source.state))
        if settings.retrieval.pubmed:
            sources.append(_pubmed(settings, settings.retrieval.pubmed))
        opened.pop_all()
    return sources


def _starter(library: Library, progress: Progress) -> Snapshot:
    """The starter corpus. Builds it if it is missing or this version cannot use it."""
    if STARTER in library.list():
        try:
            return library.open(STARTER)
        except (ConfigError, SnapshotCorrupt) as error:
            log.warning("the starter corpus is rebuilt: %s", error)
    build_starter(library, progress)
    return library.open(STARTER)


def _pubmed(settings: Settings, where: str) -> Source:
    try:
        from medground.sources.pubmed import PubMedSource
    except ImportError as error:
        raise ConfigError(
            f'PubMed needs the extra "pubmed" ({error.name} is missing); run: pip install "medground[pubmed]"'
        ) from None
    key = settings.keys.ncbi
    return PubMedSource.open(
        settings.home,
        None if where == "live" else where,
        email=settings.retrieval.email,
        api_key=key.get_secret_value() if key else None,
    )


def _embedder(snapshot: Snapshot, settings: Settings) -> Embedder | None:
    """The model that made the snapshot's vectors; None if there are none, it is unavailable, or dense search is off."""
    embedding = snapshot.manifest.embedding
    if embedding is None or not settings.retrieval.dense:
        return None
    try:
        return open_embedder(embedding.name, settings.home)
    except ConfigError as error:
        log.warning("corpus %s is searched by words alone: %s", snapshot.manifest.name, error)
        return None
