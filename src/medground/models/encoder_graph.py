"""Encoders as ONNX graphs: BERT, a sentence's vector from it, and MPNet with a head that reads two texts.

Inputs are int64 of shape (batch, tokens): `input_ids`, and `attention_mask`, 1 for a token and 0 for padding.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load

from medground.errors import ConfigError
from medground.models.catalogue import CONFIG, HEAD, WheelModel

Weights = Mapping[str, NDArray[np.float32]]

_OPSET = 20
INPUTS = ("input_ids", "attention_mask")
_CONTRIB = "com.microsoft"
"""onnxruntime's own operators: its fused attention is several times faster than separate operations."""


class Parts(NamedTuple):
    """What a family of models calls the weights of a layer's attention."""

    inputs: tuple[str, str, str]
    """Query, key and value."""
    attended: str
    attended_norm: str


BERT = Parts(
    ("attention.self.query", "attention.self.key", "attention.self.value"),
    "attention.output.dense",
    "attention.output.LayerNorm",
)


@dataclass(frozen=True)
class BertShape:
    """What the weights do not contain. Field names are those of a transformers `config.json`."""

    num_hidden_layers: int
    num_attention_heads: int
    layer_norm_eps: float


def read_weights(folder: Path, model: WheelModel) -> tuple[dict[str, NDArray[np.float32]], BertShape]:
    """The weights of a fetched model, and its shape.

    Raises ConfigError: the file of weights is not the published one.
    """
    content = (folder / model.weights).read_bytes()
    if hashlib.sha256(content).hexdigest() != model.sha256:
        raise ConfigError(f"{folder / model.weights} differs from the published file; delete it and try again")
    config = json.loads((folder / CONFIG).read_bytes())
    return load(content), BertShape(**{field.name: config[field.name] for field in fields(BertShape)})


