"""Each target of the fuzzer, over its samples, what was found before, and what hypothesis makes of these."""

import pytest
from fuzz_targets import TARGETS, seeds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_but_our_own_errors_is_raised(name: str) -> None:
    known = seeds(name)

    @settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(known), st.integers(0, 5000), st.integers(0, 40), st.binary(max_size=20))
    def changed(seed: bytes, at: int, left_out: int, put_in: bytes) -> None:
        TARGETS[name](seed[:at] + put_in + seed[at + left_out :])

    changed()
    for seed in known[:3]:
        TARGETS[name](seed)
