"""The engine for callers that do not await: scripts, notebooks, a REPL.

Its event loop runs in a thread of its own, so it also works where a loop is running already, as in a notebook.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

from medground.engine.answers import Answers, KeptAnswers
from medground.engine.engine import Engine
from medground.engine.guards import checked, guarded
from medground.engine.opening import AskOptions, Objects
from medground.engine.unfinished import LAST, Outcome, Unfinished, UnfinishedResearch
from medground.errors import UsageError
from medground.home.concurrency import OwnLoop, check_not_forked
from medground.home.kept_files import settings_of
from medground.home.settings import Settings
from medground.language.risk.notices import notice_first
from medground.recipes.base import Recipe
from medground.values.answer import Answer
from medground.values.query import Filters
from medground.values.question import Question, Task, as_question
from medground.values.steps import AnyStep, Progress, no_progress
from medground.wording.changes import AskedAgain

P = ParamSpec("P")
T = TypeVar("T")


EngineCall = Callable[Concatenate[Engine, P], Coroutine[Any, Any, T]]
"""Any method of `Engine` that is awaited, or a function of an engine: what `BlockingEngine.run` takes."""


def _blocking(method: EngineCall[P, T]) -> Callable[Concatenate[Any, P], T]:
    """A method of `Engine` as one of `BlockingEngine`: the same arguments, result, errors and documentation."""

    @wraps(method)
    def call(self: BlockingEngine, /, *args: P.args, **chosen: P.kwargs) -> T:
        return self._wait(method(self._engine, *args, **chosen))

    return call


@guarded
class BlockingEngine(KeptAnswers):
    """`Engine` with blocking methods. Use it as a context manager, or call `close`.

    Ctrl-C cancels the questions under way and keeps what they have found. `on_step` is called in the engine's thread.
    """

    @checked
    def __init__(
        self,
        settings: Settings | Mapping[str, Any] | None = None,
        *,
        corpora: str | Sequence[str] | None = None,
        progress: Progress = no_progress,
        **given: Unpack[Objects],
    ) -> None:
        """Open the engine; arguments and errors are those of `Engine.open`."""
        self._loop = OwnLoop()
        try:
            self._engine = self._wait(Engine.open(settings, corpora=corpora, progress=progress, **given).make())
            self.settings = self._engine.settings
        except BaseException:
            self._loop.stop()
            raise

    @classmethod
    def open(
        cls,
        settings: Settings | Mapping[str, Any] | None = None,
        *,
        corpora: str | Sequence[str] | None = None,
        progress: Progress = no_progress,
        **given: Unpack[Objects],
    ) -> Self:
        """The same as calling the class."""
        return cls(settings, corpora=corpora, progress=progress, **given)

    ask = _blocking(Engine.ask)
    ask_many = _blocking(Engine.ask_many)
    resume = _blocking(Engine.resume)
    again = _blocking(Engine.again)
    search = _blocking(Engine.search)
    strategy = _blocking(Engine.strategy)
    document = _blocking(Engine.document)
    highlights = _blocking(Engine.highlights)
    verify = _blocking(Engine.verify)
    check_text = _blocking(Engine.check_text)
    table = _blocking(Engine.table)
    concept = _blocking(Engine.concept)
    papers = _blocking(Engine.papers)
    related = _blocking(Engine.related)
    full_text = _blocking(Engine.full_text)

    def unfinished(self) -> Sequence[Unfinished]:
        """Research that was killed, stopped or reached a limit, the latest first."""
        return self._engine.unfinished()

    def ask_each(
        self,
        questions: Iterable[str | Question],
        *,
        concurrency: int = 8,
        recipe: str | Recipe | None = None,
        model: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Generator[Outcome]:
        """Answer several questions, resumably, and give each outcome as it comes; see `Engine.ask_each`.

        Ctrl-C cancels the questions under way.
        """
        return self._each(
            self._engine.ask_each(questions, concurrency=concurrency, recipe=recipe, model=model, settings=settings)
        )

    def stream(self, question: str | Question, **chosen: Unpack[AskOptions]) -> Generator[AnyStep | Answer]:
        """The steps of a question as they happen, then its answer; see `Engine.stream`. Closing it early cancels it."""
        return self._each(self._engine.stream(question, **chosen))

    def _each(self, found: AsyncGenerator[T]) -> Generator[T]:
        try:
            while (one := self._wait(_next(found))) is not None:
                yield one
        finally:
            self._wait(found.aclose())

    def run(self, call: EngineCall[P, T], /, *args: P.args, **chosen: P.kwargs) -> T:
        """The result of any call of an engine: `engine.run(Engine.concept, "HP:0001083")`."""
        return self._wait(call(self._engine, *args, **chosen))

    async def run_async(self, call: EngineCall[P, T], /, *args: P.args, **chosen: P.kwargs) -> T:
        """The same for a caller in an event loop of its own. Cancelling it cancels the call."""
        return await self._loop.run(call(self._engine, *args, **chosen))

    def close(self) -> None:
        """Close the engine once its calls have ended. Safe to call twice."""
        if not self._loop.is_stopped:
            try:
                self._wait(self._engine.close())
            finally:
                self._loop.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        if self._loop.is_stopped:
            work.close()
            check_not_forked(self._loop.process)
            raise UsageError("this engine is closed; open another one")
        return self._loop.wait(work)


async def _next(found: AsyncGenerator[T]) -> T | None:
    return await anext(found, None)


@checked
def ask(
    question: str | Question,
    *,
    task: Task | None = None,
    options: Sequence[str] | Mapping[str, str] = (),
    context: str = "",
    filters: Filters | None = None,
    corpora: str | Sequence[str] | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
    recipe: str | Recipe | None = None,
    model: str | None = None,
) -> Answer:
    """Open an engine, answer one question, close it. For several questions keep a `BlockingEngine` open.

    Raises what `Engine.open` and `Engine.ask` raise.
    """
    text = question.text if isinstance(question, Question) else question
    with notice_first(text, context):
        # what cannot be asked is refused before anything is built
        asked = as_question(question, task=task, options=options, context=context, filters=filters)
        with BlockingEngine(settings, corpora=corpora) as engine:
            return engine.ask(asked, recipe=recipe, model=model)


@checked
def ask_again(name: str, *, settings: Settings | Mapping[str, Any] | None = None) -> AskedAgain:
    """Ask the question of a kept answer again, of the same sources with the same settings, and report what changed.

    Args:
        name: the trace id of the answer, or its id for the latest.
        settings: what the home folder and the keys are taken from; `Settings.load()` by default.

    Raises what `settings_of`, `Engine.open` and `Engine.again` raise.
    """
    now = Settings.resolved(settings)
    answer = Answers(now.home).read(name)
    with BlockingEngine(settings_of(answer, now)) as engine:
        return engine.again(answer.trace_id)


@checked
def resume(
    name: str = LAST, *, changes: Mapping[str, Any] | None = None, settings: Settings | Mapping[str, Any] | None = None
) -> Answer:
    """Go on with unfinished research, of the same sources with the same settings.

    Args:
        name: its id; the latest by default.
        changes: settings to change, such as a limit that it reached: `{"budget.calls": 50}`.
        settings: what the home folder and the keys are taken from; `Settings.load()` by default.

    Raises what `Engine.open` and `Engine.resume` raise.
    """
    now = Settings.resolved(settings)
    one = UnfinishedResearch(now.home).read(name)
    with BlockingEngine(one.settings_with(now).with_options(changes or {})) as engine:
        return engine.resume(one.id, settings=changes)