class EncoderGraph:
    """A graph under construction from tensors by the names of a transformers model.

    Each method adds nodes and returns the name of their output.

    Weights named `NAME.weight.S` (in,) even out the product of the dense layer `NAME`: its inputs are divided by them
    and its weights multiplied. A few large inputs then no longer cost the others their precision in int8 (SmoothQuant,
    Xiao et al. 2023). Layers that share their inputs have the same ones.

    Every method raises KeyError if a weight is missing.
    """

    parts = BERT

    def __init__(self, weights: Weights, shape: BertShape) -> None:
        self._weights = weights
        self._shape = shape
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def embeddings(self) -> str:
        """Word and position vectors, summed and normalised."""
        words = self.node("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        length = self.node("Shape", "input_ids", start=1, end=2)
        start, axis = self._integers("start", 0), self._integers("first_axis", 0)
        placed = self.node("Slice", self._constant("places", self._places()), start, length, axis)
        return self._norm(self.node("Add", words, placed), "embeddings.LayerNorm")

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
        hidden = self._norm(self.node("Add", attended, hidden), f"{name}.{part.attended_norm}")
        inner = self.node("Gelu", self._dense(hidden, f"{name}.intermediate.dense"))
        added = self.node("Add", self._dense(inner, f"{name}.output.dense"), hidden)
        return self._norm(added, f"{name}.output.LayerNorm")

    def mask(self, out: str = "") -> str:
        """1 for a token and 0 for padding, as numbers that can be multiplied."""
        return self.node("Cast", "attention_mask", to=TensorProto.FLOAT, out=out)

    def summed(self, hidden: str, mask: str) -> str:
        """The sum over the tokens of a mask."""
        column = self.node("Unsqueeze", mask, self._integers("last_axis", -1))
        return self.node("ReduceSum", self.node("Mul", hidden, column), self._integers("token_axis", 1), keepdims=0)

    def mean(self, hidden: str, mask: str) -> str:
        """The mean over the tokens of a mask."""
        total = self.summed(hidden, mask)
        return self.node("Div", total, self.node("ReduceSum", mask, self._integers("token_axis", 1), keepdims=1))

    def model(self, name: str, output: str, size: int, inputs: Sequence[str] = INPUTS) -> onnx.ModelProto:
        """The finished model, which returns the node `output`, float32 of shape (batch, size).

        The graph under construction is empty afterwards: large weights are moved, not copied.
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
        parts = [self._dense(hidden, f"{name}.{part}") for part in self.parts.inputs]
        # The empty name is the operator's optional bias, which the dense layers have already added.
        return self.node(
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
            self.node("Cast", "attention_mask", to=TensorProto.INT32, out="key_mask")
        return "key_mask"

    def _dense(self, inputs: str, name: str) -> str:
        weight = self._weights[f"{name}.weight"].T
        if (factors := self._weights.get(f"{name}.weight.S")) is not None:
            weight, inputs = weight * factors[:, None], self._evened(inputs, factors)
        product = self.node("MatMul", inputs, self._constant(f"{name}.weight", weight), out=f"{name}.product")
        return self.node("Add", product, self._weight(f"{name}.bias"))

    def _evened(self, inputs: str, factors: NDArray[np.float32]) -> str:
        """The inputs of a product divided by factors, once for all products that share the inputs."""
        name = f"{inputs}.evened"
        if not any(name in node.output for node in self._nodes):
            self.node("Mul", inputs, self._constant(f"{name}.by", 1 / factors), out=name)
        return name

    def _norm(self, inputs: str, name: str) -> str:
        scale, shift = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self.node("LayerNormalization", inputs, scale, shift, axis=-1, epsilon=self._shape.layer_norm_eps)

    def _weight(self, name: str) -> str:
        return self._constant(name, self._weights[name])

    def _integers(self, name: str, *values: int) -> str:
        return self._constant(name, np.array(values, np.int64))

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def node(self, operation: str, *inputs: str, out: str = "", domain: str = "", **attributes: Any) -> str:
        """Add an operation; returns the name of its output."""
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


def mean_graph(weights: Weights, shape: BertShape) -> onnx.ModelProto:
    """The float32 graph of a BERT encoder with mean pooling and unit length.

    Raises KeyError: a weight is missing.
    """
    graph = EncoderGraph(weights, shape)
    # The mean and the sum have the same direction, so scaling replaces the division by the token count.
    graph.node("LpNormalization", graph.summed(graph.encoded(), graph.mask()), axis=-1, p=2, out="embedding")
    return graph.model("sentence_encoder", "embedding", weights["embeddings.word_embeddings.weight"].shape[1])


# The graph of a network that reads two texts.

_MPNET = Parts(("attention.attn.q", "attention.attn.k", "attention.attn.v"), "attention.attn.o", "attention.LayerNorm")
_FIRST_PLACE = 2
"""MPNet counts positions from 2."""
_FARTHEST = 128
"""Tokens: MPNet keeps all greater distances in one bucket."""


def pair_graph(weights: Weights, shape: BertShape, longest: int) -> onnx.ModelProto:
    """The graph of an encoder with a head, whose weights are there too, for pairs of at most `longest` tokens.

    Raises KeyError: a weight is missing.
    """
    graph = _PairGraph(weights, shape, longest)
    graph.judged(graph.encoded())
    return graph.model("pairs", "logits", len(weights[f"{HEAD[1]}.bias"]))


class _PairGraph(EncoderGraph):
    parts = _MPNET

    def __init__(self, weights: Weights, shape: BertShape, longest: int) -> None:
        super().__init__(weights, shape)
        self._longest = longest

    def _places(self) -> NDArray[np.float32]:
        return self._weights["embeddings.position_embeddings.weight"][_FIRST_PLACE : _FIRST_PLACE + self._longest]

    def judged(self, hidden: str) -> None:
        """The logits, from the first token beside the mean of all tokens that are not padding."""
        mean = self.mean(hidden, self.mask())
        place = self._integers("start", 0), self._integers("second", 1), self._integers("token_axis", 1)
        first = self.node("Flatten", self.node("Slice", hidden, *place), axis=1)
        inner = self.node("Gelu", self._linear(self.node("Concat", first, mean, axis=1), HEAD[0]))
        self._linear(inner, HEAD[1], out="logits")

    def _linear(self, inputs: str, name: str, out: str = "") -> str:
        """A map of the head. As a `Gemm` it stays in float32 when the encoder's products become int8."""
        return self.node(
            "Gemm", inputs, self._weight(f"{name}.weight"), self._weight(f"{name}.bias"), transB=1, out=out
        )

    def _attention_bias(self) -> tuple[str, ...]:
        if not any("attention_bias" in node.output for node in self._nodes):
            table = self._weights["encoder.relative_attention_bias.weight"]
            bias = table[buckets(self._longest, len(table))].transpose(2, 0, 1)[None]
            length = self.node("Shape", "input_ids", start=1, end=2)
            ends = self.node("Concat", length, length, axis=0)
            starts, axes = self._integers("starts", 0, 0), self._integers("token_axes", 2, 3)
            self.node("Slice", self._constant("biases", bias), starts, ends, axes, out="attention_bias")
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
