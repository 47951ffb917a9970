"""A graph as an ordinary corpus: of vocabularies, and the starter corpus of the Human Phenotype Ontology."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path

from medground.corpus.build import DEFAULT_LIMIT, build
from medground.corpus.embedder import Embedder
from medground.corpus.library import GRAPH_FILE, STARTER, Library
from medground.corpus.manifest import Manifest
from medground.corpus.readers.base import Input, Item, Note
from medground.graph.draft import Draft, fingerprint
from medground.graph.starter import GraphWriter, pages
from medground.graph.vocabularies.base import Vocabulary
from medground.graph.vocabularies.hpo import LICENSE, Hpo
from medground.graph.writing import GraphPages
from medground.values.document import Document
from medground.values.source_plan import SourceDescription
from medground.values.steps import Progress, no_progress


def build_graph(
    library: Library,
    name: str,
    vocabularies: Sequence[Vocabulary],
    *,
    embedder: Embedder | None = None,
    progress: Progress = no_progress,
    limit: int = DEFAULT_LIMIT,
    described: SourceDescription | None = None,
) -> Manifest:
    """Build a corpus of a graph from vocabularies, replacing any corpus with this name.

    Memory does not grow with the vocabularies. A build that was killed goes on with the first file that it had not
    finished, when it is started again with the same vocabularies: the draft lies beside the corpus, and is deleted once
    the build has succeeded.

    Raises:
        UsageError: the name is invalid, or another process is building this corpus.
        BadDocument: a file is not what it claims to be, or a vocabulary has no concept.
        StorageFailed: writing to disk failed.
    """
    draft = Draft(draft_file(library, name), vocabularies, progress)
    try:
        draft.read()
        pages = GraphPages(draft)
        licences = "; ".join(dict.fromkeys(f"{v.name}: {v.licence}" for v in vocabularies))
        items = partial(_items, pages, draft)
        manifest = build(
            library,
            name,
            [Input(pages.name, "graph", fingerprint(vocabularies), items, license=licences)],
            embedder=embedder,
            attachments={GRAPH_FILE: pages.save},
            progress=progress,
            limit=limit,
            strict=True,
            described=described,
        )
    except BaseException:
        draft.close()
        raise
    draft.remove()
    return manifest


def _items(pages: GraphPages, draft: Draft, skip: int) -> Iterator[Item]:
    """The documents of a graph, then what is noted of its vocabularies; what is skipped is made all the same."""
    notes = (Note(text) for text in draft.notes())
    return islice(chain(pages.documents(), notes), skip, None)


def draft_file(library: Library, name: str) -> Path:
    """Where the draft of a corpus lies while it is built.

    Raises:
        UsageError: the name is invalid.
    """
    folder = library.folder_of(name)
    return folder.with_name(f".{folder.name}.graph")


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
