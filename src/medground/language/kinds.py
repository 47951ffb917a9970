"""What words mean, and what a question asks of a thing, such as its causes or how it ends, by what its words mean.

Words are vectors of 128 numbers by their stems, in which words of like meaning lie near each other: a small language
model has read each word by itself (`scripts/make_word_vectors.py`). `scripts/train_kinds.py` learns what a question
asks from ways in which people ask, and what a sentence tells from the answers of a health encyclopaedia, each written
to one such question.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from medground.language import words

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


Shares = NDArray[np.float32]
"""How likely each kind is; together 1."""
THING = "thing"
"""Stands in a question for the things that it is about."""
KINDS = (
    *("causes", "complications", "considerations", "exams and tests", "frequency", "genetic changes", "information"),
    *("inheritance", "outlook", "prevention", "spread", "susceptibility", "symptoms", "treatment", "other"),
)


@cache
def _kinds_table() -> tuple[dict[str, int], Shares, Shares, dict[str, int], Shares]:
    """Of questions, the rows of pieces, their weights and those of meaning; of sentences, rows and weights of stems."""
    with (resources.files("medground") / "data" / "kinds.npz").open("rb") as file, np.load(file) as stored:
        said, told = ({w: n for n, w in enumerate(str(stored[name]).split("\n"))} for name in ("said", "told"))
        asks, means, tells = (stored[name].astype(np.float32) for name in ("asks", "means", "tells"))
    return said, asks, means, told, tells


def pieces(question: str) -> frozenset[str]:
    """The stems of a question, with function words, and each two neighbours; it has `THING` for its things."""
    stems = ["^", *words.stems(question), "$"]
    return frozenset([*stems, *map(" ".join, pairwise(stems))])


@lru_cache(maxsize=4096)
def asked(question: str) -> Shares:
    """What a question asks of its things, for which `THING` stands in it."""
    said, asks, means, _, _ = _kinds_table()
    found = pieces(question)
    rows = [said[piece] for piece in sorted(found) if piece in said]
    own = [stem for stem in words.stems(question) if stem != THING]
    return _shares(asks[rows].sum(axis=0) / len(found) ** 0.5 + meaning(own) @ means)


def told(stems: Iterable[str], names: Collection[str] = ()) -> Shares:
    """What a sentence tells, by its stems, with function words; the names of what it is about say nothing."""
    _, _, _, rows, tells = _kinds_table()
    found = [rows[stem] for stem in sorted(frozenset(stems).difference(names)) if stem in rows]
    return _shares(tells[found].sum(axis=0) / max(len(found), 1) ** 0.5 + tells[-1])


def _shares(scores: Shares) -> Shares:
    raised = np.exp(scores - scores.max())
    return np.asarray(raised / raised.sum(), dtype=np.float32)
