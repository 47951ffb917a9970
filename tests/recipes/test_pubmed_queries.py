"""Queries for PubMed: years that a question states, what it names, a first query of it, and wider ones."""

import asyncio
import itertools
import math
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.answering.run import Run
from medground.engine.planning import PlannedQuery, plan_query
from medground.errors import UsageError
from medground.home.settings import Settings
from medground.language.drafting import draft, propose, select
from medground.language.mesh_terms import alternatives, named
from medground.pubmed.mesh import vocabulary
from medground.pubmed.normalize import normalize
from medground.pubmed.translate import parse
from medground.recipes.pubmed_reasoner.queries import dated
from medground.sources.pubmed.query import (
    Count,
    PubMedQuery,
    as_pubmed,
    conjuncts,
    ladder,
    relaxed,
    same,
    texts_of,
    with_concepts,
)
from medground.values.query import And, Filters, Mesh, Not, Or, Phrase, Query, Term
from medground.values.question import Question

MakeRun = Callable[..., Run]


@each_row(
    ("text", "years"),
    [
        ("Has survival in sepsis improved since 2010?", (2010, None)),
        ("What do trials published before 2005 say about aspirin?", (None, 2004)),
        ("What do studies from 2010 to 2015 say about aspirin?", (2010, 2015)),
        ("Which reviews in 2019 are about gout?", (2019, 2019)),
        ("What does the literature of the last five years say?", (2021, None)),
        ("What was known about aspirin in gout up to 2005?", (None, 2005)),
        ("Did mortality fall before 2005?", (None, None)),
        ("Does a dose of 2010 mg help?", (None, None)),
        ("Was the 2009 influenza pandemic severe?", (None, None)),
        ("What did studies from 2015 to 2010 find?", (None, None)),
        ("Is survival better since surgery?", (None, None)),
    ],
)
def test_years_of_the_text_are_limits_and_other_numbers_are_not(
    text: str, years: tuple[int | None, int | None], make_run: MakeRun
) -> None:
    run = make_run(text, now=lambda: datetime(2026, 5, 1, tzinfo=UTC))
    found = dated(run.question, run).filters
    assert (found.year_from, found.year_to) == years
    assert bool(run.warnings) == (years != (None, None))


def test_the_limits_of_the_user_go_first_and_others_are_told(make_run: MakeRun) -> None:
    run = make_run("x")
    question = Question.ask("Has survival improved since 2010?", filters=Filters(year_from=2000))
    assert dated(question, run) == question
    assert not run.warnings
    dated(Question.ask("Has survival improved since 2010?"), run)
    assert list(run.warnings) == [
        "only publications from 2010 on were searched, because the question says 'since 2010'"
    ]


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

    assert planned(f"Does aspirin {'-' * 3000} help?").query == planned("Does aspirin help?").query
    found = planned("I want to kill myself, which pills work?")
    assert found.notice is not None and found.notice.stops and found.query == ""


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


ASPIRIN = "Does aspirin prevent myocardial infarction in adults with hypertension?"
QUESTIONS = [
    ASPIRIN,
    "Does miR-200 suppress metastasis in breast cancer?",
    "Does inhaled budesonide reduce growth in children with asthma?",
    "Is AIDS or diabetes a risk factor for tuberculosis?",
    "Are AIDS, malaria or tuberculosis more common in women?",
    "Do dupilumab/omalizumab help EoE in men?",
]
NAMED = ["aspirin[tiab]", '"Child"[mesh]', '"Asthma"[mesh]', '"AIDS"[tiab]', "mir-200[tiab]", "NOT women[tiab]"]


def asked(text: str, query: str) -> str:
    return with_concepts(Question.ask(text), as_pubmed(parse(query))).text


def test_what_the_query_names_in_words_is_not_missing() -> None:
    whole = asked(ASPIRIN, 'aspirin[tiab] AND ("heart attack"[tiab] OR "stroke"[tiab])')
    assert '"adult"[MeSH' in whole and '"hypertension"[MeSH' in whole.casefold().replace("[mesh", "[MeSH")
    assert "infarction" not in whole.casefold()
    assert '"hypertension"[mesh' in asked(ASPIRIN, "aspirin[tiab] NOT hypertension[tiab]").casefold()


