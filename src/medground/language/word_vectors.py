"""What words mean, by their stems: vectors of 128 numbers in which words of like meaning lie near each other.

A small language model has read each word by itself (`scripts/make_word_vectors.py`); no model is needed to use them.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
SIZE = 128
_FAR = 0.35
"""Cosine from which two words are near each other."""
_RARE = 0.02
"""Share of texts below which a word counts nearly in full."""


@cache
def _table() -> tuple[dict[str, int], Vectors, Vectors]:
    """The row of each stem, the unit vectors, and how much each counts in a text: more for a rarer one."""
    with (resources.files("medground") / "data" / "word_vectors.npz").open("rb") as file, np.load(file) as stored:
        stems, shares, rows = str(stored["stems"]).split("\n"), stored["shares"], stored["vectors"].astype(np.float32)
    unit = np.vstack([rows / np.linalg.norm(rows, axis=1, keepdims=True), np.zeros((1, SIZE), dtype=np.float32)])
    counts = np.append(_RARE / (_RARE + shares), np.float32(0))
    return {stem: row for row, stem in enumerate(stems)}, unit, counts


def vectors_of(stems: Iterable[str]) -> Vectors:
    """The unit vectors of stems; zeros for one that has none. Array of shape (stems, 128)."""
    rows, unit, _ = _table()
    return unit[[rows.get(stem, -1) for stem in stems]]


def meaning(stems: Iterable[str]) -> Vectors:
    """The unit vector of a text from its stems, with function words; zeros if it has none that is known."""
    rows, unit, counts = _table()
    places = [rows.get(stem, -1) for stem in stems]
    whole = counts[places] @ unit[places] if places else np.zeros(SIZE)
    return np.asarray(whole / (np.linalg.norm(whole) or 1.0), dtype=np.float32)


class Nearness:
    """How near texts come to each of some terms, by the stems of which the texts are made."""

    def __init__(self, terms: Sequence[str], stems: Iterable[str]) -> None:
        found = list(dict.fromkeys((*stems, *terms)))
        self._rows = {stem: row for row, stem in enumerate(found)}
        near: Vectors = np.clip((vectors_of(found) @ vectors_of(terms).T - _FAR) / (1 - _FAR), 0, 1)
        near[[self._rows[term] for term in terms], range(len(terms))] = 1
        self._near = near

    def __call__(self, stems: Iterable[str]) -> Vectors:
        """For each term, how near the nearest of the stems is: 1 if it is one, 0 if none is near."""
        return np.asarray(self._near[[self._rows[stem] for stem in stems]].max(axis=0, initial=0.0))
