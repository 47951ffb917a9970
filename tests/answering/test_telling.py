"""Which windows of a passage a critic reads, and what it says of the passage as a whole."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medground.answering.verify.context import premise_spans
from medground.answering.verify.critic import Score
from medground.answering.verify.trained_critic import WINDOWS, of_passages, of_windows, on_subject, telling
from medground.models.operators.base import EvidenceView

TEXT = (
    "Heart failure is common in older adults. We enrolled 240 patients in a trial of dapagliflozin. They were seen "
    "every month. Dapagliflozin lowered the rate of death from heart failure by 17% compared with placebo. "
    "No patient was lost."
)
CLAIM = "Dapagliflozin lowers death from heart failure."
SENTENCES = st.lists(st.text("abc de.", min_size=3, max_size=30).filter(str.strip), min_size=1, max_size=12)
CHANCES = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(lambda p: Score(p[0], p[1] * (1 - p[0])))


def windows(text: str, passage: int = 1) -> list[EvidenceView]:
    spans = premise_spans(text, "windows")
    return [EvidenceView(id=f"P{passage}.S{n}", quote=text[start:end]) for n, (start, end) in enumerate(spans, 1)]


def test_windows_with_the_finding_are_read() -> None:
    read = telling(CLAIM, windows(TEXT))
    assert len(read) == WINDOWS
    assert all("lowered the rate of death" in view.quote for view in read)


def test_passages_about_something_else_are_not_read() -> None:
    other = windows("Empagliflozin lowered the rate of death.", 2)
    titled = [
        view.model_copy(update={"title": "Dapagliflozin"}) for view in windows("It lowered the rate of death.", 3)
    ]
    assert on_subject(CLAIM, [*windows(TEXT), *other, *titled]) == [*windows(TEXT), *titled]
    assert on_subject("Drugs lower the rate of death.", other) == other


@given(SENTENCES, st.text(max_size=40))
def test_any_text_can_be_read(sentences: list[str], claim: str) -> None:
    views = [EvidenceView(id=f"P1.S{n}", quote=quote) for n, quote in enumerate(dict.fromkeys(sentences))]
    read = telling(claim, views)
    assert len(read) == min(WINDOWS, len(views))
    assert set(read) <= set(views)


@given(st.lists(CHANCES, min_size=1, max_size=5))
def test_a_passage_says_as_much_as_its_most_telling_window(scores: list[Score]) -> None:
    whole = of_windows(scores)
    assert whole.entailment + whole.contradiction == pytest.approx(max(s.entailment + s.contradiction for s in scores))
    assert of_windows(scores[::-1]).entailment == pytest.approx(whole.entailment, abs=1e-9)
    if all(s.entailment > s.contradiction for s in scores):
        assert whole.entailment >= whole.contradiction


def test_one_that_is_not_finite_makes_the_whole_unusable() -> None:
    assert math.isnan(of_windows([Score(0.9, 0.05), Score(math.nan, 0.1)]).entailment)
    assert of_windows([Score(0.0, 0.0)]).entailment == 0


def test_the_window_shown_agrees_with_the_score() -> None:
    views = windows(TEXT)[:3]
    shown, found = of_passages(views, [Score(0.9, 0.01), Score(0.02, 0.93), Score(0.85, 0.02)])
    assert shown == [views[0]]
    assert found[0].entailment > found[0].contradiction
    shown, found = of_passages([*views, EvidenceView(id="E1", quote="No.")], [*[Score(0.1, 0.1)] * 3, Score(0.2, 0.7)])
    assert [view.id for view in shown] == ["P1.S1", "E1"]
    assert (round(found[1].entailment, 3), round(found[1].contradiction, 3)) == (0.2, 0.7)
