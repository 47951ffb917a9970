"""Syntax errors with their columns, printing of trees, and arbitrary text."""

import html
import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from query_texts import TEXTS
from refusals import refused
from rows import each_row, tables

from medground.errors import UsageError
from medground.pubmed.normalize import normalize
from medground.pubmed.printer import to_pubmed
from medground.pubmed.syntax import QuerySyntaxError
from medground.pubmed.translate import parse
from medground.values.query import And, Or, Term, Words

TABLES = tables(__file__)

TODAY = date(2026, 3, 31)

FAULTS: list[tuple[int, *tuple[str, ...]]] = TABLES["faults"]
"""Columns of errors, each with invalid queries."""


@each_row(("text", "column"), [(text, column) for column, *texts in FAULTS for text in texts])
def test_an_error_has_a_column(text: str, column: int) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    assert caught.value.column == column
    assert "\n" not in str(caught.value)


@each_row(("typed", "meant"), TABLES["typographic"])
def test_typographic_characters_do_not_change_a_query(typed: str, meant: str) -> None:
    assert parse(typed) == parse(meant) == normalize(typed).query


def test_initials_are_one_word_however_they_are_written() -> None:
    for name in ("Smith JA", "Smith J.A.", "Smith, J. A.", "smith j a"):
        assert parse(f"{name}[au]") == Term(value="smith ja", field="author", prefix=True)


def test_a_syntax_error_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match=r"at column 7: unknown field tag \[tabi\]; did you mean \[Title/Abstract\]\?"):
        parse("asthma[tabi]")


@given(TEXTS)
@settings(max_examples=400, deadline=None)
def test_any_text_parses_and_prints_back_or_fails_with_a_column(text: str) -> None:
    try:
        tree = parse(text, today=TODAY)
    except QuerySyntaxError as fault:
        assert 1 <= fault.column <= len(text) + 1
    else:
        assert parse(to_pubmed(tree), today=TODAY) == tree


def test_free_words_are_printed_as_alternatives_and_a_field_that_pubmed_lacks_is_refused() -> None:
    tree = And(parts=(Words(text="lens eye"), Term(value="asthma", field="title")))
    assert to_pubmed(tree) == '("lens"[All Fields] OR "eye"[All Fields]) AND "asthma"[Title]'
    refused(UsageError, "PubMed has no field for kind", lambda: to_pubmed(Term(value="book", field="kind")))


def test_nesting_has_a_limit_and_length_has_none() -> None:
    for text in ("(" * 5000 + "a" + ")" * 5000, " AND ".join(["a OR b"] * 200), "a OR (" * 200 + "b" + ")" * 200):
        refused(QuerySyntaxError, "nested deeper than 100", parse, text)
    tree = parse(" OR ".join(f"word{number}[tiab]" for number in range(1000)))
    assert isinstance(tree, Or) and len(tree.parts) == 1000


def test_real_pubmed_translations_parse(shared: Path) -> None:
    found = set()
    for path in sorted((shared / "eutils" / "biopython").glob("esearch*.xml")):
        text = html.unescape(
            "".join(re.findall(r"<QueryTranslation>(.*?)</QueryTranslation>", path.read_text("utf-8")))
        )
        if not text or any(tag in text for tag in ("[prop]", "[molecular weight]")):
            continue
        tree = parse(text)
        assert parse(to_pubmed(tree)) == tree
        assert normalize(text).notes == ()
        found.add(type(tree).__name__)
    assert {"And", "Term"} <= found
