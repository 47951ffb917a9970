"""What a knowledge base holds, counted as in Table 2 of Omni-RAG: documents, chunks, words in a chunk; concepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medground.corpus.library import GRAPH_FILE, Library
from medground.corpus.snapshot import Snapshot
from medground.kb.bases import Base, Counted, corpus_name

_BATCH = 1000


def counted(snapshot: Snapshot) -> Counted:
    """Count a snapshot. Reads every passage once.

    Raises:
        SnapshotCorrupt: the snapshot has changed since its build.
    """
    counts = snapshot.manifest.counts
    words = sum(len(text.split()) for text in snapshot.passage_texts())
    size = {"documents": counts.documents, "chunks": counts.passages, "words": words}
    return Counted(hash=snapshot.manifest.hash, **size, **_graph(snapshot))


def of_base(base: Base, library: Library) -> dict[str, Counted]:
    """What each source of a base holds; a corpus that has changed since its build is counted again.

    Raises:
        UsageError: a corpus of the base was removed.
        SnapshotCorrupt: a corpus differs from its manifest.
    """
    found = {}
    for source in base.sources:
        with library.open(corpus_name(base.name, source)) as snapshot:
            known = base.counted.get(source)
            same = known is not None and known.hash == snapshot.manifest.hash
            found[source] = known if same and known is not None else counted(snapshot)
    return found


def _graph(snapshot: Snapshot) -> dict[str, int]:
    if (path := snapshot.attachment(GRAPH_FILE)) is None:
        return {}
    from medground.graph.concepts.store import ConceptStore

    with ConceptStore.open(path) as store:
        return store.size._asdict()


def table(rows: Sequence[tuple[str, Counted]]) -> Iterator[str]:
    """The lines of the table: the text sources, then the graphs with their own columns."""
    texts = [(name, one) for name, one in rows if one.concepts is None]
    graphs = [(name, one) for name, one in rows if one.concepts is not None]
    width = max((len(name) for name, _ in rows), default=0)
    width = max(width, len("Source"))
    if texts:
        yield _row("Source", width, "#Docs", "#Chunks", "#Words/Chunk")
        for name, one in texts:
            mean = one.words_per_chunk
            yield _row(name, width, f"{one.documents:,}", f"{one.chunks:,}", "-" if mean is None else f"{mean:.1f}")
    if graphs:
        yield _row("" if texts else "Source", width, "#Concepts", "#Definitions", "#Relations")
        for name, one in graphs:
            yield _row(name, width, *(f"{value or 0:,}" for value in (one.concepts, one.definitions, one.relations)))


def _row(name: str, width: int, *cells: str) -> str:
    return f"{name:<{width}}" + "".join(f"  {cell:>12}" for cell in cells)
