"""An encoder that encodes each query once: the figures of a table ask for the same queries again and again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from medground.corpus.embedding.base import Embedder


class Remembering:
    """Wraps an encoder and keeps the vector of every text."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}

    @property
    def name(self) -> str:
        """Name of the wrapped encoder."""
        return self._embedder.name

    @property
    def identity(self) -> str:
        """Identity of the wrapped encoder."""
        return self._embedder.identity

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Array of shape (len(texts), dimensions), rows of length 1."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._embedder.embed(new), strict=True))
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([self._vectors[text] for text in texts])
