"""The batches of tokens that networks read, and what their numbers say."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def batches(rows: Sequence[Sequence[int]], tokens: int) -> Iterator[NDArray[np.int64]]:
    """Places of rows in batches of about `tokens` padded tokens: grouped by length, longest first, to pad little."""
    order = np.argsort([len(row) for row in rows], kind="stable")[::-1]
    start = 0
    while start < len(order):
        size = max(1, tokens // len(rows[order[start]]))
        yield order[start : start + size]
        start += size


def padded(rows: Sequence[Sequence[int]], pad: int = 0) -> NDArray[np.int64]:
    """Rows of one length, filled up at the end; shape (rows, tokens)."""
    found = np.full((len(rows), max(map(len, rows))), pad, np.int64)
    for place, row in enumerate(rows):
        found[place, : len(row)] = row
    return found


def tokens_and_mask(rows: Sequence[Sequence[int]]) -> dict[str, NDArray[np.int64]]:
    """The inputs of an encoder: ids of tokens, and 1 for each that is not padding."""
    return {"input_ids": padded(rows), "attention_mask": padded([[1] * len(row) for row in rows])}


def softmax(logits: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Probabilities of shape (rows, labels); NaN in rows with a number that is not finite."""
    rows = np.where(np.isfinite(logits).all(axis=1, keepdims=True), logits, np.nan).astype(np.float64)
    powers = np.exp(rows - rows.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
