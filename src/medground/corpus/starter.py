"""The starter corpus: the Human Phenotype Ontology as documents, together with its graph."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from medground.corpus.build import build
from medground.corpus.library import GRAPH_FILE, STARTER, Library
from medground.corpus.manifest import Manifest
from medground.corpus.readers.base import Input
from medground.document import Document
from medground.graph.documents import pages
from medground.graph.hpo import LICENSE, Hpo
from medground.graph.writing import GraphWriter
from medground.progress import Progress, no_progress


def starter_input(release: Hpo | None = None, graph: GraphWriter | None = None) -> Input:
    """The documents of a release, by default the installed one: one per disease and one per term.

    If a `graph` is given, reading fills it too, so that the ontology is read only once.

    Raises:
        ConfigError: the extra `starter` is not installed.
        BadDocument: the ontology file is not what it claims to be.
    """
    release = release or Hpo.open()

    def read(skip: int) -> Iterator[Document]:
        for number, page in enumerate(pages(release)):
            if graph is not None:
                graph.add(page)
            if number >= skip:
                yield page.document

    return Input(name=release.name, reader="hpo", fingerprint=release.fingerprint, read=read, license=LICENSE)


def build_starter(library: Library, progress: Progress = no_progress, release: Hpo | None = None) -> Manifest:
    """Build the corpus `starter`, replacing any existing one, by default from the installed release.

    Raises:
        ConfigError: the extra `starter` is not installed.
        UsageError: another process is building it.
        BadDocument: a data file is not what it claims to be.
        StorageFailed: writing to disk failed.
    """
    release = release or Hpo.open()
    with contextlib.closing(GraphWriter(release)) as graph:
        source = starter_input(release, graph)
        return build(library, STARTER, [source], attachments={GRAPH_FILE: graph.save}, progress=progress)
