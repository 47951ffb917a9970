"""Query trees in the syntax of literature databases: meaning, limits, and that no text can break out of its quotes."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.errors import UsageError
from medground.sources.literature import europepmc, pmc, sciencedirect
from medground.sources.literature.source import at_most
from medground.values.query import (
    And,
    DateRange,
    Everything,
    Mesh,
    Metadata,
    Near,
    Not,
    Or,
    Phrase,
    PublicationType,
    Query,
    Range,
    Term,
    Words,
)

SYNTAXES = (europepmc.SYNTAX, pmc.SYNTAX, sciencedirect.SYNTAX)
_FIELDS = re.compile(r"(?:TITLE_ABS|KW|EXT_ID|SRC|PMCID|DOI|PUB_TYPE):|SRC:MED|\[(?:Title|Abstract|uid|MeSH Terms)\]")

HOSTILE = (
    '" OR 1=1 OR "|x") AND (SRC:PPR|a\\|a*|heart[Title] OR|NOT (|“smart” quotes|cat AND dog|{x}'  # what could be syntax
)
TEXT = st.text(max_size=30) | st.sampled_from(HOSTILE.split("|"))
LEAVES = st.one_of(
    TEXT.map(lambda t: Words(text=t)),
    TEXT.map(lambda t: Phrase(text=t)),
    TEXT.map(lambda t: Near(text=t)),
    TEXT.map(lambda t: Term(value=t)),
    TEXT.map(lambda t: Term(value=f"PMC:{t}", field="id")),
    TEXT.map(lambda t: Mesh(heading=t)),
)
TREES: st.SearchStrategy[Query] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: And(parts=tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Or(parts=tuple(parts))),
        inner.map(lambda part: Not(part=part)),
    ),
    max_leaves=6,
)


@settings(max_examples=40)
@given(TREES)
def test_no_text_breaks_out_of_its_quotes(query: Query) -> None:
    for syntax in SYNTAXES:
        text = syntax.compiled(query)
        assert text.count('"') % 2 == 0
        inside = re.findall(r'"([^"]*)"', text)
        assert not any(re.search(r"[\\*?{}\[\]()“”]", words) for words in inside)
        assert all(any(letter.isalnum() for letter in words) for words in inside)
        rest = _FIELDS.sub(" ", re.sub(r'"[^"]*"', " ", text))
        rest = re.sub(r"\d+", " ", rest) if syntax is pmc.SYNTAX else rest
        assert set(re.findall(r"[^\s()]+", rest)) <= {"AND", "OR", "NOT"}
        assert rest.count("(") == rest.count(")")
        text.encode()


@each_row(
    ("query", "compiled"),
    [
        (
            And(parts=(Or(parts=(Phrase(text="cyp17a1"), Phrase(text="P450c17"))), Phrase(text="zebra fish"))),
            '((TITLE_ABS:"cyp17a1" OR TITLE_ABS:"P450c17") AND TITLE_ABS:"zebra fish")',
        ),
        (Words(text="the cat and dog?"), '(TITLE_ABS:"cat" OR TITLE_ABS:"dog")'),
        (
            And(parts=(Phrase(text="a b"), Not(part=Phrase(text="mice")))),
            '(TITLE_ABS:"a b" NOT TITLE_ABS:"mice")',
        ),
        (Not(part=Phrase(text="mice")), ""),
        (And(parts=(Everything(), Phrase(text="x1"))), 'TITLE_ABS:"x1"'),
        (Or(parts=(Everything(), Phrase(text="x1"))), ""),
        (Mesh(heading="Marfan Syndrome"), 'KW:"Marfan Syndrome"'),
        (PublicationType(name="review"), 'PUB_TYPE:"review"'),
        (Range(low=2010), "(FIRST_PDATE:[2010-01-01 TO 3000-12-31])"),
        (Term(value="PMID:21", field="id"), '(EXT_ID:"21" AND SRC:MED)'),
        (Term(value="???"), ""),
    ],
)
def test_trees_for_europe_pmc(query: Query, compiled: str) -> None:
    assert europepmc.SYNTAX.compiled(query) == compiled


def test_trees_for_the_others_and_the_fields_that_they_lack() -> None:
    query = And(parts=(Phrase(text="aortic root"), Not(part=Phrase(text="mice"))))
    assert pmc.SYNTAX.compiled(query) == (
        '(("aortic root"[Title] OR "aortic root"[Abstract]) NOT ("mice"[Title] OR "mice"[Abstract]))'
    )
    days = DateRange(low=date(2010, 5, 1), high=date(2011, 1, 2))
    assert pmc.SYNTAX.compiled(days) == '("2010/05/01"[Publication Date] : "2011/01/02"[Publication Date])'
    assert sciencedirect.SYNTAX.compiled(query) == '("aortic root" AND NOT "mice")'
    with pytest.raises(UsageError, match=r"^PMC has no field for affiliation; remove this part of the query$"):
        pmc.SYNTAX.compiled(Term(value="Ulm", field="affiliation"))
    with pytest.raises(UsageError, match="ScienceDirect has no field 'ward'"):
        sciencedirect.SYNTAX.compiled(Metadata(name="ward", value="ICU"))


@given(TREES, st.integers(0, 8))
def test_connectors_are_at_most_as_many_as_allowed(query: Query, limit: int) -> None:
    text = sciencedirect.SYNTAX.compiled(at_most(limit, query))
    outside = re.sub(r'"[^"]*"', " ", text)
    near = len(re.findall(r"AND|OR", outside))
    assert near <= limit + 10 * str(query).count("Near")  # the words of a Near are one condition


def test_synonyms_are_left_out_before_keywords() -> None:
    keywords = [Or(parts=tuple(Phrase(text=f"{name}{n}") for n in range(4))) for name in ("a", "b", "c")]
    text = sciencedirect.SYNTAX.compiled(at_most(5, And(parts=tuple(keywords))))
    assert text == '(("a0" OR "a1") AND ("b0" OR "b1") AND ("c0" OR "c1"))'
