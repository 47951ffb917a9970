"""Widening a query that finds too little: what it loses, what it keeps, and how many counts it takes."""

from __future__ import annotations

import asyncio
import itertools
import math

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.pubmed.mesh import vocabulary
from medground.pubmed.translate import parse
from medground.sources.pubmed.query import Count, PubMedQuery, as_pubmed, conjuncts, ladder, relaxed, same
from medground.values.query import And, Not, Or, Query, Term

LETTERS = "abcdef"
SUBJECTS = [f"{letter}[tiab]" for letter in LETTERS]
PARTS = ('"Marfan Syndrome"[mesh]', '"Humans"[mesh]', "asthma[tiab]", '(gout[tiab] OR "Gout"[mesh])', "2010:2020[dp]")
MARFAN = vocabulary().heading("Marfan Syndrome")
ABOVE = vocabulary().parents(MARFAN)[0].name


def matches(tree: Query, document: frozenset[str]) -> bool:
    match tree:
        case And():
            return all(matches(part, document) for part in tree.parts)
        case Or():
            return any(matches(part, document) for part in tree.parts)
        case Not():
            return not matches(tree.part, document)
        case Term():
            return tree.value in document
        case _:
            raise AssertionError(tree)


def counting(documents: list[frozenset[str]], asked: list[str] | None = None) -> Count:
    async def count(query: PubMedQuery) -> int:
        if asked is not None:
            asked.append(query.text)
        return sum(matches(query.tree, document) for document in documents)

    return count


def widened(text: str, documents: list[str], enough: int) -> Query:
    return asyncio.run(relaxed(as_pubmed(parse(text)), counting(list(map(frozenset, documents))), enough)).tree


def test_no_subject_is_lost_and_what_finds_nothing_or_names_none_goes_first() -> None:
    query = "a[tiab] AND b[tiab] AND c[tiab]"
    assert widened(query, ["abc"] * 5, 5) == parse(query)
    assert same(widened(query, ["ab"] * 3 + ["ac"] * 2, 5), parse("a[tiab] AND (b[tiab] OR c[tiab])"))
    assert same(widened(query, ["ab", "c", "b", "b", "a"], 5), parse("a[tiab] OR b[tiab] OR c[tiab]"))

    found = widened("x[tiab] AND a[tiab] AND b[tiab]", ["ab"] * 5 + ["a"] * 50, 5)
    assert found == parse("a[tiab] AND b[tiab]")

    poor = " AND ".join(f'"{name}"[mesh]' for name in ("Humans", "Female", "Male", "Aged", "Middle Aged"))

    async def count(query: PubMedQuery) -> int:
        return 0 if "humans" in query.text.casefold() else 3

    left = asyncio.run(relaxed(as_pubmed(parse(f"{poor} AND asthma[tiab] AND gout[tiab]")), count, 3))
    assert left.tree == parse("asthma[tiab] AND gout[tiab]")


@given(
    parts=st.lists(st.sampled_from(SUBJECTS), min_size=1, max_size=6, unique=True),
    documents=st.lists(st.frozensets(st.sampled_from(LETTERS)), max_size=12),
    enough=st.integers(1, 6),
)
def test_each_wider_query_finds_all_that_the_narrower_finds(
    parts: list[str], documents: list[frozenset[str]], enough: int
) -> None:
    tree = parse(" AND ".join(parts))
    for narrow, wide in itertools.pairwise([tree, *ladder(tree)]):
        assert all(matches(wide, document) for document in documents if matches(narrow, document))
        assert set(conjuncts(tree)) == set(_leaves(wide))
    asked: list[str] = []
    wider = asyncio.run(relaxed(as_pubmed(tree), counting(documents, asked), enough))
    found = sum(matches(wider.tree, document) for document in documents)
    anything = sum(any(matches(parse(part), document) for part in parts) for document in documents)
    assert found >= min(enough, anything)


def _leaves(tree: Query) -> list[Query]:
    return [leaf for part in tree.parts for leaf in _leaves(part)] if isinstance(tree, And | Or) else [tree]


def test_a_query_with_a_hundred_parts_costs_few_counts() -> None:
    """Weak models repeat parts, and each count is a request."""
    asked: list[str] = []
    text = " AND ".join(f"w{n}[tiab] AND b[tiab]" for n in range(50))
    wider = asyncio.run(relaxed(PubMedQuery(text, parse(text)), counting([frozenset("b")] * 9, asked), 5))
    assert '"b"[Title/Abstract]' in wider.text
    assert len(asked) <= 3 * math.log2(100)
    asked.clear()
    last = " AND ".join([*(f"w{n}[tiab]" for n in range(50)), "b[tiab]"])
    assert asyncio.run(relaxed(as_pubmed(parse(last)), counting([frozenset("b")] * 9, asked), 5)).tree == parse(
        "b[tiab]"
    )
    assert len(asked) <= 51 + 3 * math.log2(51)


def test_a_last_heading_that_finds_nothing_is_joined_by_the_one_above() -> None:
    async def count(query: PubMedQuery) -> int:
        return 7 if ABOVE.casefold() in query.text.casefold() else 0

    risen = asyncio.run(relaxed(PubMedQuery("", parse('"Marfan Syndrome"[mesh]')), count, 5))
    assert risen.tree == parse(f'"Marfan Syndrome"[mesh] OR "{ABOVE}"[mesh]')


@each_row(
    "limits",
    [
        *('"Humans"[mesh]', "2010:2020[dp]", "english[la]", "review[pt]", "hasabstract", "NOT gout[tiab]"),
        '("Child"[mesh] OR children[tiab])',
    ],
)
def test_a_widened_query_still_names_its_subject(limits: str) -> None:
    """Humans, children or a range of years alone would find enough, but nothing about the subject."""

    async def count(query: PubMedQuery) -> int:
        text = query.text.casefold()
        return 6 if ABOVE.casefold() in text else 1 if "marfan" in text else 100

    query = parse(f'"Marfan Syndrome"[mesh] {"" if limits.startswith("NOT") else "AND "}{limits}')
    left = asyncio.run(relaxed(as_pubmed(query), count, 5))
    assert left.tree == parse(f'"Marfan Syndrome"[mesh] OR "{ABOVE}"[mesh]')


@given(parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=7), counts=st.lists(st.integers(0, 9), min_size=1))
def test_widening_ends_with_a_valid_query_whatever_is_found(parts: list[str], counts: list[int]) -> None:
    answers = itertools.cycle(counts)

    async def count(query: PubMedQuery) -> int:
        return next(answers)

    left = asyncio.run(relaxed(as_pubmed(parse(" AND ".join(parts))), count, 5))
    assert same(parse(left.text), left.tree)


def test_order_and_brackets_do_not_make_another_query() -> None:
    assert same(parse("a[tiab] AND (b[tiab] OR c[tiab])"), parse("(c[tiab] OR b[tiab]) AND a[tiab]"))
    assert same(Or(parts=(parse("a[tiab] OR b[tiab]"), parse("c[tiab]"))), parse("c[tiab] OR b[tiab] OR a[tiab]"))
    assert not same(parse("a[tiab] AND b[tiab]"), parse("a[tiab] OR b[tiab]"))
    assert not same(parse("a[tiab]"), parse("a[ti]"))
