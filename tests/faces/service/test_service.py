"""The service end to end: jobs, whose answers are whose, how long they are kept, research that goes on."""

from __future__ import annotations

import asyncio
import json
import shutil
import stat
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
import slow_research
from command_line import corpus_of
from small_service import ADA, BOB, PAPERS, QUESTION, answered

import medground.engine.opening as opening
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.tables import FILE_NAME
from medground.engine.answers import Answers
from medground.engine.blocking import BlockingEngine
from medground.engine.blocking import ask as ask_once
from medground.errors import NotFound, Stopped, UsageError
from medground.faces.service.accounts import Watched, Work
from medground.faces.service.request import AskBody
from medground.faces.service.service import Service
from medground.faces.service.values import LOCAL, Event, Told
from medground.home.settings import Settings
from medground.sources.corpus import CorpusSource
from medground.values.answer import Answer
from medground.wording.view_types import ChosenView


async def test_questions_are_queued_at_once_told_step_by_step_and_answered(papers: Settings) -> None:
    async with Service.open(papers) as service:
        job = await service.start(AskBody(question=QUESTION), ADA)
        events = [event async for event in job.events()]
        answer = await job.outcome()
        assert answer == await service.answer(answer.trace_id, ADA)
        jobs = await asyncio.gather(*(service.start(AskBody(question=QUESTION), ADA) for _ in range(20)))
        assert jobs[-1].state in {"queued", "running"}
        answers = [await job.result() for job in jobs]
        assert len({one.trace_id for one in answers if one}) == 20
        assert {one.id for one in answers if one} == {answer.id}
        assert len(await service.history(ADA, limit=200)) == 21
    assert {e.document_id for e in answer.evidence} == {"PMID:1"}
    assert [event.id for event in events] == list(range(1, len(events) + 1))
    assert events[0].type == "queued"
    assert {event.type for event in events[1:-1]} == {"step"}
    assert "searching papers" in {event.words for event in events}
    assert (events[-1].type, events[-1].trace_id) == ("answer", answer.trace_id)
    assert events[-1].answer == answer
    assert Event.model_validate_json(events[-1].model_dump_json()) == events[-1]


async def test_answers_of_the_command_line_are_of_whoever_sits_here_and_each_is_deleted(papers: Settings) -> None:
    with BlockingEngine(papers) as engine:
        own = engine.ask(QUESTION)

    async with Service.open(papers) as service:
        await answered(service, AskBody(question=QUESTION), ADA)
        mine = await answered(service, AskBody(question="Do fins regenerate?"), LOCAL)
        assert [past.trace_id for past in await service.history()] == [mine.trace_id, own.trace_id]
        assert [past.trace_id for past in await service.history(before=mine.trace_id)] == [own.trace_id]
        for name in (own.trace_id, "last", "../answers/x", "*", "", "x" * 500):
            for read in (service.answer, service.trace, service.delete):
                with pytest.raises(NotFound):
                    await read(name, ADA)
        job = await service.start(AskBody(question=QUESTION), ADA)
        answer = await job.result()
        assert answer is not None
        await service.delete(answer.trace_id, ADA)
        with pytest.raises(NotFound):
            await service.jobs.find(job.id, ADA.id)
        assert len(await service.history(ADA)) == 1
        files = list((papers.home / "service").iterdir())
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert not list(papers.home.glob(f"*/{answer.trace_id}*")), "a deleted answer goes with its trace"


async def test_other_corpora_are_searched_when_they_are_named(papers: Settings) -> None:
    async with Service.open(papers) as service:
        there = await answered(service, AskBody(question="Do fins regenerate?", corpora=("others",)), ADA)
        assert {search.source for search in there.searches} == {"corpus:others"}
        found = await service.search("zebrafish fins", ADA, corpora=("others",))
        assert found.hits[0].passage.document_id == "PMID:2"
        checked = await service.verify("Fins of zebrafish regenerate after amputation.", ADA, corpora=("others",))
        assert checked.statements[0].verdict.best is not None
        assert (await service.document("PMID:1", ADA)).title == "Aspirin"
        with pytest.raises(NotFound):
            await service.document("PMID:1", ADA, corpora=("others",))
        for name in ("elsewhere", "../papers"):
            with pytest.raises((UsageError, Told)):
                await answered(service, AskBody(question=QUESTION, corpora=(name,)), ADA)
        with pytest.raises(UsageError, match="the source 'brave' is not offered here"):
            await service.search("fins", ADA, sources=("brave",))


