"""The starter corpus: the Human Phenotype Ontology as documents, with its graph beside them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.manifest import Manifest
from medground.corpus.readers.base import Input
from medground.document import Document
from medground.graph.documents import pages
from medground.graph.hpo import LICENSE, Hpo
from medground.graph.writing import write_graph
from medground.progress import Progress, silent

NAME = "starter"
GRAPH_FILE = "graph.sqlite"


def starter_input(hpo: Hpo | None = None) -> Input:
    """The documents of a release, the installed one by default: one per disease and one per term.

    Raises:
        ConfigError: the extra `starter` is not installed.
        BadDocument: the ontology's file is not what it claims.
    """
    release = hpo or Hpo.open()

    def read(skip: int) -> Iterator[Document]:
        return islice((page.document for page in pages(release)), skip, None)

    return Input(
        name=release.name,
        reader="hpo",
        fingerprint=release.fingerprint,
        read=read,
        license=LICENSE,
    )


def build_starter(library: Library, progress: Progress = silent) -> Manifest:
    """Build the corpus `starter` in place of the one that is there.

    Raises:
        ConfigError: the extra `starter` is not installed.
        UsageError: another process builds it.
        BadDocument: a data file is not what it claims.
        StorageFailed: the disk refuses.
    """
    release = Hpo.open()

    def graph(path: Path) -> None:
        progress("graph", 0, None)
        write_graph(path, release)

    return build(library, NAME, [starter_input(release)], attachments={GRAPH_FILE: graph}, progress=progress)
