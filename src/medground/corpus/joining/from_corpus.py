"""Records of a corpus of the home folder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from medground.corpus.library import Library
from medground.corpus.snapshot import Snapshot
from medground.document import Document


class CorpusRecords:
    """The documents of a corpus, found by their ids.

    Raises:
        UsageError: no corpus has this name.
        SnapshotCorrupt: its manifest is damaged.
    """

    def __init__(self, library: Library, name: str) -> None:
        self.name = name
        self.source = f"corpus:{name}"
        self.state = library.info(name).hash
        self._library = library
        self._snapshot: Snapshot | None = None

    async def find(self, documents: Sequence[Document]) -> list[tuple[Document, ...]]:
        """For each document, the records that share a PMID, PMC id or DOI with it.

        Raises:
            SnapshotCorrupt: the corpus has changed since it was built.
        """
        return await asyncio.to_thread(self._find, documents)

    async def close(self) -> None:
        """Close the corpus; the next `find` opens it again."""
        if self._snapshot is not None:
            self._snapshot.close()
            self._snapshot = None

    def _find(self, documents: Sequence[Document]) -> list[tuple[Document, ...]]:
        if self._snapshot is None:
            self._snapshot = self._library.open(self.name)
        return [self._snapshot.identified(document.paper) for document in documents]
