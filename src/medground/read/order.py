"""Hits as a reading list: documents in the order of their best hit, in batches.

Source: PubMed Reasoner, section 3.2 and Algorithm 2 (batches of m from the ranked list).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from medground.document import Hit, Passage

PASSAGES_PER_DOCUMENT = 3


@dataclass(frozen=True)
class Reading:
    """A document to read: the passages of it that were found, best first, and its place (1 first) in the list."""

    document_id: str
    rank: int
    passages: tuple[Passage, ...]


def reading_list(hits: Sequence[Hit], most: int) -> list[Reading]:
    """At most `most` documents, each with its best passages."""
    grouped: dict[str, list[Passage]] = {}
    for hit in hits:
        passages = grouped.setdefault(hit.passage.document_id, [])
        if len(passages) < PASSAGES_PER_DOCUMENT:
            passages.append(hit.passage)
    return [
        Reading(document_id, rank, tuple(passages))
        for rank, (document_id, passages) in enumerate(list(grouped.items())[:most], start=1)
    ]


def batches(readings: Sequence[Reading], size: int) -> Iterator[Sequence[Reading]]:
    """Consecutive batches of `size` documents; the last may be shorter."""
    for start in range(0, len(readings), size):
        yield readings[start : start + size]
