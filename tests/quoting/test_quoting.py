"""The order of sentences to quote: `quoting.model.strengths`, and what a question asks for."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.language.quoting.asked import asked
from medground.language.quoting.model import strengths
from medground.language.quoting.pool import Candidate

TRIAL = Candidate(
    title="Colchicine after myocardial infarction",
    sentences=(
        "The aim of this study was to determine whether colchicine prevents ischemic events.",
        "Patients were randomized within 30 days.",
        "Colchicine reduced the risk of ischemic cardiovascular events after myocardial infarction.",
        "Funding: the university hospital.",
    ),
    by_words=1.0,
)
OTHER = Candidate(
    title="Gout in general practice",
    sentences=("Colchicine is one of several drugs for gout.", "Gout is common in older men."),
    by_words=0.3,
)
QUESTION = "Does colchicine reduce ischemic events after myocardial infarction?"

_PROSE = st.text(max_size=80)


def test_the_finding_is_chosen_before_the_purpose_and_before_other_papers() -> None:
    trial, other = strengths(QUESTION, [TRIAL, OTHER])
    assert max(range(4), key=trial.__getitem__) == 2
    assert trial[2] > max(other)


@given(question=_PROSE, papers=st.lists(st.tuples(_PROSE, st.lists(_PROSE, max_size=4)), max_size=4))
def test_any_text_gets_one_finite_number_per_sentence(question: str, papers: list[tuple[str, list[str]]]) -> None:
    candidates = [Candidate(title=title, sentences=sentences) for title, sentences in papers]
    found = strengths(question, candidates)
    assert [len(row) for row in found] == [len(candidate.sentences) for candidate in candidates]
    assert all(math.isfinite(value) for row in found for value in row)


def test_a_paper_without_the_drug_that_is_asked_for_comes_after_one_with_it() -> None:
    lithium = Candidate(
        title="Lithium in amyotrophic lateral sclerosis",
        sentences=(
            "Amyotrophic lateral sclerosis (ALS) is fatal, and a neuroprotective effect of lithium in amyotrophic "
            "lateral sclerosis has been reported.",
            "Lithium did not slow amyotrophic lateral sclerosis.",
        ),
        by_words=1.0,
    )
    celecoxib = Candidate(
        title="Trial of celecoxib in amyotrophic lateral sclerosis",
        sentences=("At the dosage studied, celecoxib did not have a beneficial effect on people with ALS.",),
        by_words=0.9,
    )
    others = strengths("Is celecoxib effective for amyotrophic lateral sclerosis?", [lithium, celecoxib])
    assert max(others[1]) > max(others[0])


def test_a_question_is_read_in_parts() -> None:
    assert asked("Is capmatinib effective for glioblastoma multiforme?").parts == (
        ("capmatinib",),
        ("glioblastoma", "multiform"),
    )


@each_row(
    ("question", "kind"),
    [
        ("How many people have psoriasis?", "amount"),
        ("What is the half-life of amiodarone?", "time"),
        ("Which gene is mutated in cystic fibrosis?", "gene"),
        ("Which drugs are used for gout?", "drug"),
        ("What is the mechanism of action of metformin?", "mechanism"),
        ("Is aspirin effective in migraine?", "closed"),
    ],
)
def test_the_kind_of_answer_is_read(question: str, kind: str) -> None:
    assert kind in asked(question).kinds
