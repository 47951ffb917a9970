"""The engine for callers that do not await: scripts, notebooks, a REPL.

Its event loop runs in a thread of its own, so it also works where a loop is running already, as in a notebook.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from medground.again import AskedAgain
from medground.answer import Answer
from medground.answers import Answers, PastAnswer
from medground.conclude.claim import CheckedClaim
from medground.document import Document
from medground.engine import Engine
from medground.errors import UsageError
from medground.export import STYLE, Format
from medground.kept_settings import settings_of
from medground.outcome import Outcome
from medground.progress import Progress, no_progress
from medground.query import Filters
from medground.question import Question, Task
from medground.risk import notice_first
from medground.search import SearchResult
from medground.settings import Settings
from medground.steps import OnStep, ignore_steps

T = TypeVar("T")

_TURN = 0.2
"""Seconds for which Ctrl-C may stay unseen."""


class BlockingEngine:
    """`Engine` with blocking methods. Use it as a context manager, or call `close`."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        corpora: str | Sequence[str] | None = None,
        progress: Progress = no_progress,
    ) -> None:
        """Open the engine; arguments and errors are those of `Engine.open`."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="medground", daemon=True)
        self._thread.start()
        try:
            self._engine = self._wait(Engine.open(settings, corpora=corpora, progress=progress).make())
        except BaseException:
            self._stop()
            raise

    @classmethod
    def open(
        cls,
        settings: Settings | None = None,
        *,
        corpora: str | Sequence[str] | None = None,
        progress: Progress = no_progress,
    ) -> Self:
        """The same as calling the class."""
        return cls(settings, corpora=corpora, progress=progress)

    @property
    def settings(self) -> Settings:
        """What is used where a call names nothing else."""
        return self._engine.settings

    def ask(
        self,
        question: str | Question,
        *,
        task: Task | None = None,
        options: Sequence[str] | Mapping[str, str] = (),
        recipe: str | None = None,
        model: str | None = None,
        settings: Mapping[str, Any] | None = None,
        follow: str | None = None,
        on_step: OnStep = ignore_steps,
    ) -> Answer:
        """Answer one question; arguments and errors are those of `Engine.ask`.

        Ctrl-C cancels the run and keeps what it has found. `on_step` is called in the thread of the engine.
        """
        chosen = {"recipe": recipe, "model": model, "settings": settings, "follow": follow, "on_step": on_step}
        return self._wait(self._engine.ask(question, task=task, options=options, **chosen))  # type: ignore[arg-type]

    def again(self, name: str, *, on_step: OnStep = ignore_steps) -> AskedAgain:
        """Ask the question of a kept answer again; arguments and errors are those of `Engine.again`."""
        return self._wait(self._engine.again(name, on_step=on_step))

    def ask_many(self, questions: Iterable[str | Question], *, concurrency: int = 8, **chosen: Any) -> list[Outcome]:
        """Answer several questions at once, in order; arguments are those of `Engine.ask_many`."""
        return self._wait(self._engine.ask_many(questions, concurrency=concurrency, **chosen))

    def ask_each(
        self, questions: Iterable[str | Question], *, concurrency: int = 8, **chosen: Any
    ) -> Iterator[Outcome]:
        """Answer several questions, resumably, and give each outcome as it comes; see `Engine.ask_each`.

        Ctrl-C cancels the questions under way.
        """
        outcomes = self._engine.ask_each(questions, concurrency=concurrency, **chosen)
        try:
            while (outcome := self._wait(_next(outcomes))) is not None:
                yield outcome
        finally:
            self._wait(_end(outcomes))

    def search(self, text: str, *, limit: int = 10, filters: Filters | None = None) -> SearchResult:
        """Find passages; arguments and errors are those of `Engine.search`."""
        return self._wait(self._engine.search(text, limit=limit, filters=filters))

    def document(self, document_id: str) -> Document:
        """A document by its id; errors are those of `Engine.document`."""
        return self._wait(self._engine.document(document_id))

    def verify(
        self, claim: str, *, model: str | None = None, settings: Mapping[str, Any] | None = None
    ) -> CheckedClaim:
        """Check a claim; arguments and errors are those of `Engine.verify`."""
        return self._wait(self._engine.verify(claim, model=model, settings=settings))

    def answer(self, name: str) -> Answer:
        """A kept answer; errors are those of `Engine.answer`."""
        return self._engine.answer(name)

    def export(self, name: str, form: Format = "markdown", *, style: str = STYLE) -> bytes:
        """A kept answer in another format; arguments and errors are those of `Engine.export`."""
        return self._engine.export(name, form, style=style)

    def history(self, limit: int = 20) -> list[PastAnswer]:
        """The questions that were asked last, the latest first."""
        return self._engine.history(limit)

    def close(self) -> None:
        """Close the engine once its calls have ended. Safe to call twice."""
        if not self._loop.is_closed():
            try:
                self._wait(self._engine.close())
            finally:
                self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        if self._loop.is_closed():
            work.close()
            raise UsageError("this engine is closed; open another one")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return _result(future)
        except KeyboardInterrupt:
            self._cancel(future)
            raise

    def _cancel(self, future: concurrent.futures.Future[T]) -> None:
        """Cancel the work, and wait until it has ended and kept what it found."""
        if future.cancel():
            _result(asyncio.run_coroutine_threadsafe(_cancellations_done(), self._loop))

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def _result(future: concurrent.futures.Future[T]) -> T:
    """The result of a future, waited for in short turns.

    A signal that another thread receives does not wake this one, and on Windows none does; Python handles it when this
    thread runs again.
    """
    while not future.done():
        concurrent.futures.wait([future], timeout=_TURN)
    return future.result()


async def _next(outcomes: AsyncIterator[Outcome]) -> Outcome | None:
    return await anext(outcomes, None)


async def _end(outcomes: AsyncIterator[Outcome]) -> None:
    if isinstance(outcomes, AsyncGenerator):
        await outcomes.aclose()


async def _cancellations_done() -> None:
    """Wait for the other tasks of this loop that are being cancelled."""
    own = asyncio.current_task()
    ending = [task for task in asyncio.all_tasks() if task is not own and task.cancelling()]
    await asyncio.gather(*ending, return_exceptions=True)


def ask(
    question: str | Question,
    *,
    task: Task | None = None,
    options: Sequence[str] | Mapping[str, str] = (),
    corpora: str | Sequence[str] | None = None,
    settings: Settings | None = None,
    recipe: str | None = None,
    model: str | None = None,
) -> Answer:
    """Open an engine, answer one question, close it. For several questions keep a `BlockingEngine` open.

    Raises what `Engine.open` and `Engine.ask` raise.
    """
    text = question if isinstance(question, str) else question.text
    with notice_first(text), BlockingEngine(settings, corpora=corpora) as engine:
        return engine.ask(question, task=task, options=options, recipe=recipe, model=model)


def ask_again(name: str, *, settings: Settings | None = None) -> AskedAgain:
    """Ask the question of a kept answer again, of the same sources with the same settings, and report what changed.

    Args:
        name: the trace id of the answer, or its id for the latest.
        settings: what the home folder and the keys are taken from; `Settings.load()` by default.

    Raises what `settings_of`, `Engine.open` and `Engine.again` raise.
    """
    now = settings or Settings.load()
    answer = Answers(now.home).read(name)
    with BlockingEngine(settings_of(answer, now)) as engine:
        return engine.again(answer.trace_id)
