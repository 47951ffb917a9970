"""What a planner is asked, as chat messages: in training exactly what it is asked when it plans (prompt E.7)."""

from __future__ import annotations

from collections.abc import Sequence

from medground.described import SourceDescription
from medground.operators.base import I, O, Operator
from medground.operators.exploring import ExploredSource
from medground.operators.planning import PlanSourcesInput, plan_sources_tagged
from medground.train.planning.values import Asked

Messages = list[dict[str, str]]


def planner_messages(asked: Asked, sources: Sequence[SourceDescription]) -> Messages:
    """The instructions and the question, as the trained planner gets them."""
    views = tuple(ExploredSource(name=one.name, kind=one.kind, about=one.about) for one in sources)
    value = PlanSourcesInput(question=asked.text, options=asked.options, sources=views)
    return messages(plan_sources_tagged.given(asked.context), value)


def messages(operator: Operator[I, O], value: I) -> Messages:
    """An operator's call as chat messages."""
    return [{"role": "system", "content": operator.instructions}, {"role": "user", "content": operator.prompt(value)}]
