"""Positive and negative plans from labelled queries.

Source: Omni-RAG, section 4.2.3.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from medground.plan.source_plan import MOST_QUERIES, SourcePlan, SourceQuery
from medground.train.planning.values import Asked, Judged, JudgedQuery, Label

NO_QUERIES = "not explored or not judged"
NO_SOURCE_HELPS = "no source helps: no positive query"


@dataclass(frozen=True)
class Planned:
    """A question with its plans `P+` and `P-`. A plan is None where no query has its label."""

    question: Asked
    positive: SourcePlan | None
    negative: SourcePlan | None

    @property
    def is_pair(self) -> bool:
        """Whether both plans are there, so that it may be used for direct preference optimisation."""
        return self.positive is not None and self.negative is not None


@dataclass(frozen=True)
class TrainingPlans:
    """The plans of all questions that have a positive one, and how many questions were dropped for each reason."""

    planned: tuple[Planned, ...]
    dropped: dict[str, int]

    @property
    def pairs(self) -> tuple[Planned, ...]:
        """D+-: the questions with both plans."""
        return tuple(one for one in self.planned if one.is_pair)


def training_plans(judged: Iterable[Judged], *, seed: int = 0) -> TrainingPlans:
    """The plans of all questions. The same seed gives a question the same plans, whatever other questions there are."""
    planned: list[Planned] = []
    dropped: Counter[str] = Counter()
    for one in judged:
        random_of = random.Random(f"{seed} {one.question.id}")
        plans = Planned(one.question, plan_of(one, "positive", random_of), plan_of(one, "negative", random_of))
        if plans.positive is not None:
            planned.append(plans)
        else:
            dropped[NO_SOURCE_HELPS if one.queries else NO_QUERIES] += 1
    return TrainingPlans(tuple(planned), dict(dropped))


def plan_of(judged: Judged, label: Label, random_of: random.Random) -> SourcePlan | None:
    """At most three random queries of each source with a label; a source without one stays empty.

    None if no source has one.
    """
    sources = dict.fromkeys(one.source for one in judged.queries)
    chosen = {name: _some(_with(judged.queries, name, label), random_of) for name in sources}
    plan = SourcePlan(queries=chosen)
    return plan if plan.size else None


def _with(queries: Sequence[JudgedQuery], source: str, label: Label) -> tuple[SourceQuery, ...]:
    """The distinct queries of a source with a label. A query that also has the other label is in neither plan."""
    mine = [one for one in queries if one.source == source]
    others = {one.query for one in mine if one.label != label}
    return tuple(dict.fromkeys(one.query for one in mine if one.label == label and one.query not in others))


def _some(queries: tuple[SourceQuery, ...], random_of: random.Random) -> tuple[SourceQuery, ...]:
    """At most three of them, in their order."""
    if len(queries) <= MOST_QUERIES:
        return queries
    return tuple(queries[place] for place in sorted(random_of.sample(range(len(queries)), MOST_QUERIES)))
