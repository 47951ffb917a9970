"""Which model answers which operator, what is cached, and what runs once."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from closing import then_closed
from rows import each_row

from medground.errors import ModelFailed
from medground.models.base import CallLimits, Keyless, Reply
from medground.models.operators.base import I, InvalidOutput, O, Operator
from medground.models.registry import CallCache, Models, call_key
from medground.models.served import ServedModel
from medground.testing.chat_peer import ChatPeer, Sent, chat
from medground.testing.model_contract import FREE, NAME, NameInput, NameOutput, asking
from medground.values.usage import Usage


class Slow:
    """A slow model that counts its calls and fails the first `failures` times."""

    cacheable = True

    def __init__(self, name: str = "slow", failures: int = 0) -> None:
        self.name = self.identity = name
        self.calls = self.under_way = self.most_under_way = 0
        self._failures = failures

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        self.calls += 1
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await asyncio.sleep(0.01)
        finally:
            self.under_way -= 1
        if self.calls <= self._failures:
            raise ModelFailed("broken", model=self.name, usage=Usage(model_calls=1))
        return Reply(operator.keyless(value), Usage(input_tokens=5, output_tokens=1, model_calls=1))

    async def close(self) -> None:
        """Nothing to release."""


def registry(model: Slow, cache: CallCache | None = None, concurrency: int = 8) -> Models:
    return Models(model.name, {}, {model.name: model}, cache, concurrency)


def test_the_second_call_comes_from_the_cache_and_a_failed_call_is_not_stored(
    serve: Callable[..., ServedModel], tmp_path: Path
) -> None:
    with ChatPeer(Sent(b"{}"), chat('{"id": "T1"}')) as peer:
        model = serve(peer.url)
        models = Models(model.name, {}, {model.name: model}, CallCache(tmp_path))

        async def run() -> list[Reply[NameOutput]]:
            with pytest.raises(ModelFailed):
                await models.answer(NAME, asking("T1"), FREE)
            return [await models.answer(NAME, asking("T1"), FREE) for _ in range(2)]

        first, second = then_closed(models, run())
        assert len(peer.requests) == 2
    assert first.usage == Usage(input_tokens=100, output_tokens=10, model_calls=1)
    assert second.usage == Usage(cached_calls=1)
    assert first.output == second.output


def test_identical_calls_at_once_run_once(tmp_path: Path) -> None:
    model = Slow()
    models = registry(model, CallCache(tmp_path))

    async def run() -> list[Reply[NameOutput]]:
        return await asyncio.gather(*(models.answer(NAME, asking(t), FREE) for t in ["T1", "T1", "T2", "T1"]))

    replies = asyncio.run(run())
    assert model.calls == 2
    assert [r.output.id for r in replies] == ["T1", "T1", "T2", "T1"]
    assert [r.usage.cached_calls for r in replies] == [0, 1, 0, 1]


@each_row("cancelled", [False, True])
def test_when_the_first_of_identical_calls_fails_or_is_cancelled_the_next_one_runs(
    tmp_path: Path, cancelled: bool
) -> None:
    model = Slow(failures=0 if cancelled else 1)
    models = registry(model, CallCache(tmp_path))

    async def run() -> list[Reply[NameOutput] | BaseException]:
        calls = [asyncio.create_task(models.answer(NAME, asking("T1"), FREE)) for _ in range(3)]
        if cancelled:
            await asyncio.sleep(0)
            calls[0].cancel()
        return await asyncio.gather(*calls, return_exceptions=True)

    first, second, third = asyncio.run(run())
    assert isinstance(first, asyncio.CancelledError if cancelled else ModelFailed)
    assert isinstance(second, Reply) and isinstance(third, Reply)
    assert (model.calls, second.usage.model_calls, third.usage.cached_calls) == (2, 1, 1)


@each_row("cached", [True, False])
def test_concurrency_limits_calls_under_way(tmp_path: Path, cached: bool) -> None:
    model = Slow()

    async def run() -> None:
        models = registry(model, CallCache(tmp_path) if cached else None, concurrency=3)
        await asyncio.gather(*(models.answer(NAME, asking(f"T{n}"), FREE) for n in range(10)))

    asyncio.run(run())
    assert (model.calls, model.most_under_way) == (10, 3)


def test_without_a_cache_every_call_runs_and_keyless_uses_none(tmp_path: Path) -> None:
    model = Slow()
    models = registry(model)
    for _ in range(3):
        asyncio.run(models.answer(NAME, asking("T1"), FREE))
    assert model.calls == 3
    models = Models("keyless", {}, {"keyless": Keyless()}, CallCache(tmp_path / "calls"))
    assert asyncio.run(models.answer(NAME, asking("T1"), FREE)).usage == Usage()
    assert not (tmp_path / "calls").exists()


def test_a_stored_reply_that_fails_a_stricter_check_is_requested_again(tmp_path: Path) -> None:
    def refuse_t1(value: NameInput, output: NameOutput) -> None:
        if output.id == "T1":
            raise InvalidOutput("not T1 any more")

    model = Slow()
    models = registry(model, CallCache(tmp_path))
    for operator in (NAME, dataclasses.replace(NAME, check=refuse_t1)):
        asyncio.run(models.answer(operator, asking("T1"), FREE))
    assert model.calls == 2


def test_the_cache_key_depends_on_everything_that_determines_the_output() -> None:
    model = Slow()
    keys = [
        call_key(model, NAME, asking("T1")),
        call_key(Slow("other"), NAME, asking("T1")),
        call_key(model, NAME, asking("T2")),
        call_key(model, dataclasses.replace(NAME, instructions="Otherwise."), asking("T1")),
        call_key(model, dataclasses.replace(NAME, name="other"), asking("T1")),
    ]
    assert len(set(keys)) == len(keys)
    assert all(len(key) == 64 and set(key) <= set("0123456789abcdef") for key in keys)
    assert keys[0] == call_key(Slow(), NAME, asking("T1"))
