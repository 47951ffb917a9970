"""Split what the reader may see fairly over sources: two passages of each first, then the best of all.

Source: Omni-RAG, section 5.1.2: the reader answers from the union of what all queries found, within its context limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from medground.document import Hit
from medground.lookup import Ranking
from medground.plan.source_plan import SourceFound
from medground.rank.fuse import fuse
from medground.rank.merge import distinct


def fair_split(found: Sequence[SourceFound], *, most: int, each: int, characters: int, k: int = 60) -> list[Hit]:
    """At most `most` passages of at most `characters` together, those of one source after another's by turns.

    First the best `each` of every source, then the best of all. Scores of different sources cannot be compared, so
    what counts is the sum of reciprocal ranks over the queries that found a passage. A passage that does not fit is
    left out, and shorter ones after it may still fit. Near-duplicates across sources count once.
    """
    rankings = {one.source.name: [_ranking(query.hits) for query in one.queries if query.hits] for one in found}
    by_source = [fuse(own, k=k) for own in rankings.values() if own]
    first = [hit for turn in zip_longest(*(own[:each] for own in by_source)) for hit in turn if hit is not None]
    best = fuse([ranking for own in rankings.values() for ranking in own], k=k)
    taken: list[Hit] = []
    left = characters
    for hit in distinct(_once([*first, *best])):
        if len(taken) == most:
            break
        if len(hit.passage.text) <= left:
            taken.append(hit)
            left -= len(hit.passage.text)
    return taken


def _ranking(hits: Sequence[Hit]) -> Ranking:
    return tuple(hit.model_copy(update={"rank": rank}) for rank, hit in enumerate(hits, start=1))


def _once(hits: Sequence[Hit]) -> Iterator[Hit]:
    seen: set[str] = set()
    for hit in hits:
        if hit.passage.key not in seen:
            seen.add(hit.passage.key)
            yield hit
