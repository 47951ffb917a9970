"""A question becomes a PubMed query that needs no repair, and nothing is searched."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medground.engine.planning import PlannedQuery, plan_query
from medground.errors import UsageError
from medground.home.settings import Settings
from medground.pubmed.normalize import normalize


def planned(question: str) -> PlannedQuery:
    return asyncio.run(plan_query(question, Settings()))


def test_the_query_has_the_headings_and_the_words_of_the_question() -> None:
    found = planned("Is aspirin effective for preventing preeclampsia?")
    assert found.planner == "keyless"
    assert [term.heading for term in found.terms] == ["Aspirin", "Pre-Eclampsia"]
    assert '"Pre-Eclampsia"[MeSH Terms]' in found.query
    assert " AND " in found.query
    found = planned("Does metformin reduce mortality in type 2 diabetes, published since 2015?")
    assert found.query.endswith("AND 2015:3000[Date - Publication]")
    assert found.notes == ("the query is limited to the years of publication that the question names",)
    with pytest.raises(UsageError, match="empty"):
        planned("  ")


@settings(max_examples=20)
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=80))
def test_whatever_is_asked_the_query_is_valid_or_the_question_is_refused(question: str) -> None:
    try:
        found = planned(question)
    except UsageError:
        return
    assert found.query
    assert normalize(found.query).notes == ()
    assert normalize(found.query).text == found.query


def test_a_person_at_risk_gets_the_notice_and_no_query() -> None:
    found = planned("I want to kill myself, which pills work?")
    assert found.notice is not None
    assert found.notice.stops
    assert found.query == ""
