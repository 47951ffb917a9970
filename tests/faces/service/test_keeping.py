"""How long answers are kept, whose the traces are, and research that goes on."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import slow_research
from small_service import ADA, BOB, QUESTION, answered

import medground.engine.opening as opening
from medground.engine.answers import Answers
from medground.engine.blocking import ask as ask_once
from medground.errors import NotFound, Stopped, UsageError
from medground.faces.service.request import Asked
from medground.faces.service.service import Service
from medground.faces.service.values import LOCAL
from medground.home.settings import Settings


async def test_answers_and_traces_are_deleted_after_their_days(papers: Settings) -> None:
    own = await asyncio.to_thread(ask_once, QUESTION, settings=papers)
    server = papers.with_options({"serve.keep_days": 30})
    start = datetime(2026, 1, 1, tzinfo=UTC)

    async with Service.open(server, now=lambda: start) as service:
        answer = await answered(service, Asked(question=QUESTION), ADA)
        claim = await service.verify("Aspirin helps.", ADA)
        assert await service.trace(claim.trace_id, ADA)
        names = [answer.trace_id, claim.trace_id]
    for settings, days in ((server, 29), (papers, 999)):  # without a limit nothing is deleted
        async with Service.open(settings, now=lambda days=days: start + timedelta(days=days)) as service:
            assert await service.sweep() == 0
            assert (await service.answer(names[0], ADA)).trace_id == names[0]
    assert all(list(papers.home.glob(f"traces/{name}*")) for name in names)
    async with Service.open(server, now=lambda: start + timedelta(days=31)) as service:
        await service.sweep()
        with pytest.raises(NotFound):
            await service.answer(names[0], ADA)
        assert await service.history(ADA) == []
        assert (await service.usage(ADA)).requests == 0  # of this month
        assert [past.trace_id for past in await service.history(LOCAL)] == [own.trace_id]
    assert not any(list(papers.home.glob(f"*/{name}*")) for name in names)
    assert Answers(papers.home).find(own.trace_id) is not None


async def test_the_trace_of_a_question_that_failed_is_its_askers(papers: Settings) -> None:
    async with Service.open(papers) as service:
        wrong = Asked.model_validate({"question": QUESTION, "filters": {"where": {"colour": "x"}}})
        with pytest.raises(UsageError, match="no field 'colour'") as failed:
            await answered(service, wrong, ADA)
        assert failed.value.trace_id is not None
        assert await service.trace(failed.value.trace_id, ADA)
        for other in (BOB, LOCAL):
            with pytest.raises(NotFound):
                await service.trace(failed.value.trace_id, other)


async def test_research_is_stopped_and_gone_on_with_by_its_owner(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for table, name in ((slow_research.RECIPES, "slow-research"), (slow_research.SOURCES, "slow")):
        monkeypatch.setitem(table, name, "")  # removed again at the end
    monkeypatch.setattr(opening, "open_models_of", opening.open_models_of)
    calls = tmp_path / "calls"
    slow_research.install(calls)
    monkeypatch.setattr(slow_research, "WAIT", 0.2)  # so that it is at work when it is stopped
    settings = Settings.load(options=slow_research.options(**{"model.cache": False, "serve.seconds": 60}))
    asked = Asked(question="About topics", kind="research", recipe="slow-research")

    async with Service.open(settings) as service:
        job = await service.start(asked, ADA)
        async for event in job.events():
            if event.words == "searching slow" and event.id > 10:
                break
        await asyncio.sleep(0)
        state = await service.jobs.stop(job.id, ADA.id)
        assert state.state == "stopped"
        assert state.research is not None
        assert state.trace_id is not None  # what was found is an answer
        assert (await service.answer(state.trace_id, ADA)).stopped
        with pytest.raises(Stopped):
            await job.result()
        for other in (BOB, LOCAL):
            with pytest.raises(NotFound, match="no unfinished research"):
                await service.resume(state.research, other)
        with pytest.raises(NotFound):
            await service.resume("last", ADA)
    monkeypatch.setattr(slow_research, "WAIT", 0)
    async with Service.open(settings) as service:
        job = await service.resume(state.research, ADA)
        answer = await job.result()
        assert answer is not None
        assert len(answer.documents) == len(slow_research.TOPICS)
        assert (await service.history(ADA, limit=1))[0].trace_id == answer.trace_id
        with pytest.raises(NotFound):
            await service.resume(state.research, ADA)
    lines = calls.read_text().splitlines()
    searches = [line for line in lines if line.startswith("search")]
    assert len(searches) <= len(set(searches)) + 3  # those that were under way are made again
