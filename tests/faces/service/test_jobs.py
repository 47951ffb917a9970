"""Jobs: followed, left, resumed, stopped; slow readers, who miss nothing without being told; memory; what fails."""

import asyncio
import gc
import weakref
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from refusals import refused
from rows import each_row
from small_service import Clock

from medground.errors import ModelFailed, NotFound, SourceUnavailable, Stopped
from medground.faces.service.job import EventLog, Job, Tell
from medground.faces.service.jobs import Jobs
from medground.faces.service.values import Event, LimitReached
from medground.values.answer import Answer
from medground.values.steps import RoundBegun


async def _no_answer(trace_id: str) -> Answer | None:
    return None


def begun(jobs: Jobs, work: Callable[[Tell], Awaitable[Any]], **more: Any) -> Job:
    return jobs.start(work, **{"owner": "ada", "kind": "ask", "title": "A question", **more})


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


async def test_events_are_numbered_and_resumed_after_the_last_one_seen() -> None:
    jobs = Jobs(_no_answer)
    job = begun(jobs, rounds)
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
    job = begun(jobs, rounds)
    early = [asyncio.create_task(read(job)) for _ in range(20)]
    await job.result()
    assert await asyncio.gather(*early) == [await read(job)] * 20


def timed() -> Clock:
    """The clock of the running loop: its timers are due when the test says so, however busy the machine is."""
    clock = Clock()
    asyncio.get_running_loop().time = clock  # type: ignore[method-assign]
    return clock


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_question_is_cancelled_thirty_seconds_after_its_last_listener_left() -> None:
    clock, jobs = timed(), Jobs(_no_answer)
    job = begun(jobs, forever, listened=True)
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
    jobs.find(job.id, "ada")  # who asks for the state is a listener, too
    clock.now += 29
    await settled()
    assert job.state == "running"
    clock.now += 2
    await settled()
    assert job.state == "stopped"
    assert types(await read(job))[-1] == "stopped"


async def test_research_lives_on_without_listeners_and_a_stopped_job_keeps_what_it_can() -> None:
    kept: list[str] = []

    async def slow_to_stop(tell: Tell) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)
            kept.append("kept")

    clock, jobs = timed(), Jobs(_no_answer)
    job = begun(jobs, forever, kind="research")
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
    job = begun(jobs, slow_to_stop)
    await asyncio.sleep(0)
    await asyncio.gather(job.stop(), job.stop())
    assert kept == ["kept"]
    assert types(await read(job)) == ["queued", "stopped"]


async def test_a_job_is_stopped_before_it_began_and_while_it_waits_in_line() -> None:
    jobs, turn = Jobs(_no_answer), asyncio.Semaphore(1)
    running, waiting = begun(jobs, forever, turn=turn), begun(jobs, forever, turn=turn)
    at_once = begun(jobs, forever)
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
async def test_a_failure_is_a_problem_with_a_next_step(error: Exception, status: int, kind: str) -> None:
    async def fails(tell: Tell) -> None:
        raise error

    job = begun(Jobs(_no_answer), fails)
    last = (await read(job))[-1]
    assert last.type == "failed"
    assert last.problem is not None
    assert (last.problem.status, last.problem.type) == (status, f"urn:medground:problem:{kind}")
    assert last.problem.next
    assert job.now().problem == last.problem
    with pytest.raises(type(error)):
        await job.result()


async def test_words_and_paths_of_the_server_stay_on_it(caplog: pytest.LogCaptureFixture) -> None:
    async def breaks(tell: Tell) -> None:
        raise KeyError("/srv/secret")

    async def fails(tell: Tell) -> None:
        raise SourceUnavailable("/home/ada/corpora/x is gone", source="corpus")

    jobs = Jobs(_no_answer, hide=("/home/ada",))
    broken, failed = [(await read(begun(jobs, work)))[-1] for work in (breaks, fails)]
    assert broken.problem is not None and failed.problem is not None
    assert (broken.type, broken.problem.status) == ("failed", 500)
    assert "secret" not in broken.model_dump_json()
    assert "secret" in caplog.text
    assert failed.problem.detail == "corpus: (home)/corpora/x is gone"
    assert "/home/ada" not in failed.model_dump_json()


async def test_a_job_of_another_person_or_of_an_hour_ago_is_not_there_and_the_line_has_an_end() -> None:
    clock = Clock()
    jobs = Jobs(_no_answer, clock=clock, most_unfinished=2)
    job = begun(jobs, rounds)
    assert (jobs.of("bob"), jobs.of("ada")) == ([], [job])
    for name, owner in ((job.id, "bob"), ("../x", "ada"), ("", "ada")):
        refused(NotFound, "no job", jobs.find, name, owner)
    with pytest.raises(NotFound):
        await jobs.stop(job.id, "bob")
    await job.result()
    assert job.state == "done"
    clock.now = 3599
    assert jobs.find(job.id, "ada") is job
    clock.now = 3601
    refused(NotFound, "removed after an hour", jobs.find, job.id, "ada")
    assert jobs.of("ada") == []
    few = Jobs(_no_answer, most_finished=2)
    for _ in range(4):
        await begun(few, rounds).result()
    assert len(few.of("ada")) == 2, "finished jobs are remembered up to a number"
    first, _ = begun(jobs, forever), begun(jobs, forever)
    refused(LimitReached, "too many requests are waiting", begun, jobs, forever)
    await first.stop()
    begun(jobs, forever)
    await jobs.close()


async def test_a_failed_job_holds_no_traceback() -> None:
    class Large:
        """What a run has read."""

    left: list[weakref.ref[Large]] = []

    async def fails(tell: Tell) -> None:
        large = Large()
        left.append(weakref.ref(large))
        try:
            raise ValueError(large)
        except ValueError as cause:
            raise SourceUnavailable("gone", source="pubmed") from cause

    job = begun(Jobs(_no_answer), fails)
    assert types(await read(job)) == ["queued", "failed"]
    gc.collect()
    assert [one() for one in left] == [None]


SIZES = some.lists(some.integers(min_value=0, max_value=400), max_size=40)
PAUSES = some.lists(some.integers(min_value=1, max_value=12), min_size=1, max_size=10)


@given(sizes=SIZES, pauses=PAUSES, seen=some.integers(0, 60))
def test_ids_rise_by_one_but_for_what_a_resync_tells(sizes: list[int], pauses: list[int], seen: int) -> None:
    async def work() -> list[Event]:
        log = EventLog("job", most_bytes=1000)
        found: list[Event] = []

        async def read() -> None:
            async with aclosing(log.after(seen)) as events:
                async for event in events:
                    found.append(event)
                    for _ in range(pauses[len(found) % len(pauses)]):  # now fast, now slow
                        await asyncio.sleep(0)

        reading = asyncio.create_task(read())
        for number, size in enumerate(sizes):
            log.add(Event(id=0, type="progress", words="x" * size))
            assert log.bytes <= 1000
            if number % 3:
                await asyncio.sleep(0)
        log.add(Event(id=0, type="done"))
        log.add(Event(id=0, type="progress"))  # nothing follows the last one
        await reading
        return found

    log = EventLog("job")
    assert log.add(Event(id=0, type="progress", words="y" * (2 << 20))) == log.last, "a single one is kept whole"
    found = asyncio.run(work())
    start = min(seen, found[0].id - 1) if found else seen
    last = start
    for event in found:
        if event.type == "resync":
            assert event.id > last
        else:
            assert event.id == last + 1
        last = event.id
    assert not found or (found[-1].type, found[-1].id) == ("done", len(sizes) + 1)
    assert found or seen >= len(sizes) + 1
