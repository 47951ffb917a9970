"""What a corpus source needs of the store below it: a snapshot on this machine, or a cluster of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from medground.answer import SnapshotReference
from medground.document import Document
from medground.lookup import Ranking
from medground.query import Filters, Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Store(Protocol):
    """Passages that can be searched by words and, where they have vectors, by meaning. Safe to use from threads."""

    @property
    def name(self) -> str:
        """Name of the corpus."""
        ...

    @property
    def reference(self) -> SnapshotReference:
        """The frozen state, as answers name it."""
        ...

    @property
    def embedding(self) -> str | None:
        """Identity of the model that made its vectors; None where it has none."""
        ...

    def bm25(self, query: Query, limit: int, filters: Filters) -> Ranking:
        """The passages that match the tree, by BM25."""
        ...

    def dense(self, vector: NDArray[np.float32], limit: int, filters: Filters) -> Ranking:
        """The passages whose vectors are closest to `vector` (shape (dimensions,), length 1), by cosine similarity."""
        ...

    def documents(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents by id; ids that it does not hold are absent."""
        ...

    def close(self) -> None:
        """Release the files or connections. Safe to call twice."""
        ...
