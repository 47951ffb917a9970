"""The two base models, as their checkpoints name things: all-mpnet-base-v2 and all-MiniLM-L6-v2 (both Apache-2.0)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

Weights = Mapping[str, torch.Tensor]


@dataclass(frozen=True)
class Base:
    """A base model: its shape, and what its checkpoint calls the parts of a layer.

    Attributes:
        layers: number of layers.
        heads: attention heads of each layer.
        linear: names of the six matrices of a layer: query, key, value, output, up, down.
        norms: names of the two layer norms of a layer.
        padding: token id that fills up short rows.
        first_position: position of the first token.
        epsilon: of the layer norms.
    """

    name: str
    layers: int
    heads: int
    linear: Sequence[str]
    norms: Sequence[str]
    padding: int
    first_position: int
    epsilon: float

    def layer(self, number: int) -> list[str]:
        """Full names of the six matrices of a layer, without `.weight`."""
        return [f"encoder.layer.{number}.{part}" for part in self.linear]


BASES: Mapping[str, Base] = {
    base.name: base
    for base in (
        Base(
            "all-mpnet-base-v2", 12, 12,
            [*(f"attention.attn.{p}" for p in "qkvo"), "intermediate.dense", "output.dense"],
            ["attention.LayerNorm", "output.LayerNorm"], 1, 2, 1e-5,
        ),
        Base(
            "all-minilm-l6-v2", 6, 12,
            [*(f"attention.self.{p}" for p in ("query", "key", "value")),
             "attention.output.dense", "intermediate.dense", "output.dense"],
            ["attention.output.LayerNorm", "output.LayerNorm"], 0, 0, 1e-12,
        ),
    )
}  # fmt: skip


def weights_of(folder: Path) -> dict[str, torch.Tensor]:
    """The tensors of a checkpoint, float32."""
    return {name: tensor.float() for name, tensor in load_file(folder / "model.safetensors").items()}


def tokenizer_of(folder: Path, max_length: int) -> Tokenizer:
    """The tokenizer for pairs; the longer text of a pair is cut."""
    tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length, strategy="longest_first")
    return tokenizer
