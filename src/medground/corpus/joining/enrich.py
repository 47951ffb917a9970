"""Join the documents of an existing corpus with their records, without reading its files again."""

from __future__ import annotations

from collections.abc import Sequence

from medground.corpus.change import changed
from medground.corpus.embedding.base import Embedder
from medground.corpus.joining.base import Records
from medground.corpus.joining.open import remembered
from medground.corpus.library import Library
from medground.corpus.manifest import Manifest
from medground.corpus.vectors import EXACT_LIMIT
from medground.progress import Progress, no_progress


def enrich(
    library: Library,
    name: str,
    records: Sequence[Records] | None = None,
    *,
    embedder: Embedder | None = None,
    progress: Progress = no_progress,
    exact_limit: int = EXACT_LIMIT,
) -> Manifest:
    """Ask the sources of records for all documents of a corpus, which remembers them.

    The work is done in a copy, which becomes the current snapshot in one step.

    Args:
        library: where the corpus is.
        name: its name.
        records: what to ask, in order; those that the corpus remembers by default. None at all: documents become as
            their files have them.
        embedder: the model of its vectors, for documents that are given a title.
        progress: called as the work advances.
        exact_limit: with more passages than this, the vectors get an index.

    Raises:
        UsageError: the corpus does not exist, or another process is changing it.
        ConfigError: the vectors of the corpus come from another embedding model, or PubMed rejected the API key.
        SnapshotCorrupt: the current snapshot does not match its manifest.
        StorageFailed: writing to disk failed.
    """
    asked = remembered(library, name) if records is None else records
    with library.lock(name), library.open(name) as base:
        return changed(library, base, asked, embedder=embedder, progress=progress, exact_limit=exact_limit, anew=True)
