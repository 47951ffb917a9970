"""A concept graph as an ordinary corpus: a document for each concept, and the graph file as an attachment."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from medground.corpus.build import DEFAULT_LIMIT, Attachment, build
from medground.corpus.embedding.base import Embedder
from medground.corpus.library import GRAPH_FILE, Library
from medground.corpus.manifest import Manifest
from medground.corpus.readers.base import Input, Item, Note
from medground.graph.concepts.draft import Draft, fingerprint
from medground.graph.concepts.writing import GraphPages
from medground.graph.vocabularies.base import Vocabulary
from medground.progress import Progress, no_progress


@dataclass(frozen=True)
class GraphInput:
    """What `build` needs to make a corpus of a graph: its documents, and the graph file beside them."""

    documents: Input
    attachments: Mapping[str, Attachment]


def build_graph(
    library: Library,
    name: str,
    vocabularies: Sequence[Vocabulary],
    *,
    embedder: Embedder | None = None,
    progress: Progress = no_progress,
    limit: int = DEFAULT_LIMIT,
) -> Manifest:
    """Build a corpus of a graph from vocabularies, replacing any corpus with this name.

    Memory does not grow with the vocabularies. A build that was killed goes on with the first file that it had not
    finished, when it is started again with the same vocabularies.

    Raises:
        UsageError: the name is invalid, or another process is building this corpus.
        BadDocument: a file is not what it claims to be, or a vocabulary has no concept.
        StorageFailed: writing to disk failed.
    """
    with graph_input(library, name, vocabularies, progress) as graph:
        return build(
            library,
            name,
            [graph.documents],
            embedder=embedder,
            attachments=graph.attachments,
            progress=progress,
            limit=limit,
            strict=True,
        )


@contextlib.contextmanager
def graph_input(
    library: Library, name: str, vocabularies: Sequence[Vocabulary], progress: Progress = no_progress
) -> Iterator[GraphInput]:
    """The documents and the attachment of a graph, for a `build` within this context that is `strict`.

    The draft lies beside the corpus; it is deleted once the build has succeeded, and else kept to go on from.

    Raises:
        UsageError: the name is invalid.
        BadDocument: a file of a vocabulary cannot be read.
        StorageFailed: the draft cannot be written.
    """
    draft = Draft(draft_file(library, name), vocabularies, progress)
    try:
        draft.read()
        pages = GraphPages(draft)

        def read(skip: int) -> Iterator[Item]:
            number = -1
            for number, document in enumerate(pages.documents()):
                if number >= skip:
                    yield document
            for note_number, note in enumerate(draft.notes(), start=number + 1):
                if note_number >= skip:
                    yield Note(note)

        licences = "; ".join(dict.fromkeys(f"{v.name}: {v.licence}" for v in vocabularies))
        documents = Input(pages.name, "graph", fingerprint(vocabularies), read, license=licences)
        yield GraphInput(documents, {GRAPH_FILE: pages.save})
    except BaseException:
        draft.close()
        raise
    draft.remove()


def draft_file(library: Library, name: str) -> Path:
    """Where the draft of a corpus lies while it is built.

    Raises:
        UsageError: the name is invalid.
    """
    folder = library.folder_of(name)
    return folder.with_name(f".{folder.name}.graph")
