"""Turn hits into a reading list: documents in the order of their best hit, in batches.

Source: PubMed Reasoner, section 3.2 and Algorithm 2 (batches of m from the ranked list).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.document import Hit, Passage
from medground.steps import ReadingBatch

PASSAGES_PER_DOCUMENT = 3


@dataclass(frozen=True)
class Reading:
    """A document to read: its passages that were found, best first, and its rank in the list, counted from 1."""

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


@dataclass(frozen=True)
class Batch:
    """Documents that are read together: batch `number`, counted from 1, of at most `of`."""

    readings: tuple[Reading, ...]
    number: int
    of: int

    @property
    def step(self) -> ReadingBatch:
        """The step that is reported and traced while it is read."""
        return ReadingBatch(documents=tuple(r.document_id for r in self.readings), number=self.number, of=self.of)


def batches(readings: Sequence[Reading], size: int) -> list[Batch]:
    """Consecutive batches of `size` documents; the last may be shorter."""
    parts = [tuple(readings[start : start + size]) for start in range(0, len(readings), size)]
    return [Batch(part, number, len(parts)) for number, part in enumerate(parts, start=1)]
