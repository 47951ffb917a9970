"""A watched question that fails is asked again until it has an answer, whatever the failure and its owner's limits."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from clocks import Clocks
from command_line import corpus_of
from small_service import PAPERS, QUESTION, answered, tokens_of

from medground.engine.engine import Engine
from medground.errors import ModelFailed, SourceUnavailable, Stopped
from medground.faces.service.accounts import Watched, Work
from medground.faces.service.request import AskBody
from medground.faces.service.service import Service
from medground.faces.service.values import LOCAL, Limits
from medground.home.settings import Settings
from medground.sources.corpus import CorpusSource

NEW = {"id": "PMID:3", "title": "Aspirin", "text": "Aspirin did not reduce the risk of stroke."}
Broken = Callable[[pytest.MonkeyPatch], None]


def _raising(owner: type, method: str, error: Exception) -> Broken:
    async def broken(*_: object, **__: object) -> None:
        raise error

    return lambda monkeypatch: monkeypatch.setattr(owner, method, broken)


@pytest.mark.parametrize(
    "fails",
    [
        _raising(Engine, "ask", ModelFailed("no usable answer", model="m")),
        _raising(Engine, "ask", RuntimeError("an internal error")),
        _raising(Engine, "ask", Stopped("the server ends")),
        _raising(CorpusSource, "search", SourceUnavailable("timed out", source="papers")),
    ],
    ids=["model", "internal", "stopped", "source"],
)
async def test_what_failed_is_asked_again_after_a_pause(
    papers: Settings, monkeypatch: pytest.MonkeyPatch, fails: Broken
) -> None:
    clocks = Clocks()
    async with Service.open(papers, now=clocks.now, steady=clocks.steady) as service:
        former = await answered(service, AskBody(question=QUESTION), LOCAL)
        service.saved.write(LOCAL.id, Work(watched=(Watched(answer=former.trace_id, states={}),)))
        corpus_of(*PAPERS, NEW)
        with monkeypatch.context() as broken:
            fails(broken)
            assert [await service.ask_watched() for _ in range(3)] == [1, 0, 0]  # a pause
            [told] = service.saved.read(LOCAL.id).model_dump()["watched"]
            assert told["failed"]
            clocks.time += timedelta(minutes=1)
            assert [await service.ask_watched() for _ in range(2)] == [1, 0]
            clocks.time += timedelta(minutes=1)
            assert await service.ask_watched() == 0  # a longer pause
        clocks.time += timedelta(minutes=1)
        assert [await service.ask_watched() for _ in range(2)] == [1, 0]
        [told] = service.saved.read(LOCAL.id).model_dump()["watched"]
        new = await service.answer(told["again"], LOCAL)
        assert len(await service.history(LOCAL)) == 2
    assert (told["failed"], told["failures"], told["tried"]) == (None, 0, None)
    assert {one.document_id for one in new.evidence} == {"PMID:1", "PMID:3"}


@pytest.mark.parametrize("limits", [Limits(rate=1), Limits(tokens=0), Limits(concurrent=1)])
async def test_limits_of_a_person_do_not_stop_what_the_server_asks_for_them(papers: Settings, limits: Limits) -> None:
    with tokens_of(papers.home) as tokens:
        secret = tokens.create("ada", limits)
    async with Service.open(papers) as service:
        ada = await service.who(secret)
        former = await answered(service, AskBody(question=QUESTION), ada)
        service.saved.write(ada.id, Work(watched=(Watched(answer=former.trace_id, states={}),)))
        corpus_of(*PAPERS, NEW)
        assert await service.ask_watched() == 1
        [told] = service.saved.read(ada.id).model_dump()["watched"]
        assert told["again"]
