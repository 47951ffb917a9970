"""Any sentence-transformers model, by its hub name or its folder (extra `torch`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from medground.errors import ConfigError
from medground.models.files.hub import is_away
from medground.models.files.torch_model import weights_hash


class TransformerEmbedder:
    """A sentence-transformers model whose vectors are scaled to length 1."""

    def __init__(self, name: str, model: SentenceTransformer) -> None:
        self.name = name
        self.identity = f"{name}-{weights_hash((model,))}"
        self.dimensions = int(model.encode([""]).shape[1])
        self._model = model

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Array of shape (len(texts), dimensions), rows of length 1. Long texts are truncated to the model's limit."""
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        vectors = self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, np.float32)


def open_transformer(name: str, threads: int | None = None) -> TransformerEmbedder:
    """Load a model.

    Args:
        name: a folder, or a name on a hub that this machine can reach.
        threads: threads inside one operation, for the whole process; None leaves the choice to torch.

    Raises:
        ConfigError: the model does not exist or cannot be read.
    """
    if threads is not None:
        torch.set_num_threads(threads)
    try:
        model = SentenceTransformer(name, local_files_only=is_away(name))
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ConfigError(f"cannot load the embedding model {name!r}: {reason[:200]}") from None
    return TransformerEmbedder(name, model)
