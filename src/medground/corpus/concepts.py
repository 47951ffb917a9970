"""A concept graph as an ordinary corpus: a document for each concept, and the graph file as an attachment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path

from medground.corpus.build import DEFAULT_LIMIT, build
from medground.corpus.embedding.base import Embedder
from medground.corpus.library import GRAPH_FILE, Library
from medground.corpus.manifest import Manifest
from medground.corpus.readers.base import Input, Item, Note
from medground.described import SourceDescription
from medground.graph.concepts.draft import Draft, fingerprint
from medground.graph.concepts.writing import GraphPages
from medground.graph.vocabularies.base import Vocabulary
from medground.progress import Progress, no_progress


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
