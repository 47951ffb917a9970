"""The rate limit shared by all tasks of the process."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medground.errors import ConfigError
from medground.sources.eutils.client import EutilsService, Transport
from medground.sources.http.clients import Pace


def moments(pace: Pace, waits: Any, count: int, pauses: list[float]) -> list[float]:
    """Return when each call got its turn."""
    turns: list[float] = []

    async def run() -> None:
        for number in range(count):
            waits.now += pauses[number % len(pauses)]
            await pace.wait()
            turns.append(waits.now)

    asyncio.run(run())
    return turns


@given(pauses=st.lists(st.floats(0, 1), min_size=1, max_size=6), rate=st.sampled_from([3, 10]))
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_never_more_than_the_rate_in_any_second(pauses: list[float], rate: int, waits: Any) -> None:
    turns = moments(Pace(rate, clock=waits.clock, sleep=waits.sleep), waits, 30, pauses)
    for first in turns:
        assert sum(first <= turn < first + 1 for turn in turns) <= rate


def test_infrequent_calls_do_not_wait_and_a_hold_delays_all(waits: Any) -> None:
    pace = Pace(3, clock=waits.clock, sleep=waits.sleep)
    moments(pace, waits, 10, [0.5])
    assert waits.slept == []
    waits.now += 1
    pace.hold(20)
    moments(pace, waits, 1, [0.0])
    assert waits.slept == [20]


def test_tasks_in_several_loops_share_one_pace() -> None:
    pace, turns, lock = Pace(100), [], threading.Lock()

    async def many() -> None:
        async def one() -> None:
            await pace.wait()
            with lock:
                turns.append(pace.clock())

        await asyncio.gather(*(one() for _ in range(10)))

    started = pace.clock()
    threads = [threading.Thread(target=lambda: asyncio.run(many())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(turns) == 30
    assert max(turns) - started >= 29 * 0.0104


def test_one_pace_for_an_address_and_a_faster_one_with_a_key() -> None:
    slow, fast = (Transport(EutilsService(api_key=key))._pace for key in (None, "z"))
    assert (slow.per_second, fast.per_second) == (3, 10)
    assert Transport(EutilsService(api_key="x"))._pace is Transport(EutilsService(api_key="y"))._pace is fast
    assert Transport(EutilsService())._pace is slow
    assert Transport(EutilsService(address="http://127.0.0.1:1"))._pace.per_second == float("inf")


def test_addresses_are_checked_and_the_path_is_added() -> None:
    for address in ("", "eutils.ncbi.nlm.nih.gov", "ftp://x", "http://"):
        with pytest.raises(ConfigError, match="not an address"):
            EutilsService(address=address)
    assert EutilsService(address="http://127.0.0.1:80").address == "http://127.0.0.1:80/entrez/eutils"
    assert EutilsService(address="http://x.org/entrez/eutils/").address == "http://x.org/entrez/eutils"
