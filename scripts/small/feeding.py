"""Examples as token ids, and batches of similar length."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor

BATCH_TOKENS, BATCH_PAIRS = 1024, 16
"""Most tokens and pairs of a batch, padding included."""
CHUNK = 1600
"""Number of examples that are sorted by length together."""


@dataclass(frozen=True)
class Example:
    """One pair. `target` has a value for each logit; `group` joins the candidates of one question."""

    ids: Sequence[int]
    segments: Sequence[int]
    target: Sequence[float]
    group: int = 0


@dataclass(frozen=True)
class Batch:
    """Arrays of shape (pairs, tokens), (pairs, logits) and (pairs,)."""

    ids: Tensor
    segments: Tensor
    mask: Tensor
    target: Tensor
    group: Tensor

    def to(self, device: torch.device) -> Batch:
        """The same on a device."""
        return Batch(*(t.to(device) for t in (self.ids, self.segments, self.mask, self.target, self.group)))


def encoded(
    tokenizer: Tokenizer,
    texts: Sequence[tuple[str, str]],
    targets: Iterable[Sequence[float]],
    groups: Iterable[int] | None = None,
) -> list[Example]:
    """Pairs of texts as examples, with their targets."""
    found = tokenizer.encode_batch(list(texts))
    numbers = groups if groups is not None else [0] * len(found)
    return [Example(e.ids, e.type_ids, target, group) for e, target, group in zip(found, targets, numbers, strict=True)]


def stacked(examples: Sequence[Example], padding: int) -> Batch:
    """A batch, filled up to the longest row."""
    shape = (len(examples), max(len(e.ids) for e in examples))
    ids, segments = torch.full(shape, padding), torch.zeros(shape, dtype=torch.long)
    mask = torch.zeros(shape, dtype=torch.long)
    for row, e in enumerate(examples):
        length = len(e.ids)
        ids[row, :length], segments[row, :length] = torch.tensor(e.ids), torch.tensor(e.segments)
        mask[row, :length] = 1
    return Batch(ids, segments, mask, torch.tensor([list(e.target) for e in examples]),
                 torch.tensor([e.group for e in examples]))  # fmt: skip


def batches(units: Sequence[Sequence[Example]], seed: int) -> list[list[Example]]:
    """Batches of whole units (a pair, or all candidates of a question), in order but for chunks that are mixed."""
    rng = random.Random(seed)
    found: list[list[Example]] = []
    for start in range(0, len(units), CHUNK):
        chunk = sorted(units[start : start + CHUNK], key=_longest)
        part: list[list[Example]] = [[]]
        for unit in chunk:
            size = len(part[-1]) + len(unit)
            if part[-1] and (size > BATCH_PAIRS or size * _longest(unit) > BATCH_TOKENS):
                part.append([])
            part[-1].extend(unit)
        rng.shuffle(part)
        found += part
    return found


def _longest(unit: Sequence[Example]) -> int:
    return max(len(e.ids) for e in unit)
