"""Rerank with any sentence-transformers cross-encoder, by hub name or folder (extra `torch`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from medground.document import Passage
from medground.errors import ConfigError
from medground.models.files.hub import is_away

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


class CrossEncoderReranker:
    """Reads the question and a passage together and scores the pair from 0 to 1.

    The model's last activation is replaced by a sigmoid, so that models that end in one and models that return raw
    scores behave alike. The score orders passages; it is a probability only if the model was trained to return one.

    Args:
        name: folder, or name on a hub that this machine reaches, such as `BAAI/bge-reranker-v2-m3`.

    Raises:
        ConfigError: the extra is not installed, the model cannot be found, or it does not return one score per pair.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._model = _load(name)

    @property
    def name(self) -> str:
        """The model's name or folder."""
        return self._name

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """One score from 0 to 1 per passage, in the order given. Long pairs are truncated at the model's limit."""
        if not passages:
            return []
        from torch import nn

        pairs = [(question, f"{p.title}\n{p.text}" if p.title else p.text) for p in passages]
        logits = self._model.predict(pairs, activation_fn=nn.Identity(), show_progress_bar=False)
        scores = 1 / (1 + np.exp(-np.asarray(logits, np.float64)))
        return [float(score) for score in scores]


def _load(name: str) -> CrossEncoder:
    try:
        from sentence_transformers import CrossEncoder
    except ImportError as error:
        raise ConfigError(
            f'reranker {name!r} needs the extra "torch" ({error.name} is missing); run: pip install "medground[torch]"'
        ) from None
    try:
        model: CrossEncoder = CrossEncoder(name, local_files_only=is_away(name))
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise ConfigError(f"cannot load the reranker {name!r}: {reason[:200]}") from None
    if model.num_labels != 1:
        raise ConfigError(
            f"reranker {name!r} returns {model.num_labels} numbers per pair; choose a model that returns one score"
        )
    return model
