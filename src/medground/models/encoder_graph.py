"""A BERT encoder as an ONNX graph, which `embedding.minilm` and `pair_graph` extend.

Inputs are int64 of shape (batch, tokens): `input_ids`, and `attention_mask`, 1 for a token and 0 for padding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

_OPSET = 20
INPUTS = ("input_ids", "attention_mask")
_CONTRIB = "com.microsoft"
"""onnxruntime's own operators: its fused attention is several times faster than separate operations."""


@dataclass(frozen=True)
class Parts:
    """What a family of models calls the weights of a layer."""

    query: str
    key: str
    value: str
    attended: str
    attended_norm: str
    inner: str = "intermediate.dense"
    outer: str = "output.dense"
    outer_norm: str = "output.LayerNorm"


BERT = Parts(
    query="attention.self.query",
    key="attention.self.key",
    value="attention.self.value",
    attended="attention.output.dense",
    attended_norm="attention.output.LayerNorm",
)


@dataclass(frozen=True)
class BertShape:
    """What the weights do not contain. Field names are those of a transformers `config.json`."""

    num_hidden_layers: int
    num_attention_heads: int
    layer_norm_eps: float


def product_of(name: str) -> str:
    """The node that multiplies by the weight of a dense layer."""
    return f"{name}.product"