@settings(max_examples=30)
@given(text=st.sampled_from(QUESTIONS), parts=st.lists(st.sampled_from(NAMED), min_size=1, max_size=4, unique=True))
def test_nothing_that_is_named_is_missing_afterwards(text: str, parts: list[str]) -> None:
    question = Question.ask(text)
    query = as_pubmed(parse(" AND ".join(parts).replace("AND NOT", "NOT")))
    whole = with_concepts(question, query)
    assert with_concepts(question, whole) == whole
    again = as_pubmed(parse(whole.text))
    assert with_concepts(question, again) == again


def test_names_populations_and_alternatives_reach_the_query() -> None:
    for ordinary in "30-day", "5-year", "III", "stage", "effective", "2nd":
        assert named(f"Is {ordinary} asthma severe?")[0].words == "asthma"
    found = named("Does miR-200 or semaglutide act on mTORC in mice?")
    assert [(one.words, one.heading) for one in found] == [("miR-200", ""), ("semaglutide", ""), ("mTORC", "")]
    text = asked("Does miR-200 suppress metastasis?", "metastasis[tiab]")
    assert text.startswith('"mir-200"[Title/Abstract] AND')

    text = asked("Does budesonide reduce growth in children?", '"Budesonide"[mesh]')
    assert text.endswith('AND ("child"[MeSH Terms] OR "children"[Title/Abstract])')
    assert "growth" in text

    text = "Is AIDS or diabetes a risk factor for tuberculosis?"
    headings = select(text, [heading for heading, _ in propose(text)])
    first, second = conjuncts(parse(draft(text, headings)))
    assert "Diabetes Mellitus" in str(first)
    assert "Acquired Immunodeficiency Syndrome" in str(first)
    assert "Tuberculosis" in str(second)
    joined = parse(asked(text, '"Diabetes Mellitus"[mesh] AND tuberculosis[tiab]'))
    assert "Acquired Immunodeficiency Syndrome" in str(conjuncts(joined)[0])

    assert [len(group) for group in alternatives("Are AIDS, malaria or tuberculosis common?")] == [3]
    assert [len(group) for group in alternatives("Are AIDS, malaria and tuberculosis common?")] == [1, 1, 1]


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
        case Phrase():
            return document.issuperset(tree.text.split())
        case Mesh():
            return False
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

    without_mesh = counting(
        [frozenset(text.split()) for text in ("metformin risk", "lactic acidosis risk", *["risk"] * 9)]
    )
    asked = as_pubmed(parse('Metformin[mesh] AND "Lactic Acidosis"[mesh] AND risk[tiab]'))
    metformin, others = conjuncts(asyncio.run(relaxed(asked, without_mesh, 1)).tree)
    assert "metformin" in texts_of(metformin) and {"lactic acidosis", "risk"} <= set(texts_of(others))

    poor = " AND ".join(f'"{name}"[mesh]' for name in ("Humans", "Female", "Male", "Aged", "Middle Aged"))

    async def count(query: PubMedQuery) -> int:
        return 0 if "humans" in query.text.casefold() else 3

    left = asyncio.run(relaxed(as_pubmed(parse(f"{poor} AND asthma[tiab] AND gout[tiab]")), count, 3))
    assert left.tree == parse("asthma[tiab] AND gout[tiab]")


@settings(max_examples=40)
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


@each_row(
    "limits",
    [
        *("", '"Humans"[mesh]', "2010:2020[dp]", "english[la]", "review[pt]", "hasabstract", "NOT gout[tiab]"),
        '("Child"[mesh] OR children[tiab])',
    ],
)
def test_a_widened_query_still_names_its_subject(limits: str) -> None:
    """Humans, children or a range of years alone would find enough, but nothing about the subject."""

    async def count(query: PubMedQuery) -> int:
        text = query.text.casefold()
        return 6 if ABOVE.casefold() in text else 1 if "marfan" in text else 100

    query = parse(f'"Marfan Syndrome"[mesh] {"AND " if limits and not limits.startswith("NOT") else ""}{limits}')
    left = asyncio.run(relaxed(as_pubmed(query), count, 5))
    assert left.tree == parse(f'"Marfan Syndrome"[mesh] OR "{ABOVE}"[mesh]')


def test_order_and_brackets_do_not_make_another_query() -> None:
    assert same(parse("a[tiab] AND (b[tiab] OR c[tiab])"), parse("(c[tiab] OR b[tiab]) AND a[tiab]"))
    assert same(Or(parts=(parse("a[tiab] OR b[tiab]"), parse("c[tiab]"))), parse("c[tiab] OR b[tiab] OR a[tiab]"))
    assert not same(parse("a[tiab] AND b[tiab]"), parse("a[tiab] OR b[tiab]"))
    assert not same(parse("a[tiab]"), parse("a[ti]"))
