"""Jobs: followed, left, resumed, stopped, forgotten; and what fails."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any

import pytest
from rows import each_row
from small_service import Clock

from medground.errors import ModelFailed, NotFound, SourceUnavailable, Stopped
from medground.faces.service.job import Job, Tell
from medground.faces.service.jobs import Jobs
from medground.faces.service.records import Records
from medground.faces.service.shared import Shared
from medground.faces.service.values import Event, LimitReached, Told
from medground.values.answer import Answer
from medground.values.steps import RoundBegun


async def _no_answer(trace_id: str) -> Answer | None:
    return None


MakeJobs = Callable[..., Jobs]


@pytest.fixture
def jobs_of(records: Records) -> MakeJobs:
    """Makes the jobs of a server; each call makes another server of the same home."""
    return lambda clock=time.time, **more: Jobs(_no_answer, Shared(records, clock), **more)


async def begun(jobs: Jobs, work: Callable[[Tell], Awaitable[Any]], **more: Any) -> Job:
    return await jobs.start(work, **{"owner": "ada", "kind": "ask", "title": "A question", **more})


async def rounds(tell: Tell, count: int = 5) -> None:
    for number in range(1, count + 1):
        tell.step(RoundBegun(number=number, of=count))
        await asyncio.sleep(0)


async def forever(tell: Tell) -> None:
    tell.step(RoundBegun(number=1, of=1))
    await asyncio.Event().wait()


async def read(job: Job, after: int = 0, most: int = 1000) -> list[Event]:
    found: list[Event] = []
    async with aclosing(job.events(after)) as events:
        async for event in events:
            found.append(event)
            if len(found) == most:
                break
    return found


def types(events: list[Event]) -> list[str]:
    return [event.type for event in events]


async def test_events_are_numbered_and_resumed_after_the_last_one_seen(jobs_of: MakeJobs) -> None:
    jobs = jobs_of()
    job = await begun(jobs, rounds)
    first = await read(job, most=3)
    rest = await read(job, after=first[-1].id)
    assert [event.id for event in first + rest] == [1, 2, 3, 4, 5, 6, 7]
    assert types(first + rest) == ["queued", *["step"] * 5, "done"]
    assert {event.job for event in rest} == {job.id}
    assert [event.words for event in rest][:1] == ["round 3 of at most 5"]
    assert types(await read(job, after=6)) == ["done"]
    assert await read(job, after=7) == []
    assert await read(job, after=10**9) == []  # of another life of the server
    assert await read(job, after=-5) == first + rest
    job = await begun(jobs, rounds)
    early = [asyncio.create_task(read(job)) for _ in range(20)]
    await job.result()
    assert await asyncio.gather(*early) == [await read(job)] * 20


def timed() -> Clock:
    """The clock of the running loop: its timers are due when the test says so, however busy the machine is."""
    clock = Clock()
    asyncio.get_running_loop().time = clock  # type: ignore[method-assign]
    return clock


async def settled() -> None:
    for _ in range(20):  # what is written meanwhile is written in threads
        await asyncio.to_thread(time.sleep, 0.002)


async def test_a_question_is_cancelled_thirty_seconds_after_its_last_listener_left(jobs_of: MakeJobs) -> None:
    clock, jobs = timed(), jobs_of()
    job = await begun(jobs, forever, listened=True)
    async with aclosing(job.events()) as one, aclosing(job.events()) as other:
        await anext(one)
        await anext(other)
        clock.now = 1000
        await settled()
        assert job.state == "running"
    clock.now += 29
    await settled()
    await read(job, most=1)  # somebody came back in time
    clock.now += 29
    await settled()
    assert job.state == "running"
    await jobs.find(job.id, "ada")  # who asks for the state is a listener, too
    clock.now += 29
    await settled()
    assert job.state == "running"
    clock.now += 2
    await settled()
    assert job.state == "stopped"
    assert types(await read(job))[-1] == "stopped"


async def test_research_lives_on_without_listeners_and_a_stopped_job_keeps_what_it_can(jobs_of: MakeJobs) -> None:
    kept: list[str] = []

    async def slow_to_stop(tell: Tell) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)
            kept.append("kept")

    clock, jobs = timed(), jobs_of()
    job = await begun(jobs, forever, kind="research")
    await read(job, most=1)
    await settled()
    clock.now = 10_000
    await settled()
    assert job.state == "running"
    assert (await jobs.stop(job.id, "ada")).state == "stopped"
    with pytest.raises(Stopped):
        await job.result()
    await job.stop()  # again
    del asyncio.get_running_loop().time  # the clock of the machine again
    job = await begun(jobs, slow_to_stop)
    await asyncio.sleep(0)
    await asyncio.gather(job.stop(), job.stop())
    assert kept == ["kept"]
    assert types(await read(job)) == ["queued", "stopped"]


async def test_a_job_is_stopped_before_it_began_and_while_it_waits_in_line(jobs_of: MakeJobs) -> None:
    jobs, turn = jobs_of(), asyncio.Semaphore(1)
    running, waiting = await begun(jobs, forever, turn=turn), await begun(jobs, forever, turn=turn)
    at_once = await begun(jobs, forever)
    await at_once.stop()
    await read(running, most=2)
    assert (running.state, waiting.state, at_once.state) == ("running", "queued", "stopped")
    await waiting.stop()
    assert types(await read(waiting)) == ["queued", "stopped"]
    await jobs.close()
    assert running.state == "stopped"


@each_row(
    ("error", "status", "kind"),
    [
        (SourceUnavailable("no reply", source="pubmed"), 503, "source-unavailable"),
        (ModelFailed("no JSON", model="gpt"), 502, "model-failed"),
        (LimitReached("enough", retry_after=2.5), 429, "limit"),
    ],
)
async def test_a_failure_is_a_problem_with_a_next_step(
    error: Exception, status: int, kind: str, jobs_of: MakeJobs
) -> None:
    async def fails(tell: Tell) -> None:
        raise error

    job = await begun(jobs_of(), fails)
    last = (await read(job))[-1]
    assert last.type == "failed"
    assert last.problem is not None
    assert (last.problem.status, last.problem.type) == (status, f"urn:medground:problem:{kind}")
    assert last.problem.next
    assert job.told.problem == last.problem
    with pytest.raises(Told):
        await job.result()


async def test_words_and_paths_of_the_server_stay_on_it(caplog: pytest.LogCaptureFixture, jobs_of: MakeJobs) -> None:
    async def breaks(tell: Tell) -> None:
        raise KeyError("/srv/secret")

    async def fails(tell: Tell) -> None:
        raise SourceUnavailable("/home/ada/corpora/x is gone", source="corpus")

    jobs = jobs_of(hide=("/home/ada",))
    broken, failed = [(await read(await begun(jobs, work)))[-1] for work in (breaks, fails)]
    assert broken.problem is not None and failed.problem is not None
    assert (broken.type, broken.problem.status) == ("failed", 500)
    assert "secret" not in broken.model_dump_json()
    assert "secret" in caplog.text
    assert failed.problem.detail == "corpus: (home)/corpora/x is gone"
    assert "/home/ada" not in failed.model_dump_json()


async def test_a_job_of_another_person_or_of_yesterday_is_not_there_and_the_line_has_an_end(jobs_of: MakeJobs) -> None:
    clock = Clock(1000.0)
    jobs = jobs_of(clock, most_unfinished=2)
    job = await begun(jobs, rounds)
    assert await jobs.jobs_of("bob") == []
    assert [one.id for one in await jobs.jobs_of("ada")] == [job.id]
    for name, owner in ((job.id, "bob"), ("../x", "ada"), ("", "ada"), ("\0", "ada")):
        with pytest.raises(NotFound, match="no job"):
            await jobs.find(name, owner)
    with pytest.raises(NotFound):
        await jobs.stop(job.id, "bob")
    await job.result()
    assert job.state == "done"
    clock.now += 3601
    assert await jobs.jobs_of("ada") == []
    assert len(await read(await jobs.find(job.id, "ada"))) == 7
    jobs.store.tidy()
    assert types(await read(await jobs.find(job.id, "ada"))) == ["resync", "done"]
    clock.now += 86400
    for _ in range(2):
        with pytest.raises(NotFound, match="removed after a day"):
            await jobs.find(job.id, "ada")
        jobs.store.tidy()
    first, _ = await begun(jobs, forever), await begun(jobs, forever)
    with pytest.raises(LimitReached, match="too many requests are waiting"):
        await begun(jobs, forever)
    await first.stop()
    await begun(jobs, forever)
    await jobs.close()
