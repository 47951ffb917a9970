"""The engine for callers that do not await: scripts, notebooks, a REPL.

Its event loop runs in a thread of its own, so it also works where a loop is running already, as in a notebook.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from medground.answer import Answer
from medground.engine import Engine
from medground.errors import MedgroundError
from medground.progress import Progress, no_progress
from medground.question import Question, Task
from medground.settings import Settings

T = TypeVar("T")


class BlockingEngine:
    """`Engine` with blocking methods. Use it as a context manager, or call `close`."""

    def __init__(self, settings: Settings | None = None, *, progress: Progress = no_progress) -> None:
        """Open the engine; raises what `Engine.open` raises."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="medground", daemon=True)
        self._thread.start()
        try:
            self._engine = self._wait(Engine.open(settings, progress=progress))
        except BaseException:
            self._stop()
            raise

    def ask(
        self,
        question: str | Question,
        *,
        task: Task | None = None,
        options: Sequence[str] | Mapping[str, str] = (),
    ) -> Answer:
        """Answer one question; raises what `Engine.ask` raises. Ctrl-C cancels the run."""
        return self._wait(self._engine.ask(question, task=task, options=options))

    def ask_many(self, questions: Iterable[str | Question], *, concurrency: int = 8) -> list[Answer | MedgroundError]:
        """Answer several questions at once, in order."""
        return self._wait(self._engine.ask_many(questions, concurrency=concurrency))

    def close(self) -> None:
        """Close the engine. Safe to call twice."""
        if not self._loop.is_closed():
            self._wait(self._engine.close())
            self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def ask(
    question: str | Question,
    *,
    task: Task | None = None,
    options: Sequence[str] | Mapping[str, str] = (),
    settings: Settings | None = None,
) -> Answer:
    """Open an engine, answer one question, close it. For several questions keep a `BlockingEngine` open."""
    with BlockingEngine(settings) as engine:
        return engine.ask(question, task=task, options=options)
