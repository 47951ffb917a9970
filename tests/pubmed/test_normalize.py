"""QueryNormalize (Eq. 11): always returns a query, is idempotent, and leaves valid queries unchanged; dates too."""

import contextlib
from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from query_texts import TEXTS
from rows import each_row, tables

from medground.pubmed.filters import between, days, last_days, range_text, repair_date, repair_range
from medground.pubmed.normalize import normalize
from medground.pubmed.printer import to_pubmed
from medground.pubmed.syntax import QuerySyntaxError
from medground.pubmed.translate import parse
from medground.values.query import DateRange, Range

TABLES = tables(__file__)

TODAY = date(2026, 3, 31)

REPAIRED: dict[str, str] = TABLES["repaired"]
"""Texts and the queries they become."""


@each_row(("text", "query"), REPAIRED.items())
def test_an_invalid_query_is_repaired_with_a_note(text: str, query: str) -> None:
    found = normalize(text, today=TODAY)
    assert found.text == query
    assert found.query == parse(query, today=TODAY)
    clear = {"a[ti] OR b[ti] AND c[ti]", "Cells, Cultured[Mesh]"}
    assert bool(found.notes) == (text not in clear)
    assert any("everything is searched" in note for note in found.notes) == (query == "all[Filter]")


VALID = TABLES["valid"]


@each_row("text", VALID)
def test_a_valid_query_keeps_its_meaning(text: str) -> None:
    found = normalize(text, today=TODAY)
    assert found.query == parse(text, today=TODAY)
    assert found.notes == ()


@given(TEXTS)
@settings(max_examples=500, deadline=None)
def test_any_text_becomes_a_query_and_normalising_is_idempotent(text: str) -> None:
    found = normalize(text, today=TODAY)
    assert found.query == parse(found.text, today=TODAY)
    for again in (normalize(found.text, today=TODAY), normalize(to_pubmed(found.query), today=TODAY)):
        assert again.query == found.query
    assert normalize(found.text, today=TODAY).notes == ()
    with contextlib.suppress(QuerySyntaxError):
        assert found.notes or found.query == parse(text, today=TODAY)


@each_row(
    "text",
    ["(" * 3000 + "a", " AND ".join(["a OR b"] * 900), "a OR (" * 300, "[" * 3000, '"' * 3001, "NOT " * 900 + "a"],
)
def test_extreme_texts_become_queries(text: str) -> None:
    found = normalize(text)
    assert normalize(found.text).text == found.text
    assert len(found.notes) <= 50


@each_row(
    ("text", "first", "last"),
    [
        ("2010", date(2010, 1, 1), date(2010, 12, 31)),
        ("2012/02", date(2012, 2, 1), date(2012, 2, 29)),
        ("3000", date(3000, 1, 1), date(3000, 12, 31)),
    ],
)
def test_a_date_is_its_first_and_last_day(text: str, first: date, last: date) -> None:
    assert days(text) == (first, last)
    for wrong in ("", "20", "2010-01", "2010/13", "2010/00", "2011/02/29", "0999", "3001", "２０１０x", "soon"):
        assert days(wrong) is None, wrong


@each_row(
    ("text", "first"),
    [
        ("last 10 days", date(2024, 2, 19)),
        ("last 12 months", date(2023, 2, 28)),
        ("LAST YEAR", date(2023, 2, 28)),
        ("past 4 years", date(2020, 2, 29)),
        ("last 9999 years", date(1000, 1, 1)),
    ],
)
def test_days_before_today(text: str, first: date) -> None:
    today = date(2024, 2, 29)
    assert last_days(text, today) == (first, today)


@each_row(
    ("text", "written"),
    [
        ("2010-5-1", "2010/5/1"),
        ("May 2010", "2010/05"),
        ("May 13, 2010", "2010/05/13"),
        ("05/13/2010", "2010/05/13"),
        ("13/05/2010", "2010/05/13"),
        ("present", "3000"),
        ("31/31/2010", None),
        ("2010/09/31", "2010/09"),
        ("0999/01", None),
        ("Foo 2010", None),
    ],
)
def test_dates_are_repaired(text: str, written: str | None) -> None:
    assert repair_date(text) == written


@each_row(
    ("text", "both"),
    [
        ("from 2010 to present", ("2010", "3000")),
        ("between 2010 and 2020", ("2010", "2020")),
        ("2010-01-01 to 2012-06", ("2010/01/01", "2012/06")),
        ("May 2010 - June 2011", ("2010/05", "2011/06")),
        ("since 2015", ("2015", "3000")),
        ("before 2015", ("1000", "2015")),
        ("never", None),
    ],
)
def test_ranges_are_repaired(text: str, both: tuple[str, str] | None) -> None:
    assert repair_range(text) == both


@given(st.dates(date(1001, 1, 1), date(2999, 12, 31)), st.integers(0, 4000))
def test_printed_dates_parse_back(low: date, more: int) -> None:
    high = min(low + timedelta(days=more), date(2999, 12, 31))
    query = between("entered", low, high)
    assert query == DateRange(field="entered", low=low, high=high)
    first, _, last = range_text(query).partition(":")  # type: ignore[arg-type]
    assert (days(first)[0], days(last or first)[1]) == (low, high)  # type: ignore[index]


def test_whole_years_of_publication_are_years() -> None:
    assert between("published", date(2010, 1, 1), date(2012, 12, 31)) == Range(low=2010, high=2012)
    assert between("published", date(1000, 1, 1), date(3000, 12, 31)) == Range()
    assert isinstance(between("published", date(2010, 1, 2), date(2012, 12, 31)), DateRange)
