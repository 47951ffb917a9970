"""Dates in PubMed format, and the formats that people and models use instead."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.pubmed.filters import between, days, last_days, range_text, repair_date, repair_range
from medground.values.query import DateRange, Range


@each_row(
    ("text", "first", "last"),
    [
        ("2010", date(2010, 1, 1), date(2010, 12, 31)),
        ("2012/02", date(2012, 2, 1), date(2012, 2, 29)),
        ("2012/2/9", date(2012, 2, 9), date(2012, 2, 9)),
        ("3000", date(3000, 1, 1), date(3000, 12, 31)),
    ],
)
def test_a_date_is_its_first_and_last_day(text: str, first: date, last: date) -> None:
    assert days(text) == (first, last)


@each_row("text", ["", "20", "2010-01", "2010/13", "2010/00", "2011/02/29", "0999", "3001", "２０１０x", "soon"])
def test_invalid_dates(text: str) -> None:
    assert days(text) is None


@each_row(
    ("text", "first"),
    [
        ("last 10 days", date(2024, 2, 19)),
        ("last 2 weeks", date(2024, 2, 15)),
        ("last 12 months", date(2023, 2, 28)),
        ("last 1 year", date(2023, 2, 28)),
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
        ("2010.05", "2010/05"),
        ("May 2010", "2010/05"),
        ("13 May 2010", "2010/05/13"),
        ("May 13, 2010", "2010/05/13"),
        ("2010 May 13", "2010/05/13"),
        ("05/13/2010", "2010/05/13"),
        ("13/05/2010", "2010/05/13"),
        ("present", "3000"),
        ("31/31/2010", None),
        ("2010/09/31", "2010/09"),
        ("2010/13", "2010"),
        ("0999/01", None),
        ("Foo 2010", None),
    ],
)
def test_dates_are_repaired(text: str, written: str | None) -> None:
    assert repair_date(text) == written


@each_row(
    ("text", "both"),
    [
        ("2010-2020", ("2010", "2020")),
        ("2010 to 2020", ("2010", "2020")),
        ("from 2010 to present", ("2010", "3000")),
        ("between 2010 and 2020", ("2010", "2020")),
        ("2010-01-01 to 2012-06", ("2010/01/01", "2012/06")),
        ("May 2010 - June 2011", ("2010/05", "2011/06")),
        ("since 2015", ("2015", "3000")),
        ("before 2015", ("1000", "2015")),
        (">= 2015", ("2015", "3000")),
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
