"""A network that reads two texts: the ONNX graph, and the file of differences from a public checkpoint that ships."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import onnx
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load

from medground.errors import ConfigError
from medground.models.encoder_graph import BertShape, EncoderGraph, Parts

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

    def _places(self) -> NDArray[np.float32]:
        return self._weights["embeddings.position_embeddings.weight"][_FIRST_PLACE : _FIRST_PLACE + self._longest]

    def judged(self, hidden: str) -> None:
        """The logits, from the first token beside the mean of all tokens that are not padding."""
        total, mask, tokens = self.summed(hidden)
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


# The file that ships a trained network: low-rank differences from a public checkpoint, and a head (safetensors).

Tensors = dict[str, NDArray[np.float32]]

_HEAD = {f"{name}.{part}" for name in HEAD for part in ("weight", "bias")}


class About(BaseModel):
    """What a network is, beside its numbers.

    Attributes:
        base: the public checkpoint, such as `all-mpnet-base-v2`.
        labels: its outputs, in order.
        max_length: most tokens of a pair.
        temperature: logits are divided by it, so that their softmax is calibrated.
        order: the premise (a passage) comes before the hypothesis (a statement).
        abstain_below: a probability below this decides nothing.
        trained_on: one line about the data.
        version: of the weights.
    """

    model_config = ConfigDict(frozen=True)

    base: str
    kind: Literal["critic"]
    labels: tuple[str, ...]
    max_length: int = Field(ge=8, le=512)
    temperature: float = Field(gt=0, allow_inf_nan=False)
    order: Literal["premise,hypothesis"]
    abstain_below: float = Field(ge=0, le=1)
    trained_on: str
    version: str


@dataclass(frozen=True)
class Differences:
    """A trained network as its difference from a checkpoint."""

    about: About
    tensors: Tensors


def read(content: bytes, name: str) -> Differences:
    """Read the bytes of such a file; `name` is for messages.

    Raises:
        ConfigError: it is damaged, a metadata entry is missing or wrong, or the head does not fit the labels.
    """
    try:
        tensors = {key: value.astype(np.float32) for key, value in load(content).items()}
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise _damaged(name, str(error).splitlines()[0]) from None
    about = _about(content, name)
    if missing := sorted(_HEAD - tensors.keys()):
        raise _damaged(name, f"it lacks {missing[0]}")
    if not all(np.isfinite(value).all() for value in tensors.values()):
        raise _damaged(name, "it has numbers that are not finite")
    if len(tensors[f"{HEAD[1]}.bias"]) != len(about.labels):
        raise _damaged(name, f"it has {len(tensors[f'{HEAD[1]}.bias'])} outputs and {len(about.labels)} labels")
    return Differences(about, tensors)


def joined(base: Mapping[str, NDArray[Any]], differences: Differences, name: str) -> Tensors:
    """The weights of the trained network, calibrated: the temperature is part of the head.

    Products are summed in float64, so that the result is the same on every machine.

    Raises:
        ConfigError: a difference does not fit the checkpoint.
    """
    found: Tensors = {key: np.asarray(value, np.float32) for key, value in base.items() if value.dtype.kind == "f"}
    for key, value in differences.tensors.items():
        if key in _HEAD:
            found[key] = value
        elif key.endswith(".A"):
            moved = key.removesuffix(".A")
            found[moved] = _moved(found.get(moved), value, differences.tensors.get(f"{moved}.B"), moved, name)
        elif key.endswith(".S"):
            weight = found.get(key.removesuffix(".S"))
            if weight is None or weight.ndim != 2 or value.shape != weight.shape[1:] or not (value > 0).all():
                raise _misfit(name, key)
            found[key] = value
        elif not key.endswith(".B"):
            if key not in found or found[key].shape != value.shape:
                raise _misfit(name, key)
            found[key] = value
        elif f"{key.removesuffix('.B')}.A" not in differences.tensors:
            raise _misfit(name, key)
    for part in ("weight", "bias"):
        found[f"{HEAD[1]}.{part}"] = found[f"{HEAD[1]}.{part}"] / np.float32(differences.about.temperature)
    return found


def _moved(
    weight: NDArray[np.float32] | None,
    down: NDArray[np.float32],
    up: NDArray[np.float32] | None,
    key: str,
    name: str,
) -> NDArray[np.float32]:
    if weight is None or up is None or (up.shape[0], down.shape[1]) != weight.shape or up.shape[1] != down.shape[0]:
        raise _misfit(name, key)
    return np.asarray(weight + up.astype(np.float64) @ down.astype(np.float64), np.float32)


def _about(content: bytes, name: str) -> About:
    size = int.from_bytes(content[:8], "little")
    given = json.loads(content[8 : 8 + size]).get("__metadata__") or {}
    try:
        return About.model_validate({**given, "labels": json.loads(given.get("labels", "null"))})
    except ValidationError as error:
        first = error.errors()[0]
        what = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    except ValueError as error:
        what = f"labels: {error}"
    raise _damaged(name, f"its metadata are wrong ({what})")


def _damaged(name: str, what: str) -> ConfigError:
    return ConfigError(f"the weights of {name} are damaged: {what[:200]}; reinstall medground")


def _misfit(name: str, key: str) -> ConfigError:
    return ConfigError(f"the weights of {name} do not fit their base: {key[:100]}; reinstall medground")
