"""Retracted papers never support a statement: they are set aside before reading, and shown."""

from __future__ import annotations

from collections.abc import Sequence

from medground.document import Hit


def set_aside_retracted(hits: Sequence[Hit]) -> tuple[list[Hit], list[str]]:
    """The hits that stand, and the ids of retracted documents among the others, in rank order."""
    standing = [hit for hit in hits if hit.passage.retraction != "retracted"]
    retracted = dict.fromkeys(h.passage.document_id for h in hits if h.passage.retraction == "retracted")
    return standing, list(retracted)
