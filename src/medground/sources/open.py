"""Opening what the settings name: a source for each corpus, one for the graph that a corpus carries, and PubMed."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from typing import TYPE_CHECKING

from medground.corpus.library import GRAPH_FILE, STARTER, Library
from medground.corpus.snapshot import Snapshot
from medground.errors import ConfigError, SnapshotCorrupt
from medground.graph.store import GraphStore
from medground.progress import Progress, no_progress
from medground.settings import Settings
from medground.sources.base import Source
from medground.sources.corpus import CorpusSource
from medground.sources.graph import GraphSource

if TYPE_CHECKING:
    from medground.corpus.embedding import Embedder

log = logging.getLogger(__name__)


def open_sources(settings: Settings, progress: Progress = no_progress) -> list[Source]:
    """The sources that the settings name; the starter corpus is built when it is missing.

    Raises:
        UsageError: no corpus has that name.
        ConfigError: an extra is missing, an embedding model changed since the build, or PubMed's address is not valid.
        SnapshotCorrupt: a corpus differs from its manifest.
    """
    library = Library(settings.home)
    sources: list[Source] = []
    with ExitStack() as opened:  # what was opened is closed again when a later one cannot be
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
    """The starter corpus; built when it is missing, and again when this version cannot use what is there."""
    if STARTER in library.list():
        try:
            return library.open(STARTER)
        except (ConfigError, SnapshotCorrupt) as error:
            log.warning("the starter corpus is rebuilt: %s", error)
    from medground.corpus.starter import build_starter  # it brings the readers, which are slow to import

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
    """The model that made the snapshot's vectors; without it the corpus is searched by words alone, and says so."""
    embedding = snapshot.manifest.embedding
    if embedding is None or not settings.retrieval.dense:
        return None
    from medground.corpus.embedding import open_embedder

    try:
        return open_embedder(embedding.name, settings.home)
    except ConfigError as error:
        log.warning("corpus %s is searched by words alone: %s", snapshot.manifest.name, error)
        return None
