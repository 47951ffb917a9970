"""A BERT sentence encoder as an ONNX graph, written from the weights alone: no torch, no exporter.

Inputs are `input_ids` and `attention_mask`, int64 of shape (batch, tokens), the mask 1 for a token and 0 for padding.
The output `embedding` is float32 of shape (batch, hidden): the mean of the last layer's vectors over the tokens,
scaled to length 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

_OPSET = 20
_CONTRIB = "com.microsoft"
"""onnxruntime's own operators: its fused attention is several times faster than separate operations."""


@dataclass(frozen=True)
class BertShape:
    """What the weights do not contain. Field names are those of a transformers `config.json`."""

    num_hidden_layers: int
    num_attention_heads: int
    layer_norm_eps: float


def sentence_encoder(weights: Mapping[str, NDArray[np.float32]], shape: BertShape) -> onnx.ModelProto:
    """The graph of a BERT encoder with mean pooling and unit length.

    Args:
        weights: tensors by the names of a transformers `BertModel`.
        shape: layers, heads, epsilon.

    Raises:
        KeyError: a weight is missing.
    """
    graph = _Graph(weights, shape)
    hidden = graph.embeddings()
    for layer in range(shape.num_hidden_layers):
        hidden = graph.layer(hidden, f"encoder.layer.{layer}")
    graph.pooled(hidden)
    return graph.model()


class _Graph:
    """A graph under construction. Each method adds nodes and returns the name of their output."""

    def __init__(self, weights: Mapping[str, NDArray[np.float32]], shape: BertShape) -> None:
        self._weights = weights
        self._shape = shape
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def embeddings(self) -> str:
        """Word, position and segment vectors, summed and normalised. All tokens belong to segment 0."""
        words = self._node("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        places = self._weights["embeddings.position_embeddings.weight"]
        segment = self._weights["embeddings.token_type_embeddings.weight"][0]
        length = self._node("Shape", "input_ids", start=1, end=2)
        placed = self._node(
            "Slice",
            self._constant("places", places + segment),
            self._constant("zero", np.array([0], np.int64)),
            length,
            self._constant("first_axis", np.array([0], np.int64)),
        )
        return self._norm(self._node("Add", words, placed), "embeddings.LayerNorm")

    def layer(self, hidden: str, name: str) -> str:
        """Self-attention, then the feed-forward network, each with its residual and norm."""
        attended = self._dense(self._attention(hidden, f"{name}.attention.self"), f"{name}.attention.output.dense")
        hidden = self._norm(self._node("Add", attended, hidden), f"{name}.attention.output.LayerNorm")
        inner = self._node("Gelu", self._dense(hidden, f"{name}.intermediate.dense"))
        return self._norm(
            self._node("Add", self._dense(inner, f"{name}.output.dense"), hidden), f"{name}.output.LayerNorm"
        )

    def pooled(self, hidden: str) -> None:
        """Mean over tokens that are not padding, scaled to length 1."""
        mask = self._node("Cast", "attention_mask", to=TensorProto.FLOAT)
        column = self._node("Unsqueeze", mask, self._constant("last_axis", np.array([-1], np.int64)))
        tokens = self._constant("token_axis", np.array([1], np.int64))
        # The mean and the sum have the same direction, so scaling replaces the division by the token count.
        total = self._node("ReduceSum", self._node("Mul", hidden, column), tokens, keepdims=0)
        self._node("LpNormalization", total, axis=-1, p=2, out="embedding")

    def model(self) -> onnx.ModelProto:
        """The finished model."""
        tokens = [
            helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "tokens"])
            for n in ("input_ids", "attention_mask")
        ]
        size = self._weights["embeddings.word_embeddings.weight"].shape[1]
        result = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", size])
        graph = helper.make_graph(self._nodes, "sentence_encoder", tokens, [result], list(self._constants.values()))
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="medground")

    def _attention(self, hidden: str, name: str) -> str:
        parts = [self._dense(hidden, f"{name}.{part}") for part in ("query", "key", "value")]
        # The empty name is the operator's optional bias, which the dense layers have already added.
        return self._node(
            "MultiHeadAttention",
            *parts,
            "",
            self._key_mask(),
            domain=_CONTRIB,
            num_heads=self._shape.num_attention_heads,
        )

    def _key_mask(self) -> str:
        if not any("key_mask" in node.output for node in self._nodes):
            self._node("Cast", "attention_mask", to=TensorProto.INT32, out="key_mask")
        return "key_mask"

    def _dense(self, inputs: str, name: str) -> str:
        product = self._node("MatMul", inputs, self._constant(f"{name}.weight", self._weights[f"{name}.weight"].T))
        return self._node("Add", product, self._weight(f"{name}.bias"))

    def _norm(self, inputs: str, name: str) -> str:
        scale, shift = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self._node("LayerNormalization", inputs, scale, shift, axis=-1, epsilon=self._shape.layer_norm_eps)

    def _weight(self, name: str) -> str:
        return self._constant(name, self._weights[name])

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def _node(self, operation: str, *inputs: str, out: str = "", domain: str = "", **attributes: Any) -> str:
        name = out or f"{operation}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operation, list(inputs), [name], name, domain=domain, **attributes))
        return name
