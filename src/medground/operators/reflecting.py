"""Writing a better plan of sources from what was said of earlier ones.

Source: Omni-RAG, appendix D.3 (Reflexion, SeRTS) and prompt E.8.
"""

from __future__ import annotations

from pydantic import Field

from medground.operators.base import Operator, OperatorInput, Untrusted
from medground.operators.keyless import planning as keyless
from medground.operators.planning import ExploredSource, PlanSourcesOutput, planned_queries
from medground.operators.rating import MOST_POINTS
from medground.operators.reading import DATA_RULE
from medground.question import Option


class Feedback(OperatorInput):
    """An earlier plan, its points, and what was suggested."""

    plan: Untrusted
    score: int = Field(ge=0, le=MOST_POINTS)
    suggestion: Untrusted = ""
    empty: tuple[str, ...] = ()
    """Sources that were asked and had nothing."""
    queries: tuple[tuple[str, str], ...] = Field(default=(), exclude=True)
    """The queries of the plan, each with its source."""


class ImprovePlanInput(OperatorInput):
    question: Untrusted
    options: tuple[Option, ...] = ()
    sources: tuple[ExploredSource, ...]
    most: int
    """Most queries for a source."""
    feedback: tuple[Feedback, ...] = ()
    """Of earlier plans, oldest first."""
    siblings: tuple[Untrusted, ...] = ()
    """Plans that were made from the same feedback: the new one must differ from them."""


def _improved_by_words(value: ImprovePlanInput) -> PlanSourcesOutput:
    sources = [(source.name, source.kind) for source in value.sources]
    options = [option.text for option in value.options]
    past = [(one.queries, one.score, one.empty) for one in value.feedback]
    chosen = keyless.improved(value.question, sources, past, len(value.siblings), options=options)
    return planned_queries(chosen, value.sources, value.most)


improve_plan = Operator(
    name="improve_plan",
    instructions=(
        "Plan how to search several sources for what answers a biomedical question. For each source write queries that "
        "suit what it holds and that differ from each other, at most `most`; leave out a source that cannot help. "
        "`feedback` holds earlier plans with their points (5 is best) and suggestions: keep what earned points, change "
        "what did not, and follow the suggestions that make sense. Do not write a plan of `siblings` again. "
        "For a source of kind graph a query has a `term`, one medical concept, and `text`, what to find out about it; "
        "elsewhere `term` is empty. " + DATA_RULE
    ),
    input=ImprovePlanInput,
    output=PlanSourcesOutput,
    writes_queries=True,
    keyless=_improved_by_words,
    choices=lambda value: {"source": tuple(source.name for source in value.sources)},
)
