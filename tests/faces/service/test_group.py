"""Servers that share their records, in one home by SQLite or by a real PostgreSQL: limits, jobs, and who is gone."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from postgres import PASSWORD, Server, postgres  # noqa: F401
from refusals import refused
from small_service import ADA, BOB, QUESTION, answered

from medground.errors import ConfigError, NotFound, Stopped, StorageFailed
from medground.faces.service.accounts import Owners, Tokens
from medground.faces.service.job import Job, Tell
from medground.faces.service.job_store import JobStore
from medground.faces.service.records import FILE_NAME, Records, url_of
from medground.faces.service.request import AskBody
from medground.faces.service.service import Service
from medground.faces.service.shared import Shared
from medground.faces.service.values import Event, LimitReached, Limits, Person, Repeat, Told
from medground.home.settings import Settings
from medground.sources.http.clients import Pace


@pytest.fixture(params=["sqlite", "postgresql"])
def group(papers: Settings, request: pytest.FixtureRequest) -> Settings:
    """Settings that the servers of a group have in common."""
    if request.param == "sqlite":
        return papers
    return papers.with_options(request.getfixturevalue("postgres").options())


@asynccontextmanager
async def two(group: Settings, **options: Any) -> AsyncIterator[tuple[Service, Service]]:
    async with Service.open(group, **options) as one, Service.open(group, **options) as other:
        yield one, other


async def events_of(job: Job, after: int = 0) -> list[Event]:
    async with aclosing(job.events(after)) as events:
        return [event async for event in events]


async def forever(tell: Tell) -> None:
    tell.progress("at work", 1, None)
    await asyncio.Event().wait()


async def test_a_token_has_its_rate_through_all_servers(group: Settings) -> None:
    ada = Person(id="ada", name="Ada", limits=Limits(rate=40))
    now = [1000.0]
    async with two(group, clock=lambda: now[0]) as servers:

        async def ask(number: int) -> bool:
            try:
                await servers[number % 2].search("aspirin", ada)
            except LimitReached as limit:
                assert limit.retry_after == 60
                return False
            return True

        assert sum(await asyncio.gather(*(ask(number) for number in range(1000)))) == 40
        now[0] += 60
        assert sum(await asyncio.gather(*(ask(number) for number in range(100)))) == 40


async def test_a_job_is_seen_followed_and_stopped_on_every_server(group: Settings) -> None:
    async with two(group) as (one, other):
        job = await one.start(AskBody(question=QUESTION), ADA)
        there = await other.jobs.find(job.id, ADA.id)
        followed = await events_of(there)
        assert followed == await events_of(job)
        assert followed[0].type == "queued" and followed[-1].answer == await there.result() == await job.outcome()
        with pytest.raises(NotFound):
            await other.jobs.find(job.id, BOB.id)
        long = await one.begin(forever, ADA, kind="build", title="papers")
        assert {state.id for state in await other.jobs.jobs_of(ADA.id)} == {job.id, long.id}
        there = await other.jobs.find(long.id, ADA.id)
        following = asyncio.create_task(events_of(there))
        assert (await other.jobs.stop(long.id, ADA.id)).state == "stopped"
        assert [event.type for event in await following] == ["queued", "progress", "stopped"]
        with pytest.raises(Stopped):
            await there.result()
        assert long.state == "stopped"
        failed = await one.start(AskBody(question=QUESTION, filters={"where": {"colour": "x"}}), ADA)  # type: ignore[arg-type]
        with pytest.raises(Told, match="no field 'colour'") as told:
            await (await other.jobs.find(failed.id, ADA.id)).result()
        assert other.problem(told.value) == failed.told.problem


@pytest.mark.slow
async def test_a_question_lives_while_somebody_listens_on_another_server(
    group: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medground.faces.service.job._HEARD", 0.2)
    async with two(group, abandoned_after=10) as (one, other):
        one._turns = asyncio.Semaphore(0)  # no question gets its turn
        job = await one.start(AskBody(question=QUESTION), ADA)
        listening = asyncio.create_task((await other.jobs.find(job.id, ADA.id)).result())
        await asyncio.sleep(12)
        assert job.state == "queued"
        listening.cancel()
        while not job.is_finished:  # nobody listens any more
            await asyncio.sleep(0.1)
        assert job.state == "stopped"


async def test_one_key_makes_one_job_and_one_budget_pays_one_after_the_other(group: Settings) -> None:
    async with two(group) as servers:
        asked = AskBody(question=QUESTION)
        jobs = await asyncio.gather(*(servers[n % 2].start(asked, ADA, key="k") for n in range(20)))
        assert len({job.id for job in jobs}) == 1
        assert len({(await job.outcome()).trace_id for job in jobs}) == 1
        few = Person(id="few", name="Few", limits=Limits(concurrent=2))
        begun = (servers[n % 2].begin(forever, few, kind="build", title="papers") for n in range(10))
        outcomes = await asyncio.gather(*begun, return_exceptions=True)
        assert sum(isinstance(one, LimitReached) for one in outcomes) == 8
        at_work = [0]

        async def pay(server: Service) -> int:
            async with server.jobs.shared.held("purse:few"):
                at_work[0] += 1
                await asyncio.sleep(0.1)
                most = at_work[0]
                at_work[0] -= 1
            return most

        assert await asyncio.gather(*map(pay, servers)) == [1, 1]
        waits: list[int] = []

        async def wait(seconds: float) -> None:
            waits.append(round(seconds / 10.5))

        for _ in range(4):  # each knows nothing of the others, as in processes of their own
            await Pace(0.1, "https://ncbi", sleep=wait).wait()
        assert waits == [1, 2, 3]


KILLED = """
import asyncio, sys
from medground.faces.service.service import Service
from medground.faces.service.values import LOCAL
from medground.home.settings import Settings
from medground.sources.http.clients import Pace

