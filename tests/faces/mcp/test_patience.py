"""Long work: progress while it lasts, a job where it lasts too long, and an end when the client wants one."""

from __future__ import annotations

import asyncio
from typing import Any

import anyio
import pytest
from mcp_talk import Talk, Talking, text

from medground.engine.engine import Engine
from medground.faces.mcp.calls import Times
from medground.values.steps import Searching

QUICK = Times(patience=0.3, beat=0.1)
QUESTION = "Does aspirin reduce the risk of stroke in adults?"


class Slow:
    """Makes an engine wait before it answers, and tells how it ended."""

    def __init__(self) -> None:
        self.seconds = 1.0
        self.ended: list[str] = []

    def patch(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        whole = getattr(Engine, name)

        async def slowly(engine: Engine, *given: Any, **chosen: Any) -> Any:
            chosen.get("on_step", lambda step: None)(Searching(source="corpus:papers", query="x"))
            try:
                await asyncio.sleep(self.seconds)
            except asyncio.CancelledError:
                self.ended.append("cancelled")
                raise
            self.ended.append("done")
            return await whole(engine, *given, **chosen)

        monkeypatch.setattr(Engine, name, slowly)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    found = Slow()
    for name in ("ask", "verify", "search"):
        found.patch(monkeypatch, name)
    return found


async def ended(talk: Talk, job: str) -> dict[str, Any]:
    """What a job gives once it has ended."""
    while (seen := await talk.found("get_job", job=job))["state"] in ("queued", "running"):
        pass
    return seen


async def test_progress_is_told_in_words_and_rises(talking: Talking, slow: Slow) -> None:
    for mode in ("auto", "legacy"):
        async with talking(Times(patience=20, beat=0.1), mode=mode) as talk:
            await talk.found("ask", question=QUESTION)
            numbers = [number for number, _ in talk.told]
            assert numbers == sorted(set(numbers))
            assert len(numbers) >= 4  # a beat each 0.2 s, in 1 s
            assert "searching corpus:papers" in [words for _, words in talk.told]


async def test_a_question_that_takes_long_becomes_a_job_whose_result_is_read_later(
    talking: Talking, slow: Slow
) -> None:
    async with talking(QUICK) as talk:
        first = await talk.found("ask", question=QUESTION)
        assert first["state"] == "running"
        seen = await ended(talk, first["job"])
        assert seen["tool"] == "ask"
        assert seen["state"] == "done"
        assert seen["citations"]
        assert (await talk.service.answer(seen["trace_id"])).question.text == QUESTION
        assert await talk.found("get_job", job=first["job"]) == seen  # it can be read again
        assert slow.ended == ["done"]


async def test_a_job_can_be_stopped(talking: Talking, slow: Slow) -> None:
    slow.seconds = 30

    async with talking(QUICK) as talk:
        first = await talk.found("ask", question=QUESTION)
        stopped = await talk.found("cancel_job", job=first["job"])
        assert stopped["state"] == "stopped"
        assert "Nothing had been found" in stopped["words"]
        assert slow.ended == ["cancelled"]


async def test_a_client_that_cancels_stops_the_work(talking: Talking, slow: Slow) -> None:
    slow.seconds = 30

    async with talking(Times(patience=20, beat=0.2)) as talk:
        with anyio.move_on_after(0.5):
            await talk.call("ask", question=QUESTION)
        with anyio.move_on_after(0.5):
            await talk.call("search", query="aspirin")
        for _ in range(100):
            if len(slow.ended) == 2:
                break
            await asyncio.sleep(0.05)
        assert slow.ended == ["cancelled", "cancelled"]


async def test_a_failure_of_a_job_is_an_error_with_the_next_step(
    talking: Talking, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(engine: Engine, *given: Any, **chosen: Any) -> Any:
        from medground.errors import SourceUnavailable

        await asyncio.sleep(0.6)
        raise SourceUnavailable("no route to host", source="pubmed")

    monkeypatch.setattr(Engine, "ask", failing)

    async with talking(QUICK) as talk:
        first = await talk.found("ask", question=QUESTION)
        await asyncio.sleep(0.5)
        result = await talk.call("get_job", job=first["job"])
        assert result.is_error
        assert "no route to host" in text(result)
        assert "Next: Ask again later." in text(result)


async def test_a_failing_source_is_an_error_and_never_an_empty_list(
    talking: Talking, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(engine: Engine, *given: Any, **chosen: Any) -> Any:
        from medground.errors import SourceUnavailable

        raise SourceUnavailable("no route to host", source="pubmed")

    async def breaking(engine: Engine, *given: Any, **chosen: Any) -> Any:
        raise RuntimeError(f"secret {engine.settings.home}")

    for name in ("search", "document", "verify"):
        monkeypatch.setattr(Engine, name, failing)
    monkeypatch.setattr(Engine, "ask", breaking)

    async with talking() as talk:
        assert "no route" in (await talk.refused("search", query="aspirin"))["detail"]
        assert "no route" in (await talk.refused("fetch", id="PMID:1"))["detail"]
        (document,) = (await talk.found("get_document", ids=["PMID:1"]))["documents"]
        assert (document["status"], document["next"]) == ("failed", "Ask again later.")
        (claim,) = (await talk.found("verify_claim", claims=["Aspirin helps."]))["claims"]
        assert claim["status"] == "failed"
        assert "secret" not in str(await talk.refused("ask", question="Does aspirin help?"))
