"""A network's judgement of a comparison counts only where the text has both sides in the same roles."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row, tables

from medground.answering.conclude.claim import check_claim
from medground.answering.verify import critics
from medground.answering.verify.arms import contrasts, roles_in
from medground.answering.verify.critic import Score
from medground.values.document import Document
from medground.values.statement import Verdict

TABLES = tables(__file__)
NAME = "nli:one-sided"


class OneSided:
    """A network that says the same of every pair of texts."""

    def __init__(self, entailment: float) -> None:
        self.score_of_all = Score(entailment, 0.95 - entailment)

    def problem(self, statement: str) -> str | None:
        return None

    def score(self, pairs: Sequence[tuple[str, str]], stopped: Callable[[], bool]) -> list[Score]:
        return [self.score_of_all] * len(pairs)


@pytest.fixture
def verified(make_run: Any, memory_source: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Verdict]:
    """The verdict on a claim beside a text, of a trusted network that always supports, or always contradicts."""

    def judged(claim: str, text: str, *, supports: bool = True) -> Verdict:
        monkeypatch.setattr(critics, "open_nli", lambda name: OneSided(0.9 if supports else 0.05))
        sources = [memory_source([Document(id="PMID:1", title="A trial", text=text, year=2001)])]
        run = make_run(claim, sources=sources, options={"verify.critic": NAME, "verify.trusted_judges": [NAME]})
        return asyncio.run(check_claim(run)).statements[0].verdict

    return judged


@each_row(("true", "exchanged", "text"), TABLES["pairs"])
def test_exchanged_sides_are_never_supported_and_true_ones_never_contradicted(
    verified: Callable[..., Verdict], true: str, exchanged: str, text: str
) -> None:
    right, wrong = verified(true, text), verified(exchanged, text)
    assert (right.label, right.flags) == ("supported", ())
    assert (wrong.label, wrong.flags) == ("related", ("opposite",))
    assert verified(true, text, supports=False).label == "not judged"
    assert verified(exchanged, text, supports=False).label == "contradicted"


@each_row(("claim", "text"), TABLES["open"])
def test_a_comparison_that_the_text_does_not_make_is_not_supported(
    verified: Callable[..., Verdict], claim: str, text: str
) -> None:
    assert verified(claim, text).label in ("not judged", "related", "not found")


@each_row(("claim", "text"), TABLES["plain"])
def test_what_compares_no_sides_is_judged_as_ever(verified: Callable[..., Verdict], claim: str, text: str) -> None:
    assert verified(claim, text).label == "supported"


ARMS = st.permutations(["lodexil", "mirtal", "placebo", "usual care", "patients given Z9", "the control group"])
OUTCOMES = st.sampled_from(["mortality", "the hospital stay", "fasting glucose", "pain at 12 weeks"])
DEGREES = st.sampled_from(["higher", "lower", "longer", "shorter", "better", "worse", "steeper", "more frequent"])
FORMS = st.sampled_from(
    [
        "{o} was {d} with {a} than with {b}.",
        "{o} was significantly {d} with {a} compared with {b} (p = 0.01).",
        "Compared with {b}, {a} gave a {d} {o}.",
        "{a} had a {d} {o} than {b}.",
        "{a} led to {d} {o} versus {b}, and nausea was rare.",
    ]
)


@given(ARMS, OUTCOMES, DEGREES, FORMS, FORMS)
def test_in_every_form_the_sides_keep_their_roles(arms: Any, outcome: str, degree: str, one: str, other: str) -> None:
    first, second, third = (arm for arm in arms[:3])
    text = other.format(o=outcome, d=degree, a=first, b=second)

    def claimed(a: str, b: str) -> Any:
        return roles_in(one.format(o=outcome, d=degree, a=a, b=b), text)

    assert claimed(first, second) in ("same", None)
    assert claimed(second, first) in ("exchanged", None)
    assert claimed(first, third) is None
    assert claimed(third, second) is None


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert all(one.kind for one in contrasts(text))
