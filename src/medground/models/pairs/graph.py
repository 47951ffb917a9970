"""The network as an ONNX graph: an MPNet encoder of two texts, and a head on its first token and the mean of all.

Inputs are `input_ids` and `attention_mask`, int64 of shape (batch, tokens), padded on the right. The output `logits` is
float32 of shape (batch, labels).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto

from medground.models.graphs.encoder import BertShape, EncoderGraph, Parts

Weights = Mapping[str, NDArray[np.float32]]

HEAD = ("head.0", "head.2")
"""The two linear maps of the head, numbered as in training, where the GELU between them is 1."""

_MPNET = Parts(
    query="attention.attn.q",
    key="attention.attn.k",
    value="attention.attn.v",
    attended="attention.attn.o",
    attended_norm="attention.LayerNorm",
)
_FIRST_PLACE = 2
"""MPNet counts positions from 2."""
_FARTHEST = 128
"""Tokens: MPNet keeps all greater distances in one bucket."""


def pair_graph(weights: Weights, shape: BertShape, longest: int) -> onnx.ModelProto:
    """The graph of an encoder with a head.

    Args:
        weights: the encoder's tensors by the names of its checkpoint, and those of the head.
        shape: layers, heads, epsilon.
        longest: most tokens of a pair.

    Raises:
        KeyError: a weight is missing.
    """
    graph = _PairGraph(weights, shape, longest)
    graph.judged(graph.encoded())
    return graph.model("pairs", "logits", len(weights[f"{HEAD[1]}.bias"]))


class _PairGraph(EncoderGraph):
    parts = _MPNET

    def __init__(self, weights: Weights, shape: BertShape, longest: int) -> None:
        super().__init__(weights, shape)
        self._longest = longest

    def embeddings(self) -> str:
        """Word and position vectors, summed and normalised. MPNet has no segments."""
        words = self._node("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        table = self._weights["embeddings.position_embeddings.weight"][_FIRST_PLACE : _FIRST_PLACE + self._longest]
        length = self._node("Shape", "input_ids", start=1, end=2)
        start, axis = self._integers("start", 0), self._integers("first_axis", 0)
        places = self._node("Slice", self._constant("places", table), start, length, axis)
        return self._norm(self._node("Add", words, places), "embeddings.LayerNorm")

    def judged(self, hidden: str) -> None:
        """The logits, from the first token beside the mean of all tokens that are not padding."""
        mask = self._node("Cast", "attention_mask", to=TensorProto.FLOAT)
        column = self._node("Unsqueeze", mask, self._integers("last_axis", -1))
        tokens = self._integers("token_axis", 1)
        total = self._node("ReduceSum", self._node("Mul", hidden, column), tokens, keepdims=0)
        mean = self._node("Div", total, self._node("ReduceSum", mask, tokens, keepdims=1))
        start, end = self._integers("start", 0), self._integers("second", 1)
        first = self._node("Flatten", self._node("Slice", hidden, start, end, tokens), axis=1)
        inner = self._node("Gelu", self._linear(self._node("Concat", first, mean, axis=1), HEAD[0]))
        self._linear(inner, HEAD[1], out="logits")

    def _linear(self, inputs: str, name: str, out: str = "") -> str:
        """A map of the head. As a `Gemm` it stays in float32 when the encoder's products become int8."""
        return self._node(
            "Gemm", inputs, self._weight(f"{name}.weight"), self._weight(f"{name}.bias"), transB=1, out=out
        )

    def _integers(self, name: str, *values: int) -> str:
        return self._constant(name, np.array(values, np.int64))

    def _attention_bias(self) -> tuple[str, ...]:
        """What all layers add to the scores, by the distance of two tokens: shape (1, heads, tokens, tokens)."""
        if not any("attention_bias" in node.output for node in self._nodes):
            table = self._weights["encoder.relative_attention_bias.weight"]
            bias = table[buckets(self._longest, len(table))].transpose(2, 0, 1)[None]
            length = self._node("Shape", "input_ids", start=1, end=2)
            ends = self._node("Concat", length, length, axis=0)
            starts, axes = self._integers("starts", 0, 0), self._integers("token_axes", 2, 3)
            self._node("Slice", self._constant("biases", bias), starts, ends, axes, out="attention_bias")
        return ("attention_bias",)


def buckets(tokens: int, number: int = 32) -> NDArray[np.int64]:
    """The bucket of each pair of places, shape (tokens, tokens): half of them for each direction, wider when far.

    Source: Raffel et al. 2020 (T5), as in MPNet, Song et al. 2020.
    """
    places = np.arange(tokens)
    away = places[:, None] - places[None, :]
    half = number // 2
    exact = half // 2
    far = np.abs(away)
    scaled = np.log(np.maximum(far, 1) / exact) / math.log(_FARTHEST / exact) * (half - exact)
    near_or_far = np.where(far < exact, far, np.minimum(exact + scaled.astype(np.int64), half - 1))
    return np.asarray((away < 0) * half + near_or_far, np.int64)
