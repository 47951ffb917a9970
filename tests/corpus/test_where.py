"""Limits by field and value: any metadata field, journal, design, language, kind, dates to the month."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from read_files import SAMPLES
from refusals import refused
from rows import each_row, tables

from medground.corpus.build import build
from medground.corpus.design import with_design
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.errors import UsageError
from medground.pubmed.printer import to_pubmed
from medground.values.document import Document
from medground.values.query import Everything, Filters, first_day, last_day
from medground.values.where import check_fields, own_fields, parse_where

TABLES = tables(__file__)


@pytest.fixture
def corpus(library: Library, embedder) -> Library:
    build(library, "mine", find_inputs([SAMPLES / "wards.jsonl"]), embedder=embedder)
    return library


CASES = TABLES["cases"]


@each_row(("written", "expected"), CASES)
def test_limits_by_words_and_by_meaning(corpus: Library, written: list[str], expected: str) -> None:
    filters = parse_where(written)
    with corpus.open("mine") as snapshot:
        by_words = snapshot.bm25(Everything(), 10, filters)
        by_meaning = snapshot.dense(np.ones(32, dtype=np.float32) / np.sqrt(np.float32(32)), 10, filters)
    for hits in (by_words, by_meaning):
        assert sorted(hit.passage.document_id for hit in hits) == [f"DOC:{n}" for n in expected]


STATED = TABLES["stated"]


@each_row(("title", "text", "expected"), STATED)
def test_a_design_that_no_record_names_is_read_from_title_and_abstract(title: str, text: str, expected: str) -> None:
    read = with_design(Document(id="DOC:1", title=title, text=text, publication_types=("research-article",)))
    assert read.publication_types[1:] == ((expected,) if expected else ())
    assert [note.source for note in read.joined] == (["its own title and abstract"] if expected else [])
    named = Document(id="DOC:1", title=title, text=text, publication_types=("Editorial",))
    assert with_design(named) == named


def test_filters_in_python(corpus: Library) -> None:
    def found(**limits: object) -> list[str]:
        with corpus.open("mine") as snapshot:
            hits = snapshot.bm25(Everything(), 10, Filters.model_validate(limits))
        return sorted(hit.passage.document_id for hit in hits)

    assert found(where={"ward": ["ICU", "ED"], "journal": "Thorax"}) == ["DOC:2"]
    assert found(date_from="2019-04", date_to="2019-12-31") == ["DOC:2"]
    assert found(date_to="2019-03") == ["DOC:1"]
    assert found(date_to="2019-03", kinds=["guideline"]) == []
    assert hash(Filters(where={"a": "b"})) == hash(Filters(where=(("a", "b"),)))


def test_an_unknown_field_is_an_error_with_the_nearest_names() -> None:
    check_fields(parse_where(["journal=x", "ward=ICU"]), ["ward"])
    refused(UsageError, "the nearest: ward", lambda: check_fields(parse_where(["wards=ICU"]), ["ward", "dose"]))
    refused(UsageError, "the nearest: journal", lambda: check_fields(parse_where(["jurnal=Lancet"]), []))
    with pytest.raises(UsageError, match="use one of journal, title"):
        check_fields(parse_where(["qqqq=1"]), [f"x{n}" for n in range(40)])


@each_row(("written", "reason"), TABLES["a_wrong_limit_is_an_error"])
def test_a_wrong_limit_is_an_error(written: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as error:
        parse_where([written])
    assert "\n" not in str(error.value)


@each_row("wrong", [{"date_from": "19"}, {"date_to": "2019-02-30"}, {"date_from": "2020", "date_to": "2019"}])
def test_wrong_dates_are_errors(wrong: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Filters.model_validate(wrong)


@given(st.dates())
def test_a_partial_date_holds_its_days(day) -> None:
    for length in (4, 7, 10):
        partial = day.isoformat()[:length]
        assert first_day(partial) <= day <= last_day(partial)


@each_row("field", ["year", "date"])
def test_a_range_without_ends_limits_nothing(field: str) -> None:
    refused(UsageError, "has neither start nor end", lambda: Filters(where={field: " .. "}).as_query())


def test_pubmed_is_asked_in_its_own_words() -> None:
    limits = parse_where(["journal=Lancet", "date=2019-03..2019-04", "author=Gil A"]).as_query()
    assert limits is not None
    assert to_pubmed(limits) == '"Lancet"[Journal] AND 2019/03/01:2019/04/30[Date - Publication] AND "Gil A"[Author:~0]'
    for limit, printed in (("pmid=1", "1[UID]"), ("doi=10.1/x", '"10.1/x"[Article Identifier]'), ("pmc=1", "PMC1")):
        query = parse_where([limit]).as_query()
        assert query is not None
        assert to_pubmed(query) == printed
    own = parse_where(["ward=ICU"])
    assert own_fields(own) == ("ward",)
    query = own.as_query()
    assert query is not None
    refused(UsageError, "PubMed has no field 'ward'", to_pubmed, query)
