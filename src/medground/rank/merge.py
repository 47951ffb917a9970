"""Merge near-duplicate passages: the same abstract from two sources, a reprint, a revised record."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from medground.document import Hit
from medground.errors import UsageError
from medground.lookup import Ranking

Shingles = frozenset[tuple[str, ...]]

_WORD = re.compile(r"\w+")
_SHINGLE = 4
"""Words per shingle."""
_FEWEST = 8
"""Passages with fewer words are merged only if they are equal: a few shared words say little."""


def distinct(hits: Iterable[Hit], similarity: float = 0.85) -> Iterator[Hit]:
    """The best-ranked of passages that are nearly the same, as `merge_duplicates` has them, one after the other.

    `also` stays as it was: the hits below are not looked at before they are asked for.

    Raises:
        UsageError: `similarity` is not in (0, 1].
    """
    index = _Index(similarity)
    fresh = (hit for hit in hits if index.place(hit) is None)
    return (_placed(hit, rank, hit.also) for rank, hit in enumerate(fresh, 1))


def merge_duplicates(hits: Sequence[Hit], similarity: float = 0.85) -> Ranking:
    """Keep the best-ranked of passages that are nearly the same; its `also` names the others.

    Two passages are the same if they have the same words in the same order, ignoring case and punctuation, or if their
    sets of four-word shingles have a Jaccard similarity of at least `similarity`. Retracted passages are never merged
    with others, so that no retraction is lost.

    Raises:
        UsageError: `similarity` is not in (0, 1].
    """
    kept: list[Hit] = []
    merged: list[list[str]] = []
    index = _Index(similarity)
    for hit in hits:
        twin = index.place(hit)
        if twin is None:
            kept.append(hit)
            merged.append([*hit.also])
        else:
            merged[twin].extend([hit.passage.key, *hit.also])
    return tuple(
        _placed(hit, rank, tuple(k for k in dict.fromkeys(also) if k != hit.passage.key))
        for rank, (hit, also) in enumerate(zip(kept, merged, strict=True), 1)
    )


def _placed(hit: Hit, rank: int, also: tuple[str, ...]) -> Hit:
    unchanged = hit.rank == rank and hit.also == also
    return hit if unchanged else hit.model_copy(update={"rank": rank, "also": also})


class _Index:
    """Kept passages by text, and by some of their shingles.

    A passage that is nearly the same as a kept one has at least `similarity` of its shingles, so it has one of any
    choice of them that is larger than the rest. Only so many are indexed.
    """

    def __init__(self, similarity: float) -> None:
        if not 0 < similarity <= 1:
            raise UsageError(f"similarity must be above 0 and at most 1, not {similarity}")
        self._similarity = similarity
        self._texts: dict[tuple[str, tuple[str, ...]], int] = {}
        self._shingles: list[Shingles] = []
        self._holders: dict[str, dict[tuple[str, ...], list[int]]] = defaultdict(dict)

    def place(self, hit: Hit) -> int | None:
        """The number of the first kept passage that is nearly the same; if there is none, keep this one."""
        words = tuple(_WORD.findall(hit.passage.text.casefold()))
        text, holders = (hit.passage.retraction, words), self._holders[hit.passage.retraction]
        if words and text in self._texts:
            return self._texts[text]
        shingles = _shingles(words)
        near = {number for shingle in shingles & holders.keys() for number in holders[shingle]}
        for number in sorted(near):
            if self._alike(shingles, self._shingles[number]):
                return number
        self._texts[text] = len(self._shingles)
        for shingle in islice(shingles, len(shingles) - int(self._similarity * len(shingles)) + 1):
            holders.setdefault(shingle, []).append(len(self._shingles))
        self._shingles.append(shingles)
        return None

    def _alike(self, one: Shingles, other: Shingles) -> bool:
        common = len(one & other)
        return common / (len(one) + len(other) - common) >= self._similarity


def _shingles(words: Sequence[str]) -> Shingles:
    if len(words) < _FEWEST:
        return frozenset()
    return frozenset(zip(*(words[start:] for start in range(_SHINGLE)), strict=False))