class EncoderGraph:
    """A graph under construction. Each method adds nodes and returns the name of their output.

    Args:
        weights: tensors by the names of a transformers model.
        shape: layers, heads, epsilon.

    Weights named `NAME.weight.S` (in,) even out the product of the dense layer `NAME`: its inputs are divided by them
    and its weights multiplied. A few large inputs then no longer cost the others their precision in int8 (SmoothQuant,
    Xiao et al. 2023). Layers that share their inputs have the same ones.

    Every method raises KeyError if a weight is missing.
    """

    parts = BERT

    def __init__(self, weights: Mapping[str, NDArray[np.float32]], shape: BertShape) -> None:
        self._weights = weights
        self._shape = shape
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def embeddings(self) -> str:
        """Word and position vectors, summed and normalised."""
        words = self._node("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        length = self._node("Shape", "input_ids", start=1, end=2)
        start, axis = self._integers("start", 0), self._integers("first_axis", 0)
        placed = self._node("Slice", self._constant("places", self._places()), start, length, axis)
        return self._norm(self._node("Add", words, placed), "embeddings.LayerNorm")

    def encoded(self) -> str:
        """The vectors of all tokens after the last layer, float32 of shape (batch, tokens, hidden)."""
        hidden = self.embeddings()
        for layer in range(self._shape.num_hidden_layers):
            hidden = self.layer(hidden, f"encoder.layer.{layer}")
        return hidden

    def layer(self, hidden: str, name: str) -> str:
        """Self-attention, then the feed-forward network, each with its residual and norm."""
        part = self.parts
        attended = self._dense(self._attention(hidden, name), f"{name}.{part.attended}")
        hidden = self._norm(self._node("Add", attended, hidden), f"{name}.{part.attended_norm}")
        inner = self._node("Gelu", self._dense(hidden, f"{name}.{part.inner}"))
        return self._norm(
            self._node("Add", self._dense(inner, f"{name}.{part.outer}"), hidden), f"{name}.{part.outer_norm}"
        )

    def summed(self, hidden: str) -> tuple[str, str, str]:
        """The sum over all tokens that are not padding; and the mask and the axis that it was made with."""
        mask = self._node("Cast", "attention_mask", to=TensorProto.FLOAT)
        column = self._node("Unsqueeze", mask, self._integers("last_axis", -1))
        tokens = self._integers("token_axis", 1)
        return self._node("ReduceSum", self._node("Mul", hidden, column), tokens, keepdims=0), mask, tokens

    def model(self, name: str, output: str, size: int, inputs: Sequence[str] = INPUTS) -> onnx.ModelProto:
        """The finished model. The graph under construction is empty afterwards: large weights are moved, not copied.

        Args:
            name: of the graph.
            output: name of the node that it returns, float32 of shape (batch, size).
            size: numbers per row.
            inputs: names of its inputs.
        """
        tokens = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "tokens"]) for n in inputs]
        result = helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", size])
        graph = helper.make_graph(self._nodes, name, tokens, [result])
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIB, 1)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="medground")
        for key in list(self._constants):
            made.graph.initializer.append(self._constants.pop(key))
        return made

    def _places(self) -> NDArray[np.float32]:
        """The vector of each place; of BERT with that of segment 0, to which all tokens belong."""
        segment = self._weights["embeddings.token_type_embeddings.weight"][0]
        return np.asarray(self._weights["embeddings.position_embeddings.weight"] + segment)

    def _attention(self, hidden: str, name: str) -> str:
        parts = [self._dense(hidden, f"{name}.{p}") for p in (self.parts.query, self.parts.key, self.parts.value)]
        # The empty name is the operator's optional bias, which the dense layers have already added.
        return self._node(
            "MultiHeadAttention",
            *parts,
            "",
            self._key_mask(),
            *self._attention_bias(),
            domain=_CONTRIB,
            num_heads=self._shape.num_attention_heads,
        )

    def _attention_bias(self) -> tuple[str, ...]:
        """What is added to the scores of every layer; BERT has nothing."""
        return ()

    def _key_mask(self) -> str:
        if not any("key_mask" in node.output for node in self._nodes):
            self._node("Cast", "attention_mask", to=TensorProto.INT32, out="key_mask")
        return "key_mask"

    def _dense(self, inputs: str, name: str) -> str:
        weight = self._weights[f"{name}.weight"].T
        if (factors := self._weights.get(f"{name}.weight.S")) is not None:
            weight, inputs = weight * factors[:, None], self._evened(inputs, factors)
        product = self._node("MatMul", inputs, self._constant(f"{name}.weight", weight), out=product_of(name))
        return self._node("Add", product, self._weight(f"{name}.bias"))

    def _evened(self, inputs: str, factors: NDArray[np.float32]) -> str:
        """The inputs of a product divided by factors, once for all products that share the inputs."""
        name = f"{inputs}.evened"
        if not any(name in node.output for node in self._nodes):
            self._node("Mul", inputs, self._constant(f"{name}.by", 1 / factors), out=name)
        return name

    def _norm(self, inputs: str, name: str) -> str:
        scale, shift = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self._node("LayerNormalization", inputs, scale, shift, axis=-1, epsilon=self._shape.layer_norm_eps)

    def _weight(self, name: str) -> str:
        return self._constant(name, self._weights[name])

    def _integers(self, name: str, *values: int) -> str:
        return self._constant(name, np.array(values, np.int64))

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def _node(self, operation: str, *inputs: str, out: str = "", domain: str = "", **attributes: Any) -> str:
        name = out or f"{operation}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operation, list(inputs), [name], name, domain=domain, **attributes))
        return name


def saved(model: onnx.ModelProto, path: Path) -> Path:
    """Write a graph and return its path."""
    # The graph already contains its shapes; without this flag, the quantiser warns that it might need preprocessing.
    onnx.helper.set_model_props(model, {"onnx.quant.pre_process": "onnxruntime.quant"})
    onnx.save(model, path)
    return path


def quantised(graph: Path, path: Path) -> Path:
    """Write the graph with matrix products in int8 and return the path.

    Weights have one scale per output channel, activations one per call, so the other texts of a batch slightly
    influence a vector (block-wise int8 avoids this, but was no faster than float32 when measured). Weights use 7 of the
    8 bits: processors without VNNI add products in 16 bits, which full-range weights would overflow, and a graph may
    be used on a different machine from the one that its results were measured on.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        graph,
        path,
        op_types_to_quantize=["MatMul"],
        per_channel=True,
        reduce_range=True,
        weight_type=QuantType.QInt8,
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},  # the type of onnxruntime's own operators
    )
    return path
