"""What people ask beside questions: passages, claims, documents, the studies of an answer as a table."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar

from medground.answer import Answer
from medground.conclude.claim import CheckedClaim
from medground.document import Document
from medground.engine import Engine
from medground.errors import NotFound, UsageError
from medground.evidence_table.columns import checked_columns
from medground.evidence_table.values import EvidenceTable
from medground.query import Filters
from medground.query_planning import PlannedQuery, plan_query
from medground.research_planning import PlannedResearch, plan_research
from medground.search import SearchResult, Syntax
from medground.service.admission import Admission, lowered
from medground.service.asked import Searched, is_free, searched_by, searched_for
from medground.service.engines import Engines
from medground.service.keeping import KeptAnswers
from medground.service.offers import Offering
from medground.service.person import LOCAL, Person
from medground.settings import ModelSettings, RecipeSettings, Settings

T = TypeVar("T", Answer, CheckedClaim, EvidenceTable)


class Consulting(Offering):
    """Searches, checks and reads with the engines; a `Service` is one."""

    settings: Settings
    engines: Engines
    _kept: KeptAnswers
    _admission: Admission
    _turns: asyncio.Semaphore
    _unfinished: set[asyncio.Task[Any]]
    """Work that goes on where its caller has left."""

    async def search(
        self,
        text: str,
        person: Person = LOCAL,
        *,
        limit: int = 10,
        filters: Filters | None = None,
        syntax: Syntax = "words",
        corpora: tuple[str, ...] | None = None,
        sources: tuple[str, ...] | None = None,
        knowledge_base: str | None = None,
    ) -> SearchResult:
        """The passages that fit some words best. What is named stands in place of all that is searched by default.

        Raises:
            UsageError, SourceUnavailable: as for `Engine.search`; or the server does not offer a source.
            LimitReached: a limit of the person is reached.
        """
        searched = await asyncio.to_thread(searched_by, self.settings, corpora, sources, knowledge_base)
        self._admission.enter(person, long=False)
        return await self.engines.use(
            searched, lambda engine: engine.search(text, limit=limit, filters=filters, syntax=syntax)
        )

    async def verify(
        self,
        claim: str,
        person: Person = LOCAL,
        *,
        model: str | None = None,
        corpora: tuple[str, ...] | None = None,
        sources: tuple[str, ...] | None = None,
        knowledge_base: str | None = None,
    ) -> CheckedClaim:
        """Compare a claim with what the sources hold; it takes its turn among the questions.

        A claim is checked to its end, also where the caller is cancelled, so that what it used is counted.

        Raises:
            UsageError, SourceUnavailable, BudgetExhausted: as for `Engine.verify`; or the server does not offer a model
                or a source.
            LimitReached: a limit of the person is reached.
        """
        self._check_offered(model)
        searched = await asyncio.to_thread(searched_by, self.settings, corpora, sources, knowledge_base)

        async def check(engine: Engine, changes: dict[str, Any]) -> CheckedClaim:
            return await engine.verify(claim, model=model, settings=changes)

        return await self._paid(check, person, model, searched)

    async def table(
        self, trace_id: str, columns: Sequence[str], person: Person = LOCAL, *, model: str | None = None
    ) -> EvidenceTable:
        """The studies of a person's answer as a table with columns of their own; it takes its turn among the questions.

        It is filled to its end, also where the caller is cancelled, so that what it used is counted.

        Raises:
            NotFound: the answer is not there, or is not theirs.
            UsageError: a column cannot be used, or the server does not offer the model.
            LimitReached: a limit of the person is reached.
        """
        self._check_offered(model)
        names = checked_columns(columns)
        answer = await asyncio.to_thread(self._kept.answer, trace_id, person)
        searched = await asyncio.to_thread(searched_for, answer, self.settings)

        async def fill(engine: Engine, changes: dict[str, Any]) -> EvidenceTable:
            return await engine.table(trace_id, names, model=model, settings=changes)

        return await self._paid(fill, person, model, searched)

    async def document(
        self,
        document_id: str,
        person: Person = LOCAL,
        *,
        corpora: tuple[str, ...] | None = None,
        sources: tuple[str, ...] | None = None,
        knowledge_base: str | None = None,
    ) -> Document:
        """A document by its id, such as `PMID:21645374`; `medground.corpus.chunk.chunk` gives its passages.

        Raises:
            NotFound: no source that is searched holds it.
            UsageError: the server does not offer a source, or there is no such corpus.
            SourceUnavailable: it may be in a source that could not be asked.
            LimitReached: a limit of the person is reached.
        """
        searched = await asyncio.to_thread(searched_by, self.settings, corpora, sources, knowledge_base)
        self._admission.enter(person, long=False)
        try:
            return await self.engines.use(searched, lambda engine: engine.document(document_id))
        except UsageError as error:
            raise NotFound(str(error)) from None

    async def plan_query(self, question: str, person: Person = LOCAL) -> PlannedQuery:
        """A PubMed query for a question, planned without a language model, and so without a cost.

        Raises:
            UsageError: the question is empty or too long.
            LimitReached: a limit of the person is reached.
        """
        self._admission.enter(person, long=False)
        return await self.engines.run(plan_query(question, self._without_models()))

    async def plan_research(self, question: str, person: Person = LOCAL) -> PlannedResearch:
        """A plan of research for a question, planned without a language model; `Asked.plan` takes it, mended by hand.

        Raises:
            UsageError: the question is empty, too long, or names nothing biomedical.
            LimitReached: a limit of the person is reached.
        """
        self._admission.enter(person, long=False)
        return await self.engines.run(plan_research(question, self._without_models()))

    def _without_models(self) -> Settings:
        return self.settings.model_copy(update={"model": ModelSettings(), "recipe": RecipeSettings()})

    def _check_offered(self, model: str | None) -> None:
        if model is not None and model not in self.models():
            raise UsageError(f"the model {model!r} is not offered here; models: {', '.join(self.models())}")

    async def _paid(
        self,
        work: Callable[[Engine, dict[str, Any]], Awaitable[T]],
        person: Person,
        model: str | None,
        searched: Searched,
    ) -> T:
        """The result of work that a person's budget pays for, in its turn; it is given what lowers its own budget."""
        free = is_free(self.settings) and model in (None, self.settings.model.default)
        await self._admission.left(person, free=free)
        self._admission.enter(person)

        async def done() -> T:
            async with self._admission.running(person, self._turns, free=free):
                changes = lowered({}, await self._admission.left(person, free=free), self.settings.budget)
                working = self.engines.use(searched, lambda engine: work(engine, changes))
                return await self._admission.counted(person, working)

        return await self._to_its_end(done())

    async def _to_its_end(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of some work that goes on where its caller is cancelled."""
        task = asyncio.create_task(work)
        self._unfinished.add(task)
        task.add_done_callback(self._has_ended)
        return await asyncio.shield(task)

    def _has_ended(self, task: asyncio.Task[Any]) -> None:
        self._unfinished.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, since its caller may have left
