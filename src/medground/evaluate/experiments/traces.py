"""The final query, the documents read and the rounds of a question, from its trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from medground.errors import UsageError
from medground.evaluate.metrics.depth import Reading
from medground.evaluate.metrics.stages import Stages, stages
from medground.evaluate.metrics.stored import (
    answers_by_round,
    final_query,
    planned_queries,
    reading,
    was_rewritten,
)
from medground.trace import read_trace


@dataclass(frozen=True)
class Traced:
    """One question.

    Attributes:
        query: the query whose documents were read, in PubMed's language; empty where the recipe has none.
        reading: documents read in batches, and whether they were found sufficient.
        rounds: what a recipe that loops would have answered, had it ended after each round.
        plan: the queries of each source in the plan that was searched; None for a recipe that plans no sources.
        stages: seconds and tokens of planning, retrieval and answering, of such a recipe.
        rewritten: whether the question was rewritten because too little was found; None if the recipe never asks that.
    """

    query: str
    reading: Reading
    rounds: tuple[tuple[str, ...], ...]
    rewritten: bool | None = None
    plan: Mapping[str, Sequence[str]] | None = None
    stages: Stages | None = None


def read_traced(folder: Path, trace: str) -> Traced | None:
    """What a stored trace contains; None if it was removed."""
    try:
        spans = read_trace(folder, trace)
    except UsageError:
        return None
    read = reading(spans) or Reading(0, False)
    return Traced(
        final_query(spans) or "",
        read,
        answers_by_round(spans),
        was_rewritten(spans),
        planned_queries(spans),
        stages(spans),
    )
