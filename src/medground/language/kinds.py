"""What is asked of a thing, such as its causes or how it ends, and what a sentence tells of one, by what words mean.

Learned by `scripts/train_kinds.py`: the first from ways in which people ask, the second from the answers of a health
encyclopaedia, each written to one such question.
"""

from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from medground.language import words
from medground.language.word_vectors import meaning

Shares = NDArray[np.float32]
"""How likely each kind is; together 1."""
THING = "thing"
"""Stands in a question for the things that it is about."""
KINDS = (
    *("causes", "complications", "considerations", "exams and tests", "frequency", "genetic changes", "information"),
    *("inheritance", "outlook", "prevention", "spread", "susceptibility", "symptoms", "treatment", "other"),
)


@cache
def _table() -> tuple[dict[str, int], Shares, Shares, dict[str, int], Shares]:
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
    said, asks, means, _, _ = _table()
    found = pieces(question)
    rows = [said[piece] for piece in sorted(found) if piece in said]
    own = [stem for stem in words.stems(question) if stem != THING]
    return _shares(asks[rows].sum(axis=0) / len(found) ** 0.5 + meaning(own) @ means)


def told(stems: Iterable[str], names: Collection[str] = ()) -> Shares:
    """What a sentence tells, by its stems, with function words; the names of what it is about say nothing."""
    _, _, _, rows, tells = _table()
    found = [rows[stem] for stem in sorted(frozenset(stems).difference(names)) if stem in rows]
    return _shares(tells[found].sum(axis=0) / max(len(found), 1) ** 0.5 + tells[-1])


def _shares(scores: Shares) -> Shares:
    raised = np.exp(scores - scores.max())
    return np.asarray(raised / raised.sum(), dtype=np.float32)
