"""Rerank with any cross-encoder that transformers loads, by hub name or folder (extra `torch`)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from medground.errors import ConfigError
from medground.values.document import Passage
from medground.values.grouping import portions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
        for batch in portions(order, _BATCH):
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
