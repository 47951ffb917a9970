"""What is old is deleted in time, and nothing because a clock jumps, however long it takes until it is set right."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest
from clocks import QUARTER, Clocks
from small_service import ADA, QUESTION, answered

from medground.engine.answers import Answers
from medground.engine.blocking import ask as ask_once
from medground.errors import NotFound
from medground.faces.service.request import AskBody
from medground.faces.service.service import Service
from medground.home.settings import Settings

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
FAR = 400 * DAY


@pytest.fixture
def kept(papers: Settings) -> Settings:
    """Settings by which what is older than 30 days goes."""
    return papers.with_options({"serve.keep_days": 30, "serve.audit_days": 90})


async def test_answers_and_traces_are_deleted_after_their_days(kept: Settings) -> None:
    own = await asyncio.to_thread(ask_once, QUESTION, settings=kept)
    clocks = Clocks()
    async with Service.open(kept, now=clocks.now, steady=clocks.steady) as service:
        for _ in range(21):
            clocks.time += timedelta(minutes=1)
            last = await answered(service, AskBody(question=QUESTION), ADA)
        claim = await service.verify("Aspirin helps.", ADA)
        assert await clocks.passes(service, 2 * DAY) == 0
        clocks.time += 26 * DAY  # off, and its looks start again
        assert await clocks.passes(service, DAY + HOUR) == 0
        clocks.time += DAY
        assert [await clocks.passes(service, HOUR) for _ in range(3)] == [1, 1, 1]
        assert len(await service.history(ADA, limit=200)) == 18
        assert await clocks.passes(service, DAY) == 19  # with the claim
        assert service.audit.read()[0].act == "sweep"
        with pytest.raises(NotFound):
            await service.answer(last.trace_id, ADA)
    assert not any(list(kept.home.glob(f"*/{name}*")) for name in (last.trace_id, claim.trace_id))
    assert Answers(kept.home).find(own.trace_id) is not None  # of the command line


async def test_entries_of_the_audit_log_go_after_their_days(papers: Settings) -> None:
    clocks = Clocks()
    settings = papers.with_options({"serve.audit_days": 7})
    async with Service.open(settings, now=clocks.now, steady=clocks.steady) as service:
        await service.search("fins", ADA)
        await clocks.passes(service, 7 * DAY)
        assert {entry.act for entry in service.audit.read()} == {"start", "search"}
        await clocks.passes(service, 3 * HOUR)
        assert [entry.act for entry in service.audit.read()] == ["sweep", "sweep"]


Jump = Callable[[Clocks], None]


def _jumps(clocks: Clocks) -> None:
    clocks.wrong = FAR


def _jumps_with_the_other(clocks: Clocks) -> None:
    clocks.wrong, clocks.both = FAR, True


def _goes_back(clocks: Clocks) -> None:
    clocks.wrong = -FAR


@pytest.mark.parametrize("jump", [_jumps, _jumps_with_the_other, _goes_back])
@pytest.mark.parametrize("period", [QUARTER, 23 * HOUR, 3 * DAY], ids=str)
@pytest.mark.parametrize("restarted", [False, True])
async def test_a_clock_that_jumps_deletes_nothing(
    kept: Settings, jump: Jump, period: timedelta, restarted: bool
) -> None:
    clocks = Clocks()
    async with Service.open(kept, now=clocks.now, steady=clocks.steady) as service:
        answer = await answered(service, AskBody(question=QUESTION), ADA)
        assert await clocks.passes(service, 2 * DAY) == 0
        if not restarted:
            jump(clocks)
            await answered(service, AskBody(question=QUESTION), ADA)  # written by the wrong clock
            assert await clocks.passes(service, period) == 0
            assert "clock" in [entry.act for entry in service.audit.read()]
    if restarted:
        jump(clocks)
        async with Service.open(kept, now=clocks.now, steady=clocks.steady) as service:
            assert await clocks.passes(service, period) == 0
            assert "clock" in [entry.act for entry in service.audit.read()]
    clocks.wrong, clocks.both = timedelta(), False
    async with Service.open(kept, now=clocks.now, steady=clocks.steady) as service:
        assert await clocks.passes(service, 2 * DAY) == 0
        assert (await service.answer(answer.trace_id, ADA)).trace_id == answer.trace_id
