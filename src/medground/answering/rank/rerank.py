"""Order texts by a model: fused hits by the reranker that the settings name, and cosines of texts outside any corpus.

Cosine similarity is that of an embedding model, or of weighted words where it is missing.
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from medground.answering.run import Run
from medground.errors import ConfigError, MedgroundError
from medground.home.registry import find
from medground.language import words
from medground.models.embedders import CROSS, is_medcpt, place
from medground.values.document import Hit, Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from medground.corpus.embedder import Embedder


@runtime_checkable
class Reranker(Protocol):
    """Scores passages against a question, from 0 to 1; higher is better. Calibrated as far as the model allows."""

    @property
    def name(self) -> str:
        """Its name in hits and traces."""
        ...

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """One score from 0 to 1 per passage, in the order given."""
        ...


async def rerank(name: str, text: str, hits: Iterable[Hit], keep: int, run: Run) -> list[Hit]:
    """The best `keep` hits for `text` by the reranker `name`, ties in their order; if it is `none`, the first hits.

    Raises ConfigError: the reranker cannot be opened.
    """
    reranker = await asyncio.to_thread(open_reranker, name, run.settings.home / "models")
    if reranker is None:
        return list(islice(hits, keep))
    hits = list(hits)
    if not hits:
        return []
    with run.trace.span("rerank", reranker=reranker.name, hits=len(hits)):
        scores = await asyncio.to_thread(reranker.score, text, [h.passage for h in hits])
    order = sorted(range(len(hits)), key=lambda i: -scores[i])[:keep]
    return [
        hits[i].model_copy(update={"ranker": reranker.name, "rank": rank, "score": scores[i]})
        for rank, i in enumerate(order, start=1)
    ]


def reranker_problems(name: str, models: Path) -> Iterator[MedgroundError]:
    """Load a reranker and yield what is wrong with it, for the check of a recipe."""
    try:
        open_reranker(name, models)
    except MedgroundError as error:
        yield error


def open_reranker(name: str, models: Path) -> Reranker | None:
    """Open the reranker `name`, once, from the folder of all fetched models; None for `none`.

    Raises ConfigError: the reranker cannot be opened.
    """
    if is_medcpt(name):
        return _opened(place(name, CROSS, models))
    return (None if name == "none" else find("rerankers", name, Reranker)) or _opened(name)


@lru_cache(maxsize=4)
def _opened(name: str) -> Reranker | None:
    if name == "none":
        return None
    if name == "keyless":
        raise ConfigError("the reranker `keyless` is gone: it ordered no better than the search; set `none` instead")

    return CrossEncoderReranker(name)


# Rerank with any cross-encoder that transformers loads, by hub name or folder (extra `torch`).

_BATCH = 32


class CrossEncoderReranker:
    """Reads the question and a passage together and scores the pair from 0 to 1.

    The model's last activation is replaced by a sigmoid, so that models that end in one and models that return raw
    scores behave alike. The score orders passages; it is a probability only if the model was trained to return one.

    Args:
        name: folder, or name on a hub that this machine reaches, such as `BAAI/bge-reranker-v2-m3` or
            `ncbi/MedCPT-Cross-Encoder`.

    Raises ConfigError: the extra is not installed, the model cannot be found, or it does not return one score per pair.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        try:
            from medground.models.torch_models import load_model, longest
        except ImportError as error:
            raise ConfigError(
                f'reranker {name!r} needs the extra "torch" ({error.name} is missing);'
                ' run: pip install "medground[torch]"'
            ) from None
        self._model, self._words = load_model(name, "AutoModelForSequenceClassification", "the reranker")
        if (outputs := self._model.config.num_labels) != 1:
            raise ConfigError(
                f"reranker {name!r} returns {outputs} numbers per pair; choose a model that returns one score"
            )
        self._tokens = longest(self._model, self._words)
        self._lock = threading.Lock()  # a tokenizer keeps the truncation of its last call

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """One score from 0 to 1 per passage, in the order given. Long pairs are truncated at the model's limit."""
        import numpy as np

        texts = [f"{p.title}\n{p.text}" if p.title else p.text for p in passages]
        logits = np.empty(len(texts), np.float64)
        order = sorted(range(len(texts)), key=lambda number: -len(texts[number]))  # similar lengths, little padding
        for first in range(0, len(order), _BATCH):
            batch = order[first : first + _BATCH]
            logits[batch] = self._logits(question, [texts[number] for number in batch])
        return [float(score) for score in 1 / (1 + np.exp(-logits))]

    def _logits(self, question: str, texts: list[str]) -> NDArray[np.float64]:
        import numpy as np
        import torch

        with self._lock:
            read: Any = self._words(
                [question] * len(texts),
                texts,
                truncation=True,
                padding=True,
                max_length=self._tokens,
                return_tensors="pt",
            )
        with torch.inference_mode():
            found = self._model(**read.to(self._model.device)).logits[:, 0]
        return np.asarray(found.float().cpu().numpy(), np.float64)


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
