"""Merge near-duplicate passages: the same abstract from two sources, a reprint, a revised record."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from medground.document import Hit
from medground.errors import UsageError
from medground.lookup import Ranking

_WORD = re.compile(r"\w+")
_SHINGLE = 4
"""Words per shingle."""
_FEWEST = 8
"""Passages with fewer words are merged only if they are equal: a few shared words say little."""


def merge_duplicates(hits: Sequence[Hit], similarity: float = 0.85) -> Ranking:
    """Keep the best-ranked of passages that are nearly the same; its `also` names the others.

    Two passages are the same if they have the same words in the same order, ignoring case and punctuation, or if their
    sets of four-word shingles have a Jaccard similarity of at least `similarity`. Retracted passages are never merged
    with others, so that no retraction is lost.

    Raises:
        UsageError: `similarity` is not in (0, 1].
    """
    if not 0 < similarity <= 1:
        raise UsageError(f"similarity must be above 0 and at most 1, not {similarity}")
    kept: list[Hit] = []
    merged: list[list[str]] = []
    index = _Index(similarity)
    for hit in hits:
        twin = index.find(hit)
        if twin is None:
            index.add(hit)
            kept.append(hit)
            merged.append([*hit.also])
        else:
            merged[twin].extend([hit.passage.key, *hit.also])
    return tuple(
        hit.model_copy(update={"rank": rank, "also": tuple(k for k in dict.fromkeys(also) if k != hit.passage.key)})
        for rank, (hit, also) in enumerate(zip(kept, merged, strict=True), 1)
    )


class _Index:
    """Kept passages by text and by shingle."""

    def __init__(self, similarity: float) -> None:
        self._similarity = similarity
        self._texts: dict[tuple[str, str], int] = {}
        self._shingles: list[frozenset[tuple[str, ...]]] = []
        self._holders: dict[tuple[str, tuple[str, ...]], list[int]] = defaultdict(list)

    def add(self, hit: Hit) -> None:
        words, shingles = _cut(hit)
        number = len(self._shingles)
        self._texts.setdefault((hit.passage.retraction, " ".join(words)), number)
        self._shingles.append(shingles)
        for shingle in shingles:
            self._holders[hit.passage.retraction, shingle].append(number)

    def find(self, hit: Hit) -> int | None:
        """The first kept passage that is nearly the same."""
        words, shingles = _cut(hit)
        same = self._texts.get((hit.passage.retraction, " ".join(words)))
        if same is not None and words:
            return same
        common: dict[int, int] = defaultdict(int)
        for shingle in shingles:
            for number in self._holders.get((hit.passage.retraction, shingle), ()):
                common[number] += 1
        for number in sorted(common):
            union = len(shingles) + len(self._shingles[number]) - common[number]
            if common[number] / union >= self._similarity:
                return number
        return None


def _cut(hit: Hit) -> tuple[list[str], frozenset[tuple[str, ...]]]:
    words = _WORD.findall(hit.passage.text.casefold())
    if len(words) < _FEWEST:
        return words, frozenset()
    return words, frozenset(tuple(words[i : i + _SHINGLE]) for i in range(len(words) - _SHINGLE + 1))