async def work(tell):
    async with service.jobs.shared.held("purse:local"):
        tell.progress("at work", 1, None)
        await asyncio.Event().wait()

async def main():
    global service
    async with Service.open(Settings.load()) as service:
        job = await service.begin(work, LOCAL, kind="build", title="papers")
        async for event in job.events():
            if event.type == "progress":
                print(job.id, flush=True)

asyncio.run(main())
"""


@pytest.mark.slow
async def test_the_jobs_of_a_killed_server_have_failed_with_a_reason(group: Settings) -> None:
    state = group.keys.state.get_secret_value() if group.keys.state else None
    chosen = {"MEDGROUND_SERVE__STATE": group.serve.state, "MEDGROUND_KEYS__STATE": state}
    environment = {**os.environ, **{name: value for name, value in chosen.items() if value}}
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        name = (await asyncio.to_thread(process.stdout.readline)).decode().strip()
        async with Service.open(group, lost_after=10) as service:
            job = await service.jobs.find(name, "local")
            following = asyncio.create_task(events_of(job))
            await asyncio.sleep(5)
            assert not following.done(), "it lives"
            process.send_signal(signal.SIGKILL)
            last = (await following)[-1]
            assert last.problem is not None and last.problem.status == 503
            assert last.words == "the server that worked on this ended before it was done"
            with pytest.raises(Told, match="ended before it was done"):
                await job.result()
            async with service.jobs.shared.held("purse:local"):
                pass  # what it held is free


async def test_without_its_database_a_server_stays_closed_and_says_why(
    papers: Settings,
    postgres: Server,  # noqa: F811
) -> None:
    group = papers.with_options(postgres.options())
    with closing(Records.from_settings(group)) as records:
        secret = Tokens(records).create("ada")
    async with Service.open(group) as service:
        assert (await service.who(secret)).name == "ada"
        try:
            async with service.jobs.shared.held("purse:ada"):
                postgres.run("stop", "-m", "immediate")
            for ask in (
                service.who(secret),
                service.check_ready(),
                service.start(AskBody(question=QUESTION), ADA),
            ):
                with pytest.raises(StorageFailed, match=r"cannot be used .*; check that it runs") as error:
                    await ask
                assert PASSWORD not in str(error.value) and "\n" not in str(error.value)
                assert service.problem(error.value).detail == "the database of this server cannot be used"
            with pytest.raises(StorageFailed):
                await asyncio.to_thread(Records.from_settings, group)
        finally:
            postgres.run("start")
        assert (await service.who(secret)).name == "ada"  # it is there again
        async with service.jobs.shared.held("purse:ada"):
            pass  # what could not be let go is free
        assert (await answered(service, AskBody(question=QUESTION), ADA)).evidence
        with closing(Records.from_settings(group)) as records:
            records.change(("DROP TABLE tokens", ()))
        with pytest.raises(StorageFailed, match="tokens"):
            await service.who(secret)
    empty = papers.with_options(postgres.options())
    with closing(Records.from_settings(empty)) as records:  # the mark of the home says that there were tokens
        assert records.had_tokens() and not Owners(records).owns("local", "")


def test_a_file_of_before_is_read_and_moves_to_a_new_database(home: Path, postgres: Server) -> None:  # noqa: F811
    with closing(Records(home)) as records:
        secret = Tokens(records).create("ada")
        Owners(records).own("20260101-000000-00000000", "ada", datetime(2026, 1, 1, tzinfo=UTC))
        records.change(("DROP TABLE jobs", ()))
    with closing(sqlite3.connect(home / "service" / FILE_NAME)) as file, file:
        file.execute("CREATE TABLE repeats (owner TEXT, key TEXT, digest TEXT, trace_id TEXT, created TEXT)")
        row = ("ada", "k", "d", "20260101-000000-00000000", datetime.now(UTC).isoformat())
        file.execute("INSERT INTO repeats VALUES (?, ?, ?, ?, ?)", row)
    with closing(Records(home)) as records:
        found = JobStore(Shared(records)).repeated("ada", Repeat("k", "d"))
        assert found is not None and (found.state, found.trace_id) == ("done", row[3])
    group = Settings.load(options={"home": home, **postgres.options()})
    for _ in range(2):
        with closing(Records.from_settings(group)) as records:
            assert Tokens(records).who(secret).name == "ada"
            assert Owners(records).owns("ada", row[3])
    assert not (home / "service" / FILE_NAME).exists()


def test_an_address_that_cannot_be_used_is_named_without_its_password(home: Path) -> None:
    for state, words in (
        ("postgresql://ada:hidden@db/group", "must not hold a password; set it as keys.state"),
        ("mysql://db/group", "is not an address such as postgresql://USER@HOST:5432/DATABASE"),
        ("nothing", "is not an address such as"),
        ("postgresql://db", "is not an address such as"),
    ):
        settings = Settings.load(options={"home": home, "serve.state": state})
        assert "hidden" not in str(refused(ConfigError, words, url_of, settings))
