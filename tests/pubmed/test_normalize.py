"""QueryNormalize (Eq. 11): always returns a query, is idempotent, and leaves valid queries unchanged; dates too."""

from __future__ import annotations

import contextlib
from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from query_texts import TEXTS
from rows import each_row

from medground.pubmed.filters import between, days, last_days, range_text, repair_date, repair_range
from medground.pubmed.normalize import normalize
from medground.pubmed.printer import to_pubmed
from medground.pubmed.syntax import QuerySyntaxError
from medground.pubmed.translate import parse
from medground.values.query import DateRange, Range

TODAY = date(2026, 3, 31)

REPAIRED: dict[str, str] = {
    # Operators.
    "asthma AND": "asthma",
    "asthma AND OR child": "asthma OR child",
    "asthma AND NOT child": "asthma NOT child",
    "asthma OR NOT child": "asthma OR (NOT child)",
    "asthma[mh] or copd[tiab]": "asthma[MeSH Terms] OR copd[Title/Abstract]",
    # Parentheses.
    "(asthma AND child": "asthma AND child",
    "((asthma OR copd) AND (child": "(asthma OR copd) AND child",
    "()": "all[Filter]",
    "a[ti] OR b[ti] AND c[ti]": "(a[Title] OR b[Title]) AND c[Title]",
    # Quotation marks.
    '"asthma': "asthma",
    '"heart attack AND "stroke"': 'heart attack AND "stroke"',
    "«heart attack»": '"heart attack"',
    '""heart attack""[ti]': '"heart attack"[Title]',
    '\\"heart attack\\"[ti]': '"heart attack"[Title]',
    "&quot;heart attack&quot;[ti]": '"heart attack"[Title]',
    '"heart attack[tiab]"': '"heart attack"[Title/Abstract]',
    '"" AND asthma': "asthma",
    # Tags.
    "asthma[tabi]": "asthma[Title/Abstract]",
    "asthma[qqqq]": "asthma",
    "hypertension[mh:exp]": "hypertension[MeSH Terms]",
    "asthma[tiab": "asthma[Title/Abstract]",
    "(asthma OR copd)[tiab]": "asthma[Title/Abstract] OR copd[Title/Abstract]",
    "(asthma[ti] OR copd)[tiab]": "asthma[Title] OR copd[Title/Abstract]",
    "asthma[mh:~3]": "asthma[MeSH Terms]",
    "asthma[ti][ab]": "asthma[Title]",
    # Headings.
    '"Marfan Sindrome"[Mesh]': '"Marfan Syndrome"[MeSH Terms]',
    '"Diabetes Melitus, Type 2"[mh:noexp]': '"Diabetes Mellitus, Type 2"[MeSH Terms:noexp]',
    '"Asthma/drug therapie"[Mesh]': '"Asthma/drug therapy"[MeSH Terms]',
    '"flooble grumbix"[Mesh] AND asthma[ti]': "flooble grumbix AND asthma[Title]",
    "Cells, Cultured[Mesh]": '"Cells, Cultured"[MeSH Terms]',
    "drug therapie[sh]": '"drug therapy"[MeSH Subheading]',
    # Dates.
    "asthma AND 2010-01-01[dp]": "asthma AND 2010/01/01[Date - Publication]",
    "asthma AND 2010-2020[dp]": "asthma AND 2010:2020[Date - Publication]",
    'asthma AND "since 2015"[pdat]': "asthma AND 2015:3000[Date - Publication]",
    "asthma AND May 2010[edat]": "asthma AND 2010/05[Date - Entry]",
    "asthma AND soon[dp]": "asthma",
    "asthma AND 2010:[dp]": "asthma AND 2010:3000[Date - Publication]",
    "(:2010[edat]) AND asthma": "1000:2010[Date - Entry] AND asthma",
    "2010/05/01:2010/09/31[dp]": "2010/05/01:2010/09[Date - Publication]",
    "asthma AND 2010:2020[ti]": "asthma AND 2010:2020[Date - Publication]",
    # Text that a model writes around a query.
    "```\nasthma[ti] AND copd[ti]\n```": "asthma[Title] AND copd[Title]",
    "Use `asthma[ti] AND copd[ti]` here": "asthma[Title] AND copd[Title]",
    '{"query": "\\"Asthma\\"[Mesh]", "rationale": "fits"}': '"Asthma"[MeSH Terms]',
    "**asthma**[ti]": "asthma[Title]",
    "#1 AND asthma": "asthma",
    # Syntax of other systems.
    "exp Asthma/ AND child*.ti,ab.": '"Asthma"[MeSH Terms] AND child*[Title/Abstract]',
    "asthma.mp. OR Thorax.jn.": "asthma[Text Word] OR Thorax[Journal]",
    'title:asthma AND mesh:"Heart Failure"': 'asthma[Title] AND "Heart Failure"[MeSH Terms]',
    '#1 "Asthma"[Mesh]\n#2 child[ti] OR infant[ti]\n#3 #1 AND #2': '"Asthma"[MeSH Terms]'
    " AND (child[Title] OR infant[Title])",
    "1. asthma[ti]\n2. copd[ti]\n3. 1 OR 2\n4. child[ti]\n5. 3 AND 4": "(asthma[Title] OR copd[Title])"
    " AND child[Title]",
    "asthma[ti] AND, copd[ti]": "asthma[Title] AND copd[Title]",
    # Nothing to search for.
    "": "all[Filter]",
}
"""Texts and the queries they become."""


@each_row(("text", "query"), REPAIRED.items())
def test_an_invalid_query_is_repaired_with_a_note(text: str, query: str) -> None:
    found = normalize(text, today=TODAY)
    assert found.text == query
    assert found.query == parse(query, today=TODAY)
    clear = {"a[ti] OR b[ti] AND c[ti]", "Cells, Cultured[Mesh]"}
    assert bool(found.notes) == (text not in clear)
    assert any("everything is searched" in note for note in found.notes) == (query == "all[Filter]")


VALID = [
    "asthma",
    "heart attack AND aspirin",
    "does smoking cause lung cancer?",
    '"Asthma/drug therapy"[Majr] OR asthma*[tiab]',
    '("Blood Viscosity"[Mesh] AND "Vasodilation"[Mesh]) NOT (review[pt] OR 1990:2000[dp])',
    "a[ti] OR b[ti] AND c[ti] NOT d[ti] OR e[ti]",
    '"last 5 years"[dp] AND hasabstract',
    '"asthma child"[tiab:~3] AND english[la]',
    "neoplasms/dh OR therapy[sh:noexp]",
    "heart attack[mh] AND Crohn's disease[mh]",
]


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
