"""The order of sentences to quote, what a question asks for, and headings as parts of a paper."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row, tables

from medground.language.question_reading import reading_of
from medground.language.quoting.headings import PARTS, parts_of
from medground.language.quoting.judged import Candidate, log_sum
from medground.language.quoting.scorer import strengths

TABLES = tables(__file__)

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
QUESTION = reading_of("Does colchicine reduce ischemic events after myocardial infarction?")

_PROSE = st.text(max_size=80)


def test_the_finding_is_chosen_before_the_purpose_and_before_other_papers() -> None:
    trial, other = strengths(QUESTION, [TRIAL, OTHER])
    assert max(range(4), key=trial.__getitem__) == 2
    assert trial[2] > max(other)


@given(question=_PROSE, papers=st.lists(st.tuples(_PROSE, st.lists(_PROSE, max_size=4)), max_size=4))
def test_any_text_gets_one_finite_number_per_sentence(question: str, papers: list[tuple[str, list[str]]]) -> None:
    candidates = [Candidate(title=title, sentences=sentences) for title, sentences in papers]
    found = strengths(reading_of(question), candidates)
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
    others = strengths(reading_of("Is celecoxib effective for amyotrophic lateral sclerosis?"), [lithium, celecoxib])
    assert max(others[1]) > max(others[0])


@each_row(("question", "kind"), TABLES["kinds"])
def test_the_kind_of_answer_is_read(question: str, kind: str) -> None:
    assert reading_of(question).kind == kind


STRENGTHS = st.lists(st.floats(-50, 50), min_size=1, max_size=30)


@given(STRENGTHS, st.floats(-30, 30))
def test_together_is_at_least_the_strongest_and_only_differences_matter(strengths: list[float], shift: float) -> None:
    most, together = max(strengths), log_sum(strengths)
    assert most <= together <= most + math.log(len(strengths)) + 1e-9
    assert log_sum(s + shift for s in strengths) == pytest.approx(together + shift, abs=1e-6)
    assert log_sum([]) == -math.inf


@each_row(("heading", "expected"), TABLES["headings"])
def test_headings_name_parts(heading: str | None, expected: list[str]) -> None:
    assert parts_of(heading) == set(expected)


@given(st.text(max_size=200), st.sampled_from(["Results", "Methods", "Discussion"]), st.integers(1, 20))
def test_any_heading_has_its_parts_and_numbers_before_it_do_not_matter(text: str, heading: str, number: int) -> None:
    assert parts_of(text) <= set(PARTS)
    assert parts_of(f"{number}. {heading}") == parts_of(heading) == parts_of(f"{number}.2 {heading.upper()}")


def test_what_a_paper_concludes_is_chosen_before_what_others_found() -> None:
    paper = Candidate(
        title="Early atropine in stress echocardiography: a randomised trial",
        sentences=(
            "Atropine shortened stress echocardiography in earlier studies.",
            "Atropine shortened stress echocardiography without more complications.",
            "Atropine: sulphate of atropine; echo: stress echocardiography.",
        ),
        headings=("Background", "Abstract > Conclusion", "Abbreviations"),
    )
    (found,) = strengths(reading_of("Does early atropine shorten stress echocardiography?"), [paper])
    assert max(range(3), key=found.__getitem__) == 1
    assert found[1] > max(found[0], found[2]) + 1
