"""Cosines of texts outside any corpus: those of an embedding model, or of weighted words where it is missing."""

from __future__ import annotations

import asyncio
import math
import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from medground.answering.run import Run
from medground.errors import ConfigError
from medground.language import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from medground.corpus.embedder import Embedder

_MOST_HELD = 16_384
"""Most vectors kept in memory: sub-questions of one topic find many papers twice."""
_DIGITS = 4
"""Further digits depend on what else was in the batch."""
_OPENING = threading.Lock()


async def cosines(text: str, others: Sequence[str], run: Run, *, embedder: str) -> list[float]:
    """The cosine of a text and each of the others, -1 to 1, in their order; 0 for a text without words.

    Where the model is not installed, tf-idf vectors of word stems are compared, and a warning of the answer says how to
    fetch the model.

    Raises StorageFailed: there is no space for the model's graph.
    """
    if not others:
        return []
    try:
        return await asyncio.to_thread(_by_vectors, embedder, run.settings.home, text, others)
    except ConfigError as error:
        run.warn(f"texts are compared by their words, because the embedding model cannot be used: {error}")
    return await asyncio.to_thread(word_cosines, text, others)


def word_cosines(text: str, others: Sequence[str]) -> list[float]:
    """The cosine of tf-idf vectors of word stems, 0 to 1; idf is that of a fixed set of abstracts."""
    asked = _word_vector(text)
    return [_dot(asked, _word_vector(other)) for other in others]


def _by_vectors(name: str, home: Path, text: str, others: Sequence[str]) -> list[float]:
    with _OPENING:  # two sub-questions at once open it once
        model = _vectors(name, home)
    asked, vectors = model.of(text, others)
    found = zip((vectors @ asked).tolist(), others, strict=True)
    return [round(cosine, _DIGITS) if other.strip() else 0.0 for cosine, other in found]


@lru_cache(maxsize=2)
def _vectors(name: str, home: Path) -> _Vectors:
    from medground.models.embedders import open_embedder

    return _Vectors(open_embedder(name, home))


class _Vectors:
    """An embedding model, and the vectors of the texts that it read last."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._held: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, text: str, others: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The vector of the text that asks, shape (dimensions,), and of the others, (len(others), dimensions)."""
        import numpy as np

        from medground.corpus.embedder import embed_passages, embed_queries

        asked = embed_queries(self._embedder, [text])[0]
        with self._lock:
            known = {other: self._held[other] for other in others if other in self._held}
        fresh = [other for other in dict.fromkeys(others) if other not in known]
        if fresh:
            made = embed_passages(self._embedder, [("", other) for other in fresh])
            known |= dict(zip(fresh, made, strict=True))
        with self._lock:
            self._held.update(known)
            while len(self._held) > _MOST_HELD:
                self._held.popitem(last=False)
        return asked, np.stack([known[other] for other in others])


def _word_vector(text: str) -> Mapping[str, float]:
    counted = Counter(words.terms(text))
    weighted = {term: (1 + math.log(times)) * words.weight(term) for term, times in counted.items()}
    length = math.sqrt(sum(value * value for value in weighted.values()))
    return {term: value / length for term, value in weighted.items()}


def _dot(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return min(1.0, sum(value * other[term] for term, value in one.items() if term in other))
