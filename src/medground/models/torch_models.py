"""Models of transformers from a folder or a hub (extra `torch`): loading them, and the embedders among them."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from numpy.typing import NDArray
from safetensors import SafetensorError
from sentence_transformers import SentenceTransformer

from medground.errors import ConfigError, first_line
from medground.models.embedders import ARTICLE, NAME, QUERY, full_name, is_away, place
from medground.values.grouping import portions

# Load a model of transformers from a folder or a hub (extra `torch`), and hash what was loaded.


def load_model(name: str, task: str, what: str) -> tuple[Any, Any]:
    """A model of a folder or a hub, ready to be asked, and its tokenizer.

    `task` is the class that loads it, such as `AutoModel`, and `what` its name in an error, such as `the reranker`.

    Raises ConfigError: the model does not exist or cannot be read.
    """
    logs: Any = transformers.utils.logging  # it has types only where it is installed
    logs.disable_progress_bar()
    try:
        local = is_away(name)
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, local_files_only=local)
        loader = getattr(transformers, task)
        model, told = loader.from_pretrained(name, local_files_only=local, output_loading_info=True)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise ConfigError(f"cannot load {what} {name!r}: {first_line(error)}") from None
    # What the files lack would be random numbers. A pooler is not asked.
    if lacking := sorted(key for key in told["missing_keys"] if not key.startswith("pooler.")):
        raise ConfigError(f"cannot load {what} {name!r}: its weights lack {lacking[0]}; use another model")
    return model.to("cuda" if torch.cuda.is_available() else "cpu").eval(), tokenizer


def longest(model: Any, tokenizer: Any, wanted: int = 1 << 20) -> int:
    """How many tokens the model can read, at most `wanted`."""
    return min(wanted, int(tokenizer.model_max_length), int(model.config.max_position_embeddings))


def weights_hash(models: Iterable[Any]) -> str:
    """SHA-256 (16 hex digits) of the names, types and values of all weights of these models, in their order."""
    digest = hashlib.sha256()
    for model in models:
        for name, tensor in sorted(model.state_dict().items()):
            value = tensor.detach().cpu().contiguous()
            digest.update(f"{name}{tuple(value.shape)}{value.dtype}".encode())
            digest.update(value.view(torch.uint8).numpy().tobytes() if value.dim() else value.numpy().tobytes())
    return digest.hexdigest()[:16]


# MedCPT: one encoder reads questions, another reads articles (extra `torch`).

_QUERY_TOKENS, _ARTICLE_TOKENS = 64, 512
"""What the encoders were trained with."""
_BATCH = 32
_MULTIPLE = 4
"""The index of many vectors cuts them into parts of this many numbers."""


class MedCptEmbedder:
    """Two BERT encoders whose vectors are compared, that of questions and that of articles, by folder or hub name.

    Raises ConfigError: one cannot be loaded or is not a BERT encoder, or their vectors differ in length.
    """

    def __init__(self, name: str, query: str, article: str) -> None:
        self.name = name
        self._query, self._query_words = load_model(query, "AutoModel", "MedCPT's query encoder")
        self._article, self._article_words = load_model(article, "AutoModel", "MedCPT's article encoder")
        self._width, other = int(self._query.config.hidden_size), int(self._article.config.hidden_size)
        if self._width != other:
            raise ConfigError(
                f"the query encoder gives vectors of length {self._width} and the article encoder of {other}; "
                "use two encoders of the same MedCPT"
            )
        self._greatest = _greatest_length(self._article, article)
        self.identity = f"{NAME}-{weights_hash((self._query, self._article))}"
        self._lock = threading.Lock()  # a tokenizer keeps the truncation of its last call
        self.dimensions = -(-(self._width + 1) // _MULTIPLE) * _MULTIPLE

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of questions: to compare questions with each other."""
        return self.embed_queries(texts)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Array of shape (len(texts), dimensions), rows of length 1. Texts are truncated at 64 tokens."""
        found = self._encoded(self._query, self._query_words, [(text,) for text in texts], _QUERY_TOKENS)
        return self._padded(found / np.linalg.norm(found, axis=1, keepdims=True))

    def embed_passages(self, passages: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Array of shape (len(passages), dimensions), rows of length 1. Pairs are truncated at 512 tokens."""
        found = self._encoded(self._article, self._article_words, passages, _ARTICLE_TOKENS) / self._greatest
        vectors = self._padded(found)
        vectors[:, self._width] = np.sqrt(np.maximum(0.0, 1.0 - (found.astype(np.float64) ** 2).sum(axis=1)))
        return vectors

    def _encoded(
        self, model: Any, tokenizer: Any, texts: Sequence[tuple[str, ...]], tokens: int
    ) -> NDArray[np.float32]:
        vectors = np.empty((len(texts), self._width), np.float32)
        limit = longest(model, tokenizer, tokens)
        order = sorted(range(len(texts)), key=lambda number: -sum(map(len, texts[number])))
        with torch.inference_mode():
            for batch in portions(order, _BATCH):
                parts = [list(part) for part in zip(*(texts[number] for number in batch), strict=True)]
                with self._lock:
                    read = tokenizer(*parts, truncation=True, padding=True, max_length=limit, return_tensors="pt")
                states = model(**read.to(model.device)).last_hidden_state[:, 0, :]
                vectors[batch] = states.float().cpu().numpy()
        return vectors

    def _padded(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.pad(vectors, ((0, 0), (0, self.dimensions - self._width)))


def open_medcpt(name: str, home: Path, threads: int | None) -> MedCptEmbedder:
    """Open both encoders of `medcpt`, which looks in `home/models/medcpt`, then on the hub, or of `medcpt:FOLDER`.

    `threads` inside one operation are for the whole process; None leaves the choice to torch.

    Raises ConfigError: a folder or one of the encoders is missing, cannot be read, or does not fit the other.
    """
    query, article = (place(name, part, home / "models") for part in (QUERY, ARTICLE))
    if threads is not None:
        torch.set_num_threads(threads)
    return MedCptEmbedder(full_name(name), query, article)


def _greatest_length(model: Any, name: str) -> float:
    """An upper bound of the length of a vector: a layer's last step scales numbers of mean square 1 and adds a bias."""
    try:
        last = model.encoder.layer[-1].output.LayerNorm
    except AttributeError:
        raise ConfigError(f"{name} is not a BERT encoder; use {ARTICLE}") from None
    weight, bias = last.weight.detach().double(), last.bias.detach().double()
    return float(weight.abs().max() * len(weight) ** 0.5 + bias.norm())


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


def open_transformer(name: str, threads: int | None) -> TransformerEmbedder:
    """Load a model from a folder, or from a hub that this machine can reach; `threads` as in `open_medcpt`.

    Raises ConfigError: the model does not exist or cannot be read.
    """
    if threads is not None:
        torch.set_num_threads(threads)
    try:
        model = SentenceTransformer(name, local_files_only=is_away(name))
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ConfigError(f"cannot load the embedding model {name!r}: {first_line(error)}") from None
    return TransformerEmbedder(name, model)
