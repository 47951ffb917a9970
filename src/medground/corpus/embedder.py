"""The contract of an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@runtime_checkable
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


@runtime_checkable
class TwoEncoders(Protocol):
    """A model that reads questions and passages with different encoders. Optional, in addition to `Embedder`.

    The dot product of a question's vector and a passage's ranks passages; that of two questions compares questions.
    """

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of questions, shape (len(texts), dimensions), rows of length 1."""
        ...

    def embed_passages(self, passages: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Vectors of passages, each the title of its document and its text; shaped as those of questions."""
        ...


def embed_queries(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Vectors to search with, shape (len(texts), dimensions). A model with one encoder embeds them as any text."""
    return embedder.embed_queries(texts) if isinstance(embedder, TwoEncoders) else embedder.embed(texts)


def embed_passages(embedder: Embedder, passages: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
    """Vectors to search in, shape (len(passages), dimensions), of the titles of their documents and their texts."""
    if isinstance(embedder, TwoEncoders):
        return embedder.embed_passages(passages)
    return embedder.embed([f"{t} {text}" if t and not text.startswith(t) else text for t, text in passages])
