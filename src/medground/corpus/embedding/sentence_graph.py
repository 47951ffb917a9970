"""A BERT sentence encoder as an ONNX graph.

The output `embedding` is float32 of shape (batch, hidden): the mean of the last layer's vectors over the tokens,
scaled to length 1.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto

from medground.models.graphs.encoder import BertShape, EncoderGraph


def sentence_encoder(weights: Mapping[str, NDArray[np.float32]], shape: BertShape) -> onnx.ModelProto:
    """The graph of a BERT encoder with mean pooling and unit length.

    Args:
        weights: tensors by the names of a transformers `BertModel`.
        shape: layers, heads, epsilon.

    Raises:
        KeyError: a weight is missing.
    """
    graph = _SentenceGraph(weights, shape)
    graph.pooled(graph.encoded())
    return graph.model("sentence_encoder", "embedding", weights["embeddings.word_embeddings.weight"].shape[1])


class _SentenceGraph(EncoderGraph):
    def pooled(self, hidden: str) -> None:
        """Mean over tokens that are not padding, scaled to length 1."""
        mask = self._node("Cast", "attention_mask", to=TensorProto.FLOAT)
        column = self._node("Unsqueeze", mask, self._constant("last_axis", np.array([-1], np.int64)))
        tokens = self._constant("token_axis", np.array([1], np.int64))
        # The mean and the sum have the same direction, so scaling replaces the division by the token count.
        total = self._node("ReduceSum", self._node("Mul", hidden, column), tokens, keepdims=0)
        self._node("LpNormalization", total, axis=-1, p=2, out="embedding")
