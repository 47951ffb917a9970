"""What `CorpusSource` needs from a store: a local snapshot, or a search cluster."""

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
    """Passages that can be searched by words and, if they have vectors, by meaning. Thread-safe."""

    @property
    def name(self) -> str:
        """The name of the corpus."""
        ...

    @property
    def reference(self) -> SnapshotReference:
        """The snapshot, as listed in answers."""
        ...

    @property
    def embedding(self) -> str | None:
        """Identity of the model that made its vectors; None if it has no vectors."""
        ...

    @property
    def fields(self) -> frozenset[str]:
        """Names of the metadata fields of its documents."""
        ...

    def bm25(self, query: Query, limit: int, filters: Filters) -> Ranking:
        """The passages that match the tree, ranked by BM25."""
        ...

    def dense(self, vector: NDArray[np.float32], limit: int, filters: Filters) -> Ranking:
        """The passages closest to `vector` (shape (dimensions,), length 1), ranked by cosine similarity."""
        ...

    def documents(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents by id. Unknown ids are left out."""
        ...

    def close(self) -> None:
        """Release the files or connections. Safe to call twice."""
        ...
