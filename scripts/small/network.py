"""The cross-encoder in plain torch: a frozen base in bfloat16 with trained low-rank differences, and a head.

A linear map computes `W x + b + B A x` with trained `A` (rank, in) and `B` (out, rank). Only maps from layer `first` on
have a difference, so nothing is sent back through the layers below. The head sees the first token and the mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from small.bases import Base, Weights

_BUCKETS, _FARTHEST = 32, 128
"""MPNet's relative positions: number of buckets, and the distance from which all are one bucket."""


class _Sum(torch.autograd.Function):
    """`x W^T + b + x A^T B^T`, with gradients for x, A and B only; sums are made in place."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, down: Tensor, up: Tensor) -> Tensor:
        small = x @ down.T
        ctx.save_for_backward(x, weight, down, up, small)
        return torch.addmm(bias, x, weight.T).addmm_(small, up.T)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, down, up, small = ctx.saved_tensors
        inner = grad @ up
        back = torch.mm(grad, weight).addmm_(inner, down) if ctx.needs_input_grad[0] else None
        return back, None, None, inner.T @ x, grad.T @ small


class Low(nn.Module):
    """A frozen linear map, or several that share their input, with a trained low-rank difference each.

    Args:
        names: full names of the maps, whose outputs are concatenated.
        rank: 0 for none.
    """

    def __init__(self, weights: Weights, names: Sequence[str], rank: int) -> None:
        super().__init__()
        self.names, self.rank = names, rank
        self.register_buffer("weight", torch.cat([weights[f"{n}.weight"] for n in names]).bfloat16())
        self.register_buffer("bias", torch.cat([weights[f"{n}.bias"] for n in names]).bfloat16())
        self.outs = [len(weights[f"{n}.bias"]) for n in names]
        if rank:
            inward = self.weight.shape[1]
            self.down = nn.Parameter(torch.randn(len(names) * rank, inward) / math.sqrt(inward))
            self.up = nn.ParameterList(nn.Parameter(torch.zeros(out, rank)) for out in self.outs)

    def forward(self, x: Tensor) -> Tensor:
        """Outputs, bfloat16 of shape (..., sum of outs), for inputs of shape (..., in)."""
        if not self.rank:
            return functional.linear(x, self.weight, self.bias)
        up = torch.block_diag(*self.up) if len(self.outs) > 1 else self.up[0]
        flat = x.reshape(-1, x.shape[-1])
        out: Tensor = _Sum.apply(flat, self.weight, self.bias, self.down.bfloat16(), up.bfloat16())
        return out.view(*x.shape[:-1], -1)

    def differences(self) -> dict[str, Tensor]:
        """`NAME.weight.A` and `NAME.weight.B` of each map, float32."""
        if not self.rank:
            return {}
        found = {}
        for name, down, up in zip(self.names, self.down.split(self.rank), self.up, strict=True):
            found |= {f"{name}.weight.A": down.detach(), f"{name}.weight.B": up.detach()}
        return found


class Layer(nn.Module):
    """One layer, with its norms after each part."""

    def __init__(self, base: Base, weights: Weights, number: int, rank: int) -> None:
        super().__init__()
        q, k, v, o, up, down = base.layer(number)
        self.heads, self.epsilon = base.heads, base.epsilon
        self.qkv, self.o = Low(weights, [q, k, v], rank), Low(weights, [o], rank)
        self.up, self.down = Low(weights, [up], rank), Low(weights, [down], rank)
        for place, norm in enumerate(base.norms):
            for part in ("weight", "bias"):
                self.register_buffer(f"norm{place}_{part}", weights[f"encoder.layer.{number}.{norm}.{part}"].bfloat16())

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """The next hidden states, shape (pairs, tokens, size); `bias` is added to the attention scores."""
        pairs, tokens, size = x.shape
        q, k, v = self.qkv(x).view(pairs, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ (k * (size // self.heads) ** -0.5).transpose(-1, -2) + bias
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(pairs, tokens, size)
        x = self._norm(x + self.o(mixed), self.norm0_weight, self.norm0_bias)
        return self._norm(x + self.down(functional.gelu(self.up(x))), self.norm1_weight, self.norm1_bias)

    def _norm(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return functional.layer_norm(x, (x.shape[-1],), weight, bias, self.epsilon)


class CrossEncoder(nn.Module):
    """Logits of pairs of texts.

    Args:
        base: the kind of base.
        weights: its checkpoint.
        outputs: number of logits.
        rank: of the differences.
        first: first layer with differences.
        hidden: size of the head's hidden layer.
    """

    def __init__(
        self, base: Base, weights: Weights, outputs: int, rank: int = 16, first: int = 0, hidden: int = 256
    ) -> None:
        super().__init__()
        self.base, self.first = base, first
        tables = ["word_embeddings.weight", "position_embeddings.weight", "LayerNorm.weight", "LayerNorm.bias"]
        for name in tables:
            self.register_buffer("e_" + name.replace(".", "_"), weights[f"embeddings.{name}"])
        if "embeddings.token_type_embeddings.weight" in weights:
            self.register_buffer("e_segments", weights["embeddings.token_type_embeddings.weight"])
        if "encoder.relative_attention_bias.weight" in weights:
            self.register_buffer("relative", weights["encoder.relative_attention_bias.weight"])
        self.layers = nn.ModuleList(Layer(base, weights, n, rank if n >= first else 0) for n in range(base.layers))
        size = self.e_LayerNorm_weight.shape[0]
        self.head = nn.Sequential(nn.Linear(2 * size, hidden), nn.GELU(), nn.Linear(hidden, outputs))

    def forward(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """Logits, float32 of shape (pairs, outputs), for int64 arrays of shape (pairs, tokens)."""
        with torch.no_grad():
            x, bias = self._embed(ids, segments), self._bias(mask)
            for layer in self.layers[: self.first]:
                x = layer(x, bias)
        for layer in self.layers[self.first :]:
            x = layer(x, bias)
        x, part = x.float(), mask.unsqueeze(-1).float()
        mean = (x * part).sum(1) / part.sum(1)
        found: Tensor = self.head(torch.cat((x[:, 0], mean), dim=-1))
        return found

    def _embed(self, ids: Tensor, segments: Tensor) -> Tensor:
        places = torch.arange(ids.shape[1], device=ids.device) + self.base.first_position
        x = self.e_word_embeddings_weight[ids] + self.e_position_embeddings_weight[places]
        if hasattr(self, "e_segments"):
            x = x + self.e_segments[segments]
        norm = functional.layer_norm(
            x, (x.shape[-1],), self.e_LayerNorm_weight, self.e_LayerNorm_bias, self.base.epsilon
        )
        return norm.bfloat16()

    def _bias(self, mask: Tensor) -> Tensor:
        """What is added to the attention scores, shape (pairs, heads or 1, tokens or 1, tokens)."""
        absent = (mask == 0)[:, None, None, :] * -1e4
        if hasattr(self, "relative"):
            absent = absent + self.relative[buckets(mask.shape[1]).to(mask.device)].permute(2, 0, 1)
        return absent.bfloat16()


def buckets(tokens: int) -> Tensor:
    """MPNet's bucket of each pair of places, int64 of shape (tokens, tokens)."""
    places = torch.arange(tokens)
    away = places[:, None] - places[None, :]
    half = _BUCKETS // 2
    exact = half // 2
    far = away.abs()
    scaled = torch.log(far.clamp(min=1).float() / exact) / math.log(_FARTHEST / exact) * (half - exact)
    large = (exact + scaled.long()).clamp(max=half - 1)
    return (away < 0).long() * half + torch.where(far < exact, far, large)


def best_device() -> torch.device:
    """An accelerator where there is one, else the processor."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
