"""What a question names reaches its query: drugs and genes without a heading, populations, alternatives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medground.operators.keyless.drafting import draft, propose, select
from medground.operators.keyless.naming import alternatives, named
from medground.plan.concepts import missing_concepts, with_concepts
from medground.plan.relax import PubMedQuery, as_pubmed, conjuncts
from medground.pubmed.translate import parse
from medground.question import Question

ASPIRIN = "Does aspirin prevent myocardial infarction in adults with hypertension?"
QUESTIONS = [
    ASPIRIN,
    "Does miR-200 suppress metastasis in breast cancer?",
    "Does inhaled budesonide reduce growth in children with asthma?",
    "Is AIDS or diabetes a risk factor for tuberculosis?",
    "Are AIDS, malaria or tuberculosis more common in women?",
    "Do dupilumab/omalizumab help EoE in men?",
]
PARTS = ["aspirin[tiab]", '"Child"[mesh]', '"Asthma"[mesh]', '"AIDS"[tiab]', "mir-200[tiab]", "NOT women[tiab]"]


def asked(text: str, query: str) -> str:
    return with_concepts(Question.ask(text), as_pubmed(parse(query))).text


def test_what_the_query_names_in_words_is_not_missing() -> None:
    question = Question.ask(ASPIRIN)
    query = PubMedQuery("", parse('aspirin[tiab] AND ("heart attack"[tiab] OR "stroke"[tiab])'))
    assert missing_concepts(question, query) == ["Adult", "Hypertension"]
    excluded = PubMedQuery("", parse("aspirin[tiab] NOT hypertension[tiab]"))
    assert "Hypertension" in missing_concepts(question, excluded)


@given(text=st.sampled_from(QUESTIONS), parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=4, unique=True))
def test_nothing_that_is_named_is_missing_afterwards(text: str, parts: list[str]) -> None:
    question = Question.ask(text)
    query = as_pubmed(parse(" AND ".join(parts).replace("AND NOT", "NOT")))
    whole = with_concepts(question, query)
    assert missing_concepts(question, whole) == []
    assert with_concepts(question, whole) == whole
    assert missing_concepts(question, as_pubmed(parse(whole.text))) == []


def test_a_drug_or_a_gene_without_a_heading_is_a_text_term_and_comes_first() -> None:
    assert [(one.words, one.heading) for one in named("Does miR-200 or semaglutide act on mTORC in mice?")] == [
        ("miR-200", ""),
        ("semaglutide", ""),
        ("mTORC", ""),
    ]
    text = asked("Does miR-200 suppress metastasis?", "metastasis[tiab]")
    assert text.startswith('"mir-200"[Title/Abstract] AND')


@pytest.mark.parametrize("ordinary", ["30-day", "5-year", "III", "stage", "effective", "2nd"])
def test_an_ordinary_word_is_no_name(ordinary: str) -> None:
    assert named(f"Is {ordinary} asthma severe?")[0].words == "asthma"


def test_a_population_is_a_part_of_its_own() -> None:
    text = asked("Does budesonide reduce growth in children?", '"Budesonide"[mesh]')
    assert text.endswith('AND ("child"[MeSH Terms] OR "children"[Title/Abstract])')
    assert "growth" in text


def test_alternatives_are_one_part_of_the_query() -> None:
    text = "Is AIDS or diabetes a risk factor for tuberculosis?"
    headings = select(text, [heading for heading, _ in propose(text)])
    first, second = conjuncts(parse(draft(text, headings)))
    assert "Diabetes Mellitus" in str(first)
    assert "Acquired Immunodeficiency Syndrome" in str(first)
    assert "Tuberculosis" in str(second)
    joined = parse(asked(text, '"Diabetes Mellitus"[mesh] AND tuberculosis[tiab]'))
    assert "Acquired Immunodeficiency Syndrome" in str(conjuncts(joined)[0])


def test_a_comma_joins_alternatives_only_in_a_list_with_or() -> None:
    assert [len(group) for group in alternatives("Are AIDS, malaria or tuberculosis common?")] == [3]
    assert [len(group) for group in alternatives("Are AIDS, malaria and tuberculosis common?")] == [1, 1, 1]
