"""The contract of an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into unit vectors. Cosine similarity is their dot product."""

    @property
    def name(self) -> str:
        """Its name in settings and manifests, such as `minilm`."""
        ...

    @property
    def identity(self) -> str:
        """Name, hash of the weights, precision. A snapshot can only be searched with the identity it was built with."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Array of shape (len(texts), dimensions), rows of length 1. Long texts are truncated to the model's limit."""
        ...
