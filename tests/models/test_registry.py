"""Models keep their contract; which answers which operator, what is cached and never stored, and what runs once."""

import asyncio
import dataclasses
import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from chat_peer import ChatPeer, Sent, chat, prompt_of
from closing import then_closed
from model_contract import FREE, IMPOSSIBLE, NAME, ModelContract, NameInput, NameOutput, asking
from rows import each_row

from medground.errors import ModelFailed
from medground.models.base import CallLimits, Keyless, Model, Reply
from medground.models.operators.base import I, InvalidOutput, O, Operator, OperatorOutput
from medground.models.registry import CallCache, Models, call_key
from medground.models.served import ServedModel
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
    assert first.usage == Usage(input_tokens=100, output_tokens=10, model_calls=1, price=None)
    assert second.usage == Usage(cached_calls=1, cached_input_tokens=100, cached_output_tokens=10)
    assert (second.usage.needed_input, second.usage.tokens) == (first.usage.needed_input, 0)
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
        tasks = (f"T{n}" if cached else "T1" for n in range(10))  # without a cache every call runs
        await asyncio.gather(*(models.answer(NAME, asking(task), FREE) for task in tasks))

    asyncio.run(run())
    assert (model.calls, model.most_under_way) == (10, 3)


def test_keyless_uses_no_cache(tmp_path: Path) -> None:
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


class Output(OperatorOutput):
    text: str
    scores: tuple[float, ...] = ()


class Stricter(OperatorOutput):
    text: str
    scores: tuple[float, ...]
    reason: str


ABOUT = {"model": "openai:stub", "operator": "write"}
KEY = hashlib.sha256(b"call").hexdigest()


def only_file(folder: Path) -> Path:
    (path,) = [p for p in folder.rglob("*") if p.is_file()]
    return path


def test_every_damaged_byte_is_a_miss_and_is_rewritten(tmp_path: Path) -> None:
    cache, output = CallCache(tmp_path), Output(text="supported", scores=(0.25,))
    reply = Reply(output, Usage(input_tokens=30, output_tokens=4, model_calls=1))
    from_cache = Reply(output, reply.usage.from_cache())
    cache.put(KEY, reply, ABOUT)
    path = only_file(tmp_path)
    good = path.read_bytes()
    assert path.relative_to(tmp_path) == Path(KEY[:2]) / f"{KEY[2:]}.json"
    stored, expected = json.loads(good), {"about": ABOUT, "output": {"text": "supported", "scores": [0.25]}}
    assert stored.keys() == {"format", "sha256", "usage", *expected} and expected.items() <= stored.items()
    for place in range(0, len(good), 3):
        damaged = bytearray(good)
        damaged[place] ^= 0x01
        path.write_bytes(damaged)
        found = cache.get(KEY, Output)
        assert found is None or found == from_cache  # never a different answer
    for length in range(0, len(good), 7):
        path.write_bytes(good[:length])
        assert cache.get(KEY, Output) is None
    cache.put(KEY, reply, {})
    assert cache.get(KEY, Output) == from_cache


OTHER = [b"", b"null", b"[]", b"{}", b'{"format": 1}', b"\xff\xfe", b"[" * 100_000, b'{"format": 9, "output": 1}']


def test_what_is_not_the_stored_output_of_this_call_is_a_miss(tmp_path: Path) -> None:
    cache, other = CallCache(tmp_path), hashlib.sha256(b"other call").hexdigest()
    assert CallCache(tmp_path / "none").get(KEY, Output) is None
    assert not (tmp_path / "none").exists()
    cache.put(KEY, Reply(Output(text="x"), Usage()), {})
    assert cache.get(KEY, Stricter) is None
    file = only_file(tmp_path)
    (tmp_path / other[:2]).mkdir(exist_ok=True)
    shutil.copyfile(file, tmp_path / other[:2] / f"{other[2:]}.json")
    assert cache.get(other, Output) is None
    for content in OTHER:
        file.write_bytes(content)
        assert cache.get(KEY, Output) is None


def test_what_cannot_be_written_warns_once_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    cache = CallCache(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        for _ in range(3):
            cache.put(KEY, Reply(Output(text="x"), Usage()), {})
    assert len(caplog.records) == 1
    assert "cannot store model replies" in caplog.text and "No space left on device" in caplog.text
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []
    cache.put(KEY, Reply(Output(text="x"), Usage()), {})
    assert cache.get(KEY, Output) is not None
    (tmp_path / "file").write_text("in the way")
    CallCache(tmp_path / "file" / "calls").put(KEY, Reply(Output(text="x"), Usage()), {})
    assert len(caplog.records) == 2


ID = re.compile(r"<id>(.*?)</id>")


def able(request: dict[str, Any]) -> Sent:
    found = ID.search(prompt_of(request))
    return chat(json.dumps({"id": found.group(1) if found else ""}))


class TestKeyless(ModelContract):
    def make(self) -> Model:
        return Keyless()


def test_keyless_is_free_never_cached_and_passes_the_operators_own_check() -> None:
    model = Keyless()
    assert (model.name, model.identity, model.cacheable) == ("keyless", "keyless", False)
    reply = asyncio.run(model.answer(NAME, asking("T1"), CallLimits(tokens=0, calls=0, seconds=0.0)))
    assert (reply.output.id, reply.usage) == ("T1", Usage(price=Decimal(0)))
    with pytest.raises(ModelFailed, match="keyless: impossible: no output passes") as caught:
        asyncio.run(model.answer(IMPOSSIBLE, asking("T1"), FREE))
    assert caught.value.usage == Usage()


class TestServedOverASocket(ModelContract):
    @pytest.fixture(autouse=True)
    def _peer(self, serve: Callable[..., ServedModel]) -> Iterator[None]:
        with ChatPeer(able) as peer:
            self._open = lambda: serve(peer.url)
            yield

    def make(self) -> Model:
        return self._open()
