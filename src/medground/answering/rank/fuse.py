"""Reciprocal rank fusion, one of nearly equal passages, and a fair split over sources."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from rapidfuzz.distance import Levenshtein

from medground.errors import UsageError
from medground.values.document import Hit
from medground.values.lookup import Ranking

RANKER = "rrf"
COMPARABLE = frozenset({"bm25", "dense"})
"""Rankers of corpora, whose scores mean the same in each of them."""


def as_one(rankings: Sequence[Ranking]) -> list[Ranking]:
    """The rankings of several corpora by one ranker as a single ranking, by score; others as they are.

    So a corpus takes no place from another one that has more to say: reciprocal ranks would give each the same share.
    """
    found: dict[str, list[Ranking]] = {}
    for ranking in filter(None, rankings):
        found.setdefault(ranking[0].ranker, []).append(ranking)
    one_by_one = [ranking for ranker, some in found.items() if ranker not in COMPARABLE for ranking in some]
    return [*(_merged(some) for ranker, some in found.items() if ranker in COMPARABLE), *one_by_one]


def _merged(rankings: Sequence[Ranking]) -> Ranking:
    """One ranking by score; of a passage that several have, its best hit."""
    if len(rankings) == 1:
        return rankings[0]
    first: dict[str, Hit] = {}
    for hit in sorted(chain(*rankings), key=lambda hit: (-hit.score, hit.rank, hit.passage.key)):
        first.setdefault(hit.passage.key, hit)
    return tuple(_placed(hit, rank, hit.also) for rank, hit in enumerate(first.values(), start=1))


def fuse(rankings: Sequence[Ranking], k: int = 60) -> Ranking:
    """Sum `1 / (k + rank)` over the rankings that contain a passage; the highest sum is rank 1.

    Scores of different rankers are never compared. Ties are ordered by best rank, then by key, so the order of the
    rankings does not matter.

    Raises UsageError: `k` is below 1, or a ranking is not ranked 1, 2, 3, ... or contains a passage twice.
    """
    if k < 1:
        raise UsageError(f"the fusion constant must be at least 1, not {k}; set retrieval.fusion_k")
    found: dict[str, list[Hit]] = {}
    for ranking in rankings:
        _check(ranking)
        for hit in ranking:
            found.setdefault(hit.passage.key, []).append(hit)
    # Sorted first, because the sum of floats depends on their order.
    sums = {key: sum(sorted(1.0 / (k + hit.rank) for hit in hits)) for key, hits in found.items()}
    best = {key: min(hits, key=lambda hit: (hit.rank, hit.ranker, hit.source)) for key, hits in found.items()}
    return tuple(
        best[key].model_copy(
            update={
                "ranker": RANKER,
                "rank": rank,
                "score": sums[key],
                "scores": dict(sorted((hit.ranker, hit.score) for hit in found[key])),  # the highest of each ranker
                "also": tuple(sorted({name for hit in found[key] for name in hit.also} - {key})),
            }
        )
        for rank, key in enumerate(sorted(found, key=lambda key: (-sums[key], best[key].rank, key)), 1)
    )


def _check(ranking: Ranking) -> None:
    if [hit.rank for hit in ranking] != list(range(1, len(ranking) + 1)):
        raise UsageError("a ranking to fuse must have the ranks 1, 2, 3, ... in order")
    if len({hit.passage.key for hit in ranking}) != len(ranking):
        raise UsageError("a ranking to fuse contains a passage twice")


Shingles = frozenset[tuple[str, ...]]

_WORD = re.compile(r"\w+|[<>≤≥]")
_SHINGLE = 4
"""Words per shingle."""
_FEWEST = 8
"""Passages with fewer words are merged only if they are equal: a few shared words say little."""


def distinct(hits: Iterable[Hit], similarity: float = 0.85) -> Iterator[Hit]:
    """The best-ranked of passages that are nearly the same, as `merge_duplicates` has them, one after the other.

    `also` stays as it was: the hits below are not looked at before they are asked for.

    Raises UsageError: `similarity` is not in (0, 1].
    """
    index = _Index(similarity)
    fresh = (hit for hit in hits if index.place(hit) is None)
    return (_placed(hit, rank, hit.also) for rank, hit in enumerate(fresh, 1))


def merge_duplicates(hits: Sequence[Hit], similarity: float = 0.85) -> Ranking:
    """Keep the best-ranked of passages that are nearly the same; its `also` names the others.

    Two passages are the same if they have the same words in the same order, ignoring case and punctuation. So are two
    that begin or end differently if their sets of four-word shingles have a Jaccard similarity of at least
    `similarity`; but not with another word or number within, which may say the opposite. Retracted passages are never
    merged with others, so that no retraction is lost.

    Raises UsageError: `similarity` is not in (0, 1].
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
        self._kept: list[tuple[tuple[str, ...], Shingles]] = []
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
            others, kept = self._kept[number]
            common = len(shingles & kept)
            alike = common / (len(shingles) + len(kept) - common) >= self._similarity
            if alike and _differ_at_the_ends(words, others):
                return number
        self._texts[text] = len(self._kept)
        for shingle in islice(shingles, len(shingles) - int(self._similarity * len(shingles)) + 1):
            holders.setdefault(shingle, []).append(len(self._kept))
        self._kept.append((words, shingles))
        return None


def _differ_at_the_ends(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two texts are the same but for how they begin and end."""
    changed = [code for code in Levenshtein.opcodes(words, others) if code.tag != "equal"]
    begins = [code for code in changed if code.src_start == code.dest_start == 0]
    ends = [code for code in changed if code.src_end == len(words) and code.dest_end == len(others)]
    return all(code in begins or code in ends for code in changed)


def _shingles(words: Sequence[str]) -> Shingles:
    if len(words) < _FEWEST:
        return frozenset()
    return frozenset(zip(*(words[start:] for start in range(_SHINGLE)), strict=False))
