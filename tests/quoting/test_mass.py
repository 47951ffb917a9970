"""Strengths together."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medground.language.quoting.pool import log_sum

STRENGTHS = st.lists(st.floats(-50, 50), min_size=1, max_size=30)


@given(STRENGTHS)
def test_together_is_at_least_the_strongest_and_at_most_all_as_strong(strengths: list[float]) -> None:
    most = max(strengths)
    assert most <= log_sum(strengths) <= most + math.log(len(strengths)) + 1e-9


@given(STRENGTHS, st.floats(-30, 30))
def test_only_differences_matter(strengths: list[float], shift: float) -> None:
    assert log_sum(s + shift for s in strengths) == pytest.approx(log_sum(strengths) + shift, abs=1e-6)


def test_nothing_has_no_strength() -> None:
    assert log_sum([]) == -math.inf
