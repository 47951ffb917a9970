"""What an open engine holds, and what each of its calls needs: a setup, a run, and sources that stay open."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Self

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.answering.trace import Trace
from medground.answering.verify.measured import with_measured
from medground.engine.open_sources import open_sources
from medground.engine.opening import Setup, Setups, check_sources, set_up, with_fetched
from medground.errors import UsageError
from medground.home.concurrency import check_not_forked
from medground.home.settings import Settings
from medground.models.registry import Models
from medground.recipes.base import Recipe
from medground.sources.base import Source
from medground.values.question import Question
from medground.values.steps import OnStep, Progress, ignore_steps


@dataclass
class OpenEngine:
    """Settings, recipe, sources and models, and the calls that are under way. `Engine` adds what it can be asked."""

    settings: Settings
    recipe: Recipe
    sources: Sequence[Source]
    models: Models
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack, repr=False)
    _setups: Setups = field(default_factory=Setups, repr=False)
    _calls: set[asyncio.Future[None]] = field(default_factory=set, repr=False)
    _closed: bool = False
    _process: int = field(default_factory=os.getpid, repr=False)

    @classmethod
    async def _opened(cls, settings: Settings, corpora: str | Sequence[str] | None, progress: Progress) -> Self:
        """Open what the settings name; everything that was opened is closed again if something is wrong."""
        if corpora is not None:
            names = (corpora,) if isinstance(corpora, str) else tuple(corpora)
            settings = settings.with_options({"retrieval.corpora": names, "retrieval.knowledge_base": ""})
        setup = await set_up(settings)
        try:
            sources = await asyncio.to_thread(open_sources, settings, progress)
        except BaseException:
            await setup.models.close()
            raise
        engine = cls(settings=settings, recipe=setup.recipe, sources=sources, models=setup.models)
        engine._stack.push_async_callback(setup.models.close)
        for source in sources:
            engine._stack.push_async_callback(source.close)
        try:
            await check_sources(setup, sources)
        except BaseException:
            await engine.close()
            raise
        return engine

    async def close(self) -> None:
        """Close sources and models, once the calls under way have ended; cancel them to close at once.

        Safe to call twice, and in a fork, where nothing is closed: it belongs to the process that opened it.
        """
        if os.getpid() != self._process:
            return
        self._closed = True
        if self._calls:
            await asyncio.wait(self._calls)
        await self._setups.close()
        await self._stack.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    async def _setup(self, recipe: str | None, model: str | None, settings: Mapping[str, Any] | None) -> Setup:
        """What answers one question; opened and checked where it differs from the engine's own."""
        self._check_open()
        named = {"recipe.name": recipe, "model.default": model}
        changes = {**(settings or {}), **{key: value for key, value in named.items() if value is not None}}
        own = Setup(self.settings, self.recipe, self.models)
        setup = own
        if changes:
            setup = await self._setups.changed(own, changes, self.sources)
            self._check_open()  # it may have been closed meanwhile; `close` closes the models
        return replace(setup, settings=with_measured(with_fetched(setup.settings)))

    @contextlib.contextmanager
    def _under_way(self) -> Iterator[None]:
        """A call that uses the sources, which stay open until it has ended."""
        self._check_open()
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._calls.add(ended)
        try:
            yield
        finally:
            self._calls.discard(ended)
            ended.set_result(None)

    def _check_open(self) -> None:
        check_not_forked(self._process)
        if self._closed:
            raise UsageError("this engine is closed; open another one with Engine.open")

    def _run(
        self,
        question: Question,
        settings: Settings,
        recipe: Declaration,
        models: Models,
        on_step: OnStep = ignore_steps,
        *,
        traced: bool = True,
    ) -> Run:
        self._check_open()
        run_id = f"{trace_stamp(datetime.now(UTC))}{secrets.token_hex(2)[1:]}"
        return Run(
            question=question,
            settings=settings,
            recipe=recipe,
            sources=self.sources,
            models=models,
            trace=Trace(run_id, settings.home / "traces" / f"{run_id}.jsonl" if traced else None, settings),
            on_step=on_step,
            clock=time.monotonic,
        )


def trace_stamp(time: datetime) -> str:
    """The beginning of the id of a run that starts at this time (UTC); ids are in order of time."""
    return f"{time:%Y%m%d-%H%M%S}-{time.microsecond:05x}"
