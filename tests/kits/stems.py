"""An embedder of hashed stems, so that texts with shared words are near."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from medground.language import words


class StemEmbedder:
    """Counts of hashed stems as unit vectors."""

    def __init__(self, name: str = "stems", identity: str = "stems-1", dimensions: int = 256) -> None:
        self.name, self.identity, self.dimensions = name, identity, dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in words.terms(text) or ["nothing"]:
                row[zlib.crc32(term.encode()) % self.dimensions] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
