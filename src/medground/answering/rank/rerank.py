"""Rerank fused hits with the reranker that the settings name."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from medground.answering.run import Run
from medground.errors import ConfigError, MedgroundError
from medground.models.embedders import CROSS, is_medcpt, place
from medground.values.document import Hit, Passage
from medground.values.question import Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Reranker(Protocol):
    """Scores passages against a question, from 0 to 1; higher is better. Calibrated as far as the model allows."""

    @property
    def name(self) -> str:
        """Its name in hits and traces."""
        ...

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """One score from 0 to 1 per passage, in the order given."""
        ...


async def rerank(question: Question, hits: Iterable[Hit], run: Run) -> list[Hit]:
    """The best `retrieval.keep` hits, best first; ties keep their order.

    Raises:
        ConfigError: the reranker cannot be opened.
    """
    settings = run.settings.retrieval
    return await rerank_with(settings.reranker, question.text, hits, settings.keep, run)


async def rerank_with(name: str, text: str, hits: Iterable[Hit], keep: int, run: Run) -> list[Hit]:
    """The best `keep` hits for `text` by the reranker `name`; if that is `none`, the first `keep` hits.

    Raises:
        ConfigError: the reranker cannot be opened.
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
    """Open the reranker `name`, once; None for `none`.

    Args:
        models: folder of all fetched models.

    Raises:
        ConfigError: the reranker cannot be opened.
    """
    if is_medcpt(name):
        return _opened(place(name, CROSS, models))
    return _opened(name)


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

    Raises:
        ConfigError: the extra is not installed, the model cannot be found, or it does not return one score per pair.
    """

    def __init__(self, name: str) -> None:
        self._name = name
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

    @property
    def name(self) -> str:
        """The model's name or folder."""
        return self._name

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
