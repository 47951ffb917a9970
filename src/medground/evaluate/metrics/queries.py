"""Query statistics by source: how diverse the queries are, how long, and how many.

Source: MedOmniKB (source planning), Eq. 5 (appendix A.1), Tables 12 and 13 and Figure 7 (appendix B).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medground.corpus.embedding.base import Embedder
from medground.evaluate.metrics.share import Mean, mean

Plan = Mapping[str, Sequence[str]]
"""The queries of one question by source."""


@dataclass(frozen=True)
class QueryStatistics:
    """Statistics of one source over all questions.

    Attributes:
        queries: mean number per question, over all questions; 0 for a question that did not query the source.
        words: mean number of words per query; None without queries.
        diversity: mean of Eq. 5 over questions; None without an embedder, or if no question has two queries.
    """

    queries: float
    words: Mean
    diversity: Mean


def query_diversity(vectors: NDArray[np.float32]) -> float | None:
    """D (Eq. 5): the mean cosine distance over all pairs of query vectors, 0 to 2; None for fewer than two.

    Args:
        vectors: array of shape (queries, dimensions); the vectors may have any length above 0.
    """
    count = len(vectors)
    if count < 2:
        return None
    wide = vectors.astype(np.float64)
    units = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    total = units.sum(axis=0)
    # The squared length of the sum counts each pair twice, and each query once with itself.
    similarity = float((total @ total - count) / (count * (count - 1)))
    return max(0.0, 1.0 - similarity)


def query_statistics(plans: Iterable[Plan], embedder: Embedder | None = None) -> dict[str, QueryStatistics]:
    """Statistics by source, in order of first appearance. Empty queries are not counted."""
    cleaned = [{source: _not_empty(queries) for source, queries in plan.items()} for plan in plans]
    by_source: dict[str, list[list[str]]] = defaultdict(list)
    for plan in cleaned:
        for source, queries in plan.items():
            by_source[source].append(queries)
    return {source: _statistics(lists, len(cleaned), embedder) for source, lists in by_source.items()}


def _statistics(lists: Sequence[Sequence[str]], questions: int, embedder: Embedder | None) -> QueryStatistics:
    several = [queries for queries in lists if len(queries) > 1] if embedder is not None else []
    spread = [query_diversity(embedder.embed(queries)) for queries in several] if embedder is not None else []
    return QueryStatistics(
        queries=sum(map(len, lists)) / questions,
        words=mean(float(len(query.split())) for queries in lists for query in queries),
        diversity=mean([*spread, *[None] * (questions - len(spread))]),
    )


def _not_empty(queries: Sequence[str]) -> list[str]:
    return [query for query in queries if query.strip()]
