"""What a question names reaches its query: drugs and genes without a heading, populations, alternatives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.language.drafting import draft, propose, select
from medground.language.mesh_terms import alternatives, named
from medground.pubmed.translate import parse
from medground.sources.pubmed.query import as_pubmed, conjuncts, with_concepts
from medground.values.question import Question

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
    whole = asked(ASPIRIN, 'aspirin[tiab] AND ("heart attack"[tiab] OR "stroke"[tiab])')
    assert '"adult"[MeSH' in whole and '"hypertension"[MeSH' in whole.casefold().replace("[mesh", "[MeSH")
    assert "infarction" not in whole.casefold()
    assert '"hypertension"[mesh' in asked(ASPIRIN, "aspirin[tiab] NOT hypertension[tiab]").casefold()


@given(text=st.sampled_from(QUESTIONS), parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=4, unique=True))
def test_nothing_that_is_named_is_missing_afterwards(text: str, parts: list[str]) -> None:
    question = Question.ask(text)
    query = as_pubmed(parse(" AND ".join(parts).replace("AND NOT", "NOT")))
    whole = with_concepts(question, query)
    assert with_concepts(question, whole) == whole
    again = as_pubmed(parse(whole.text))
    assert with_concepts(question, again) == again


def test_names_populations_and_alternatives_reach_the_query() -> None:
    assert [(one.words, one.heading) for one in named("Does miR-200 or semaglutide act on mTORC in mice?")] == [
        ("miR-200", ""),
        ("semaglutide", ""),
        ("mTORC", ""),
    ]
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


@each_row("ordinary", ["30-day", "5-year", "III", "stage", "effective", "2nd"])
def test_an_ordinary_word_is_no_name(ordinary: str) -> None:
    assert named(f"Is {ordinary} asthma severe?")[0].words == "asthma"
