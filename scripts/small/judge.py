"""A shipped model through torch, for measuring and for teaching; the package itself uses int8 without torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from small.bases import tokenizer_of
from small.feeding import encoded, stacked
from small.shipping import metadata, read

Array = NDArray[np.float64]


class Judge:
    """Scores pairs of a premise and a statement, or of a text and a question.

    Attributes:
        least: probability below which a critic should abstain.
        temperature: what the logits are divided by.
    """

    def __init__(self, path: Path, base: Path) -> None:
        about = metadata(path)
        self.least, self.temperature = float(about["abstain_below"]), float(about["temperature"])
        self._turned = about["order"] == "hypothesis,premise"
        self._network = read(path, base)
        self._tokenizer = tokenizer_of(base, int(about["max_length"]))

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Probabilities of the labels, shape (pairs, labels)."""
        scaled = torch.from_numpy(self.logits(pairs) / self.temperature)
        return np.asarray(scaled.softmax(-1).numpy() if scaled.shape[1] > 1 else scaled.sigmoid().numpy())

    @torch.no_grad()
    def logits(self, pairs: Sequence[tuple[str, str]], batch: int = 24) -> Array:
        """Logits, shape (pairs, outputs)."""
        texts = [pair[::-1] if self._turned else pair for pair in pairs]
        examples = encoded(self._tokenizer, texts, [(0.0,)] * len(texts))
        order = sorted(range(len(examples)), key=lambda i: len(examples[i].ids))
        found: list[torch.Tensor] = []
        for start in range(0, len(order), batch):
            part = stacked([examples[i] for i in order[start : start + batch]], self._network.base.padding)
            found.append(self._network(part.ids, part.segments, part.mask))
        return np.asarray(torch.cat(found)[torch.tensor(order).argsort()].double().numpy())
