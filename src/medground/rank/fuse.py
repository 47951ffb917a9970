"""Reciprocal rank fusion: combine rankings by rank alone."""

from __future__ import annotations

from collections.abc import Sequence

from medground.document import Hit
from medground.errors import UsageError
from medground.lookup import Ranking

RANKER = "rrf"


def fuse(rankings: Sequence[Ranking], k: int = 60) -> Ranking:
    """Sum `1 / (k + rank)` over the rankings that contain a passage; the highest sum is rank 1.

    Scores of different rankers are never compared. Ties are ordered by best rank, then by key, so the order of the
    rankings does not matter.

    Raises:
        UsageError: `k` is below 1, or a ranking is not ranked 1, 2, 3, ... or contains a passage twice.
    """
    if k < 1:
        raise UsageError(f"the fusion constant must be at least 1, not {k}; set retrieval.fusion_k")
    sums: dict[str, list[float]] = {}
    best: dict[str, Hit] = {}
    also: dict[str, set[str]] = {}
    given: dict[str, dict[str, float]] = {}
    for ranking in rankings:
        _check(ranking)
        for hit in ranking:
            key = hit.passage.key
            sums.setdefault(key, []).append(1.0 / (k + hit.rank))
            also.setdefault(key, set()).update(hit.also)
            before = given.setdefault(key, {})
            before[hit.ranker] = max(hit.score, before.get(hit.ranker, hit.score))
            if key not in best or (hit.rank, hit.ranker, hit.source) < _place(best[key]):
                best[key] = hit
    # Sorted first, because the sum of floats depends on their order.
    scores = {key: sum(sorted(parts)) for key, parts in sums.items()}
    order = sorted(scores, key=lambda key: (-scores[key], best[key].rank, key))
    return tuple(
        best[key].model_copy(
            update={
                "ranker": RANKER,
                "rank": rank,
                "score": scores[key],
                "scores": dict(sorted(given[key].items())),
                "also": tuple(sorted(also[key] - {key})),
            }
        )
        for rank, key in enumerate(order, 1)
    )


def _place(hit: Hit) -> tuple[int, str, str]:
    return hit.rank, hit.ranker, hit.source


def _check(ranking: Ranking) -> None:
    if [hit.rank for hit in ranking] != list(range(1, len(ranking) + 1)):
        raise UsageError("a ranking to fuse must have the ranks 1, 2, 3, ... in order")
    if len({hit.passage.key for hit in ranking}) != len(ranking):
        raise UsageError("a ranking to fuse contains a passage twice")
