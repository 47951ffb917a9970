"""The engine: opens what the settings name, makes one run per question, and hands it to the recipe."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

from medground.answer import Answer, Verdict
from medground.conclude.compose import compose, quotes_only
from medground.errors import BudgetExhausted, ConfigError, MedgroundError, UsageError
from medground.models.open import open_models
from medground.models.registry import Models
from medground.operators.catalogue import OPERATORS
from medground.progress import Progress, no_progress
from medground.question import Question, Task
from medground.rank.rerank import open_reranker
from medground.recipes import Recipe, open_recipe
from medground.run import Run
from medground.settings import Settings
from medground.sources.base import KnowledgeGraph, Source
from medground.sources.open import open_corpora
from medground.trace import Trace
from medground.verify.critics.open import check_critic

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass
class Engine:
    """Answers questions with one set of settings, sources and models. Open it with `Engine.open`.

    Use it as an async context manager, or call `close`.
    """

    settings: Settings
    recipe: Recipe
    sources: Sequence[Source]
    models: Models
    graphs: Sequence[KnowledgeGraph] = ()
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack, repr=False)

    @classmethod
    async def open(cls, settings: Settings | None = None, *, progress: Progress = no_progress) -> Self:
        """Open the corpora, models and recipe that the settings name. Builds the starter corpus when it is missing.

        Everything is checked before the first call that costs something; several problems come in one report.

        Raises:
            UsageError: an unknown recipe or corpus.
            ConfigError: a missing key or extra, an unknown model, a changed embedding model.
            SnapshotCorrupt: a corpus differs from its manifest.
        """
        settings = settings or Settings.load()
        problems: list[MedgroundError] = []
        recipe = _tried(problems, lambda: open_recipe(settings.recipe.name))
        models = _tried(problems, lambda: open_models(settings, OPERATORS))
        for reranker in _rerankers(settings):
            await asyncio.to_thread(_tried, problems, partial(open_reranker, reranker))
        await asyncio.to_thread(_tried, problems, partial(check_critic, settings.verify.critic))
        if recipe is None or models is None or problems:
            raise _one_report(problems)
        sources, graphs = await asyncio.to_thread(open_corpora, settings, progress)
        engine = cls(settings=settings, recipe=recipe, sources=sources, models=models, graphs=graphs)
        engine._stack.push_async_callback(models.close)
        for source in sources:
            engine._stack.push_async_callback(source.close)
        for graph in graphs:
            engine._stack.push_async_callback(graph.close)
        return engine

    async def ask(
        self,
        question: str | Question,
        *,
        task: Task | None = None,
        options: Sequence[str] | Mapping[str, str] = (),
    ) -> Answer:
        """Answer one question. The answer and its trace are kept in the home folder.

        Raises:
            UsageError: the question is empty, too long, or does not fit its task.
            BudgetExhausted: a limit was reached; `.answer` holds what was found so far.
            SourceUnavailable: no source could be searched.
            ModelFailed: a model gave no usable output.
        """
        asked = question if isinstance(question, Question) else Question.ask(question, task=task, options=options)
        run_id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"
        trace = Trace(run_id, self.settings.home / "traces" / f"{run_id}.jsonl", self.settings)
        run = Run(
            question=asked,
            settings=self.settings,
            sources=self.sources,
            graphs=self.graphs,
            models=self.models,
            trace=trace,
            clock=time.monotonic,
        )
        try:
            with trace.span(f"recipe {self.settings.recipe.name}", settings_hash=self.settings.hash) as span:
                span.text(question=asked.text)
                answer = await self._answer(run)
                span.set(decision=answer.decision.status, answer=answer.id)
        except MedgroundError as error:
            error.spent, error.trace_id = run.report(), run_id
            raise
        finally:
            trace.close()
        self._keep(answer)
        return answer

    async def _answer(self, run: Run) -> Answer:
        seconds = self.settings.budget.seconds
        try:
            async with asyncio.timeout(seconds) as limit:
                return await self.recipe(run.question, run)
        except TimeoutError:
            if not limit.expired():  # something else timed out
                raise
            spent = BudgetExhausted("seconds", spent=f"{run.seconds:.1f}", allowed=str(seconds))
        except BudgetExhausted as error:
            spent = error
        draft = quotes_only(run, self.settings.recipe.sentences)
        verdicts = [_unchecked() for _ in draft.sentences]
        spent.answer = compose(run, draft, verdicts, stopped=str(spent))
        self._keep(spent.answer)
        raise spent

    async def ask_many(
        self, questions: Iterable[str | Question], *, concurrency: int = 8
    ) -> list[Answer | MedgroundError]:
        """Answer several questions at once, in order; a failure stands in the place of its answer.

        Raises:
            UsageError: `concurrency` is below 1.
        """
        if concurrency < 1:
            raise UsageError(f"ask_many takes a concurrency of at least 1, not {concurrency}")
        slots = asyncio.Semaphore(concurrency)

        async def one(question: str | Question) -> Answer | MedgroundError:
            async with slots:
                try:
                    return await self.ask(question)
                except MedgroundError as error:
                    return error

        return list(await asyncio.gather(*(one(question) for question in questions)))

    async def close(self) -> None:
        """Close sources and models. Safe to call twice."""
        await self._stack.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.close()

    def _keep(self, answer: Answer) -> None:
        path = self.settings.home / "answers" / f"{answer.trace_id}.json"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".partial")
            partial.write_text(answer.model_dump_json(indent=1), encoding="utf-8")
            partial.replace(path)
        except OSError as error:
            log.warning("the answer could not be kept in %s: %s", path, error)


def _tried(problems: list[MedgroundError], step: Callable[[], T]) -> T | None:
    try:
        return step()
    except MedgroundError as error:
        problems.append(error)
        return None


def _rerankers(settings: Settings) -> set[str]:
    """Those that the recipe will use."""
    parts = settings.reason_and_verify
    if settings.recipe.name != "reason-and-verify":
        return {settings.retrieval.reranker}
    return {parts.reranker} if parts.rerank else set()


def _unchecked() -> Verdict:
    return Verdict(label="quoted", critic="verbatim", note="the source's own words; the run ended before checking")


def _one_report(problems: Sequence[MedgroundError]) -> MedgroundError:
    if len(problems) == 1:
        return problems[0]
    return ConfigError("; ".join(str(problem) for problem in problems))
