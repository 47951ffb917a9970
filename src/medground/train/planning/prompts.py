"""What a planner is asked, as chat messages: in training exactly what it is asked when it plans (prompt E.7)."""

from __future__ import annotations

from collections.abc import Sequence

from medground.described import SourceDescription
from medground.operators.planning import ExploredSource, PlanSourcesInput, plan_sources_tagged
from medground.train.planning.adapter import Messages, messages
from medground.train.planning.values import Asked


def planner_messages(asked: Asked, sources: Sequence[SourceDescription]) -> Messages:
    """The instructions and the question, as the trained planner gets them."""
    views = tuple(ExploredSource(name=one.name, kind=one.kind, about=one.about) for one in sources)
    value = PlanSourcesInput(question=asked.text, options=asked.options, sources=views)
    return messages(plan_sources_tagged.with_context(asked.context), value)
