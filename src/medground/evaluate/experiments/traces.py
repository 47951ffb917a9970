"""What the trace of a question says of its final query, of what was read, and of each round."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medground.errors import UsageError
from medground.evaluate.metrics.depth import Reading
from medground.trace import read_trace

_TEXT = "medground.text."


@dataclass(frozen=True)
class Traced:
    """One question.

    Attributes:
        query: the last query, in PubMed's language; empty where the recipe has none.
        reading: documents read in batches, and whether they were found sufficient.
        rounds: the answer after each round of a recipe that loops.
    """

    query: str
    reading: Reading
    rounds: tuple[tuple[str, ...], ...]


def read_traced(folder: Path, trace: str) -> Traced | None:
    """What a stored trace says; None where it is not kept any more."""
    try:
        spans = read_trace(folder, trace)
    except UsageError:
        return None
    batches = [span["attributes"].get("medground.documents", ()) for span in spans if span["name"] == "read batch"]
    said = [_sufficient(span["attributes"]) for span in spans if span["name"] == "operator sufficient"]
    return Traced(
        query=_query(spans),
        reading=Reading(len({document for batch in batches for document in batch}), any(said)),
        rounds=_rounds(spans),
    )


def _query(spans: Sequence[Mapping[str, Any]]) -> str:
    final = [str(span["attributes"].get(f"{_TEXT}query", "")) for span in spans if span["name"] == "final query"]
    drafts = [str(span["attributes"].get(f"{_TEXT}after", "")) for span in spans if span["name"] == "normalise query"]
    return (final or drafts or [""])[-1]


def _sufficient(attributes: Mapping[str, Any]) -> bool:
    try:
        return bool(json.loads(attributes.get(f"{_TEXT}output", "{}")).get("sufficient"))
    except (ValueError, AttributeError):
        return False


def _rounds(spans: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, ...], ...]:
    """A round that ended before it answered has no answer of its own."""
    answered = [s["attributes"] for s in spans if s["name"] == "round" and "medground.statements" in s["attributes"]]
    return tuple(tuple(attributes.get("medground.answer", ())) for attributes in answered)
