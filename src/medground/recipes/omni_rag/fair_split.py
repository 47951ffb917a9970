"""A fair split of what a reader may read over sources whose scores cannot be compared."""

from collections.abc import Sequence
from itertools import zip_longest

from medground.answering.rank.fuse import distinct, fuse
from medground.values.document import Hit
from medground.values.source_plan import SourceFound


def fair_split(found: Sequence[SourceFound], *, most: int, each: int, characters: int, k: int = 60) -> list[Hit]:
    """At most `most` passages of at most `characters` together, those of one source after another's by turns.

    First the best `each` of every source, then the best of all. Scores of different sources cannot be compared, so
    what counts is the sum of reciprocal ranks over the queries that found a passage. A passage that does not fit is
    left out, and shorter ones after it may still fit. Near-duplicates across sources count once.
    """
    rankings = [[query.hits for query in one.queries if query.hits] for one in found]
    by_source = [fuse(own, k=k) for own in rankings if own]
    first = [hit for turn in zip_longest(*(own[:each] for own in by_source)) for hit in turn if hit is not None]
    best = fuse([ranking for own in rankings for ranking in own], k=k)
    once: dict[str, Hit] = {}
    for hit in [*first, *best]:
        once.setdefault(hit.passage.key, hit)
    taken: list[Hit] = []
    left = characters
    for hit in distinct(once.values()):
        if len(taken) == most:
            break
        if len(hit.passage.text) <= left:
            taken.append(hit)
            left -= len(hit.passage.text)
    return taken
