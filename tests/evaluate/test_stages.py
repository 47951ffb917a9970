"""Seconds and tokens by stage: hand-computed, and properties of stretches of time."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medground.values.source_plan import SourcePlan, SourceQuery
from medground.values.steps import PlanningSources, SourcesPlanned
from medground.wording.progress import in_words
from medground_evaluate.metrics.cost import Stage, joined, stage_means, stages, without
from medground_evaluate.metrics.measures import planned_queries
from medground_evaluate.statistics import Mean

SECOND = 1_000_000_000
TIMES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: (min(pair), max(pair))))


def span(name: str, start: float, end: float, tokens: int = 0, **attributes: Any) -> dict[str, Any]:
    used = {"gen_ai.usage.input_tokens": tokens, "gen_ai.usage.output_tokens": 1} if tokens else {}
    times = {"start": int(start * SECOND), "end": int(end * SECOND)}
    return {"name": name, **times, "attributes": {**used, **attributes}}


def test_stages_by_hand() -> None:
    # Planning from 0 to 5, with a search inside; two searches at once from 5 to 8; answering from 8 to 10.
    found = stages(
        [
            span("recipe omni-rag", 0, 10),
            span("source plan", 0, 5),
            span("operator plan", 0, 2, tokens=100),
            span("search corpus:omni.book", 2, 4),
            span("operator assess", 4, 5, tokens=10),
            span("search corpus:omni.book", 5, 7),
            span("search graph:omni", 6, 8),
            span("operator read", 8, 9, tokens=1000),
        ]
    )
    assert found is not None
    assert found.planning == Stage(3.0, 112, 2)
    assert found.retrieval == Stage(5.0)
    assert found.answering == Stage(2.0, 1001, 1)
    planning, retrieval, answering = stage_means([found, None])
    assert (planning.name, planning.seconds, planning.tokens) == ("planning", Mean(3.0, 1), Mean(112.0, 1))
    assert (retrieval.seconds.value, answering.tokens.value) == (5.0, 1001.0)
    assert stage_means([None]) == ()

    assert stages([span("recipe rag", 0, 10), span("search corpus:a", 2, 4)]) is None
    assert stages([]) is None

    first = SourcePlan(queries={"book": (SourceQuery(text="heart sounds"),)})
    last = SourcePlan(queries={"graph": (SourceQuery(text="symptoms", term="Marfan syndrome"),)})
    steps = [SourcesPlanned.of(plan.queries, repairs=2) for plan in (first, last)]
    spans = [{"name": step.span_name, "attributes": step.attributes()} for step in steps]
    assert planned_queries(spans) == {"graph": ["Marfan syndrome , symptoms"]}
    assert planned_queries([]) is None
    assert in_words(PlanningSources(planner="keyless")) == "planning what to ask each source"
    assert in_words(steps[1]) == "planned 1 query"
    assert in_words(SourcesPlanned.of({})) == "planned to search nothing"
    assert steps[0].repairs == pytest.approx(2)


@given(TIMES, TIMES)
def test_times_are_sets_of_moments(times: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
    def moments(stretches: list[tuple[int, int]]) -> set[int]:
        return {moment for start, end in stretches for moment in range(start, end)}

    one, other = joined(times), joined(others)
    assert moments(one) == moments(times)
    assert all(left[1] < right[0] for left, right in pairwise(one))
    rest = without(one, other)
    assert moments(rest) == moments(times) - moments(others)
    assert sum(end - start for start, end in rest) == len(moments(rest))