async def test_all_that_is_built_is_searched_by_default_and_a_choice_goes_along_with_what_follows(
    papers: Settings, tmp_path: Path
) -> None:
    """A server that names no corpus; `starter` is a small one here."""
    library = Library(papers.home)
    file = tmp_path / "statins.jsonl"
    for name, title in (("starter", "Insulin"), ("broken", "Ozone")):
        file.write_text(json.dumps({"id": f"X:{name}", "title": title, "text": f"{title} helps."}), encoding="utf-8")
        build(library, name, find_inputs([file]))
    (library.current("broken") / FILE_NAME).write_bytes(b"none")

    def searched(answer: Answer) -> set[str]:
        return {snapshot.name for snapshot in answer.snapshots}

    async with Service.open(Settings.load()) as service:
        await service.warm()
        every = {"starter", "papers", "others"}
        assert {one.name for one in await service.corpora() if one.default} == every
        answer = await answered(service, AskBody(question=QUESTION), ADA)
        assert searched(answer) == every
        assert {hit.source for hit in (await service.search("fins insulin", ADA)).hits} >= {"corpus:starter"}
        one = await answered(service, AskBody(question=QUESTION, corpora=("papers",), sources=()), ADA)
        view = await service.view(one.trace_id, ADA)
        assert view.chosen == ChosenView(corpora=("papers",))
        after = await answered(service, AskBody(question="Does it reduce bleeding?", follow=one.trace_id), ADA)
        assert searched(after) == {"papers"}
        other = AskBody(question="Does it reduce bleeding?", follow=one.trace_id, corpora=("others",))
        assert searched(await answered(service, other, ADA)) == {"others"}

        file.write_text('{"id": "PMID:9", "title": "Statins", "text": "Statins lower cholesterol."}', encoding="utf-8")
        await asyncio.to_thread(build, library, "statins", find_inputs([file]))
        assert (await service.view(answer.trace_id, ADA)).chosen is None
        later = await answered(service, AskBody(question="Do statins?", follow=answer.trace_id), ADA)
        assert searched(later) == {*every, "statins"}
        file.write_text('{"id": "PMID:8", "title": "Zinc", "text": "Zinc shortens colds."}', encoding="utf-8")
        await asyncio.to_thread(build, library, "statins", find_inputs([file]))  # built again, so opened again
        assert (await service.search("zinc colds", ADA)).hits[0].passage.document_id == "PMID:8"
        assert (await service.view(one.trace_id, ADA)).chosen == ChosenView(corpora=("papers",))


async def test_closing_stops_jobs_which_keep_what_they_found_and_takes_no_more(
    papers: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def search_for_ever(self: CorpusSource, lookup: Any, filters: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(CorpusSource, "search", search_for_ever)

    service = await Service.open(papers)
    job = await service.start(AskBody(question=QUESTION), ADA)
    async with aclosing(job.events()) as events:
        async for event in events:
            if event.type == "step":
                break
    await service.close()
    await service.close()
    assert job.state == "stopped"
    assert job.trace_id is not None
    kept = Answers(papers.home).find(job.trace_id)
    assert kept is not None
    assert kept.stopped == "cancelled"
    with pytest.raises(UsageError, match="the service is closed"):
        await service.start(AskBody(question=QUESTION), ADA)
    with pytest.raises(UsageError, match="the service is closed"):
        await service.search("fins", ADA)


async def test_the_trace_of_a_question_that_failed_is_its_askers(papers: Settings) -> None:
    async with Service.open(papers) as service:
        wrong = AskBody.model_validate({"question": QUESTION, "filters": {"where": {"colour": "x"}}})
        with pytest.raises(Told, match="no field 'colour'") as failed:
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
    asked = AskBody(question="About topics", kind="research", recipe="slow-research")

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


async def test_what_is_watched_is_asked_again_once_when_its_corpora_have_changed(papers: Settings) -> None:
    async with Service.open(papers) as service:
        former = await answered(service, AskBody(question=QUESTION), LOCAL)
        named = await answered(service, AskBody(question=QUESTION, corpora=("others",), sources=()), LOCAL)
        states = {name: Library(papers.home).info(name).hash for name in ("papers", "others")}
        watched = [Watched(answer=one, states=states) for one in ("gone", former.trace_id, named.trace_id)]
        for person in (LOCAL, ADA):  # she has no token here
            service.saved.write(person.id, Work.model_validate({"watched": watched, "projects": ["kept"]}))
        asked = [await service.ask_watched()]
        for text in ("Fins of fish.", "Aspirin did not reduce the risk of stroke."):
            corpus_of(*PAPERS, {"id": "PMID:3", "title": "Aspirin", "text": text})
            asked += [await service.ask_watched(), await service.ask_watched()]
        work = service.saved.read(LOCAL.id).model_dump()
        new = await service.answer(work["watched"][1]["again"], LOCAL)
        service.settings = papers.with_options({"serve.watched": 0})
        corpus_of(*PAPERS)
        assert [*asked, await service.ask_watched()] == [0, 1, 0, 1, 0, 0]
        assert len(await service.history(LOCAL)) == 3  # an answer that says the same was deleted
        assert service.saved.read(ADA.id).watched == tuple(watched)
    assert {one.document_id for one in new.evidence} == {"PMID:1", "PMID:3"}
    assert "again" not in work["watched"][2]  # what was chosen for it has not changed
    assert work["projects"] == ["kept"]


async def test_what_is_watched_is_asked_as_it_was_or_why_it_cannot_be_is_told(papers: Settings, tmp_path: Path) -> None:
    both = [*PAPERS, {"id": "PMID:3", "title": "Aspirin", "text": "Aspirin did not reduce the risk of stroke."}]
    corpus_of(*both)
    disk = shutil.copytree(papers.home / "corpora" / "others", tmp_path / ("far" * 40))
    far = ask_once(QUESTION, settings={"home": papers.home, "retrieval.corpora": ("papers", str(disk))})
    async with Service.open(papers) as service:
        brief = await answered(service, AskBody(question=QUESTION, settings={"recipe.sentences": 1}), LOCAL)
        report = await answered(service, AskBody(question=QUESTION, kind="research"), LOCAL)
        watched = [Watched(answer=one.trace_id, states={"far": ""}) for one in (far, brief, report)]
        service.saved.write(LOCAL.id, Work(watched=tuple(watched)))
        corpus_of(*both, {"id": "PMID:4", "title": "Fins", "text": "Fins of fish."})
        assert await service.ask_watched() == 3
        told = service.saved.read(LOCAL.id).model_dump()["watched"]
    assert told[0]["failed"] == "corpora.1: too long; shorten it to at most 100 characters"
    assert [(one["failed"], one.get("again")) for one in told[1:]] == [(None, None)] * 2  # fins are nothing new
