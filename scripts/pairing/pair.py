"""A labelled pair, and the selection of sentences that a statement is compared with."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Label = Literal["entails", "contradicts", "neutral", "unsupported", "compatible"]
"""`unsupported` is known not to be `entails`, `compatible` not to be `contradicts`: one of the two others. `unlabelled`
may be any of the three."""
_WORD = re.compile(r"[a-z]+\d*[a-z]*|\d+(?:\.\d+)?")
MOST_WORDS = 64
"""Maximum words of a premise, which with the statement make about 128 tokens."""


@dataclass(frozen=True)
class Pair:
    """A labelled pair. `source` says how it was made; figures are reported by source."""

    premise: str
    statement: str
    label: Label
    source: str


@lru_cache(maxsize=200_000)
def words(text: str) -> frozenset[str]:
    """The words of a text in a crude root form, so that `reduces` matches `reduced`."""
    return frozenset(_root(w) for w in _WORD.findall(text.lower()))


def _root(word: str) -> str:
    return word[:6] if len(word) > 6 else word.removesuffix("s")


class Weights:
    """How distinctive a word is: its inverse sentence frequency."""

    def __init__(self, sentences: Iterable[str]) -> None:
        counts: Counter[str] = Counter()
        total = 0
        for sentence in sentences:
            counts.update(words(sentence))
            total += 1
        self._unknown = math.log(total + 1)
        self._weights: Mapping[str, float] = {w: math.log((total + 1) / n) for w, n in counts.items()}

    def overlap(self, statement: str, sentence: str) -> float:
        """Share of the statement's word weight that the sentence contains, 0 to 1."""
        mine = words(statement)
        total = math.fsum(self._weights.get(w, self._unknown) for w in mine)
        shared = math.fsum(self._weights.get(w, self._unknown) for w in mine & words(sentence))
        return shared / total if total else 0.0

    def best(self, statement: str, sentences: Sequence[str], number: int, most: int = MOST_WORDS) -> list[int]:
        """Indices of up to `number` sentences with most overlap and `most` words in total, in text order."""
        order = sorted(range(len(sentences)), key=lambda i: (-self.overlap(statement, sentences[i]), i))[:number]
        kept: list[int] = []
        left = most
        for place in order:
            left -= len(sentences[place].split())
            if not kept or left >= 0:
                kept.append(place)
        return sorted(kept)


def joined(sentences: Sequence[str]) -> str:
    """A premise of whole sentences: as many as fit, from the first on."""
    kept: list[str] = []
    length = 0
    for sentence in sentences:
        size = len(sentence.split())
        if kept and length + size > MOST_WORDS:
            break
        kept.append(sentence)
        length += size
    return " ".join(kept)


def around(sentences: Sequence[str], place: int, rng: random.Random) -> list[str]:
    """A sentence with up to three of its neighbours, sometimes reordered or with one of them dropped."""
    before, after = rng.choice(((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1)))
    own = sentences[place]
    near = [*sentences[max(0, place - before) : place], *sentences[place + 1 : place + 1 + after]]
    budget = MOST_WORDS - len(own.split())
    kept: list[str] = []
    for sentence in near:
        if rng.random() < 0.8:
            budget -= len(sentence.split())
            if budget >= 0:
                kept.append(sentence)
    at = rng.randint(0, len(kept)) if rng.random() < 0.5 else min(before, len(kept))
    return [*kept[:at], own, *kept[at:]]
