"""Retracted papers never support a statement: they are set aside before reading, and shown."""

from __future__ import annotations

from collections.abc import Sequence

from medground.document import Hit


def set_aside_retracted(hits: Sequence[Hit]) -> tuple[list[Hit], list[str]]:
    """The hits that stand, and the ids of retracted documents among the others, in rank order.

    One source's word is enough: an older corpus may not know yet that a paper was retracted.
    """
    retracted = dict.fromkeys(h.passage.document_id for h in hits if h.passage.retraction == "retracted")
    return [hit for hit in hits if hit.passage.document_id not in retracted], list(retracted)
