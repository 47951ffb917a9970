"""Weighs the words of a question where no rule fires: danger said in words that nobody wrote a rule for.

The weights are those of three logistic models, one line per word or pair of words in `weights.tsv`, learned by
`scripts/train_risk.py` from the wordings of the tests and from real questions of researchers and patients.
"""

from __future__ import annotations

import functools
import math
from importlib import resources
from itertools import pairwise

from medground.notice import NoticeKind

KINDS: tuple[NoticeKind, ...] = ("self-harm", "emergency", "treatment")
"""The columns of the weights."""
_LEAST = 0.5
"""The probability of each kind from which it is said: at 0.4, a parent's question about a disease was an emergency."""
_LONGEST = 60
"""Words: a long letter holds signs of everything."""
_ENDINGS = ("ingly", "ing", "edly", "ed", "ies", "es", "s", "ly")
_SHORTEST = 3


def risk_in_words(words: str) -> NoticeKind | None:
    """The kind of risk that the words of a question show, if one is likely enough.

    Args:
        words: the question as `words.plain` gives it.
    """
    if len(words.split()) > _LONGEST:
        return None
    found = [weights for sign in signs(words) if (weights := _weights().get(sign))]
    scores = [bias + math.fsum(column) for bias, *column in zip(_weights()[""], *found, strict=True)]
    shares = [1 / (1 + math.exp(-score)) for score in scores]
    said = [(share, kind) for share, kind in zip(shares, KINDS, strict=True) if share >= _LEAST]
    return max(said)[1] if said else None


def signs(words: str) -> set[str]:
    """The stems of the words, and the pairs of neighbours."""
    stems = [_stem(word) for word in words.split() if word != "."]
    return {*stems, *(" ".join(pair) for pair in pairwise(stems))}


def people_say(word: str) -> bool:
    """Whether people use a lower-case word when they ask about health."""
    return _stem(word) in _weights()


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word.removesuffix(ending)
    return word


@functools.cache
def _weights() -> dict[str, tuple[float, ...]]:
    """The weights of each sign, one per kind; those of the empty sign are added to every question."""
    lines = (resources.files(__package__) / "weights.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {sign: tuple(float(weight or 0) for weight in weights) for sign, *weights in rows}
