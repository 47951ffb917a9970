"""Texts as hashed tf-idf vectors of words and word pairs. Only buckets are stored, so no text can be recovered."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from medground.text.words import LONGEST_TOKEN, stem

Vector = NDArray[np.float64]

_GRAM = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[<>=≤≥]")


def grams(text: str) -> Iterator[str]:
    """Stems, comparison signs and number classes (`#0` below one), then pairs of neighbouring ones."""
    single = [_folded(token[:LONGEST_TOKEN]) for token in _GRAM.findall(text.lower())]
    yield from single
    yield from (f"{a} {b}" for a, b in pairwise(single))


def _folded(token: str) -> str:
    if token[0].isdigit():
        return "#0" if token.startswith("0") else "#"
    return stem(token)


def counts(text: str, buckets: int) -> Vector:
    """`1 + ln(count)` of the grams in each bucket, shape (buckets,)."""
    vector = np.zeros(buckets)
    for bucket, n in Counter(zlib.crc32(gram.encode()) % buckets for gram in grams(text)).items():
        vector[bucket] = 1.0 + np.log(n)
    return vector


def tfidf(texts: Sequence[str], idf: Vector) -> Vector:
    """Rows of unit length (or zero), shape (len(texts), len(idf))."""
    rows = np.stack([counts(text, len(idf)) for text in texts]) * idf if texts else np.zeros((0, len(idf)))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


def inverse_frequencies(texts: Sequence[str], buckets: int, least: int = 3) -> Vector:
    """`ln((1 + texts) / (1 + texts with the bucket)) + 1`, and 0 for buckets in fewer than `least` texts."""
    present = np.zeros(buckets)
    for text in texts:
        present += counts(text, buckets) > 0
    return np.where(present >= least, np.log((1 + len(texts)) / (1 + present)) + 1, 0.0)
