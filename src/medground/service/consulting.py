"""What people ask beside questions: passages, claims, documents, the studies of an answer as a table."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

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
from medground.service.admission import Admission
from medground.service.asked import Searched, is_free, searched_by, searched_for
from medground.service.book import Book
from medground.service.engines import Engines
from medground.service.gate import lowered
from medground.service.offers import Offering
from medground.service.person import LOCAL, Person
from medground.service.shelf import Shelf
from medground.settings import ModelSettings, RecipeSettings, Settings

T = TypeVar("T")


class Consulting(Offering):
    """Searches, checks and reads with the engines; a `Service` is one."""

    settings: Settings
    engines: Engines
    _shelf: Shelf
    _book: Book
    _admission: Admission
    _turns: asyncio.Semaphore
    _under_way: set[asyncio.Task[Any]]
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
            Refused: a limit of the person is reached.
        """
        searched = await asyncio.to_thread(searched_by, self.settings, corpora, sources, knowledge_base)
        self._admission.enter(person, long=False)

        async def search(engine: Engine) -> SearchResult:
            return await engine.search(text, limit=limit, filters=filters, syntax=syntax)

        return await self.engines.use(searched, search)

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
            Refused: a limit of the person is reached.
        """
        if model is not None and model not in self.models():
            raise UsageError(f"the model {model!r} is not offered here; models: {', '.join(self.models())}")
        searched = await asyncio.to_thread(searched_by, self.settings, corpora, sources, knowledge_base)
        free = is_free(self.settings) and model in (None, self.settings.model.default)
        await self._admission.left(person, free=free)
        self._admission.enter(person)
        return await self._to_its_end(self._checked(claim, person, model, searched, free))

    async def table(
        self, trace_id: str, columns: Sequence[str], person: Person = LOCAL, *, model: str | None = None
    ) -> EvidenceTable:
        """The studies of a person's answer as a table with columns of their own; it takes its turn among the questions.

        It is filled to its end, also where the caller is cancelled, so that what it used is counted.

        Raises:
            NotFound: the answer is not there, or is not theirs.
            UsageError: a column cannot be used, or the server does not offer the model.
            Refused: a limit of the person is reached.
        """
        if model is not None and model not in self.models():
            raise UsageError(f"the model {model!r} is not offered here; models: {', '.join(self.models())}")
        names = checked_columns(columns)
        searched = await asyncio.to_thread(
            searched_for, await asyncio.to_thread(self._shelf.answer, trace_id, person), self.settings
        )
        free = is_free(self.settings) and model in (None, self.settings.model.default)
        await self._admission.left(person, free=free)
        self._admission.enter(person)
        return await self._to_its_end(self._tabled(trace_id, names, person, model, searched, free))

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
            Refused: a limit of the person is reached.
        """
        searched = await asyncio.to_thread(searched_by, self.settings, corpora, sources, knowledge_base)
        self._admission.enter(person, long=False)
        return await self.engines.use(searched, partial(_document, document_id=document_id))

    async def plan_query(self, question: str, person: Person = LOCAL) -> PlannedQuery:
        """A PubMed query for a question, planned without a language model, and so without a cost.

        Raises:
            UsageError: the question is empty or too long.
            Refused: a limit of the person is reached.
        """
        self._admission.enter(person, long=False)
        return await self.engines.run(plan_query(question, self._without_models()))

    async def plan_research(self, question: str, person: Person = LOCAL) -> PlannedResearch:
        """A plan of research for a question, planned without a language model; `Asked.plan` takes it, mended by hand.

        Raises:
            UsageError: the question is empty, too long, or names nothing biomedical.
            Refused: a limit of the person is reached.
        """
        self._admission.enter(person, long=False)
        return await self.engines.run(plan_research(question, self._without_models()))

    def _without_models(self) -> Settings:
        return self.settings.model_copy(update={"model": ModelSettings(), "recipe": RecipeSettings()})

    async def _checked(
        self, claim: str, person: Person, model: str | None, searched: Searched, free: bool
    ) -> CheckedClaim:
        async with self._admission.running(person, self._turns, free=free):
            changes = lowered({}, await self._admission.left(person, free=free), self.settings.budget)
            check = partial(_verify, claim, model, changes)
            return await self._book.checked(person, self.engines.use(searched, check))

    async def _tabled(
        self, trace_id: str, columns: Sequence[str], person: Person, model: str | None, searched: Searched, free: bool
    ) -> EvidenceTable:
        async with self._admission.running(person, self._turns, free=free):
            changes = lowered({}, await self._admission.left(person, free=free), self.settings.budget)
            fill = partial(_fill, trace_id, columns, model, changes)
            return await self._book.tabled(person, self.engines.use(searched, fill))

    async def _to_its_end(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of some work that goes on where its caller is cancelled."""
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._has_ended)
        return await asyncio.shield(task)

    def _has_ended(self, task: asyncio.Task[Any]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, since its caller may have left


async def _verify(claim: str, model: str | None, changes: Mapping[str, Any], engine: Engine) -> CheckedClaim:
    return await engine.verify(claim, model=model, settings=changes)


async def _fill(
    trace_id: str, columns: Sequence[str], model: str | None, changes: Mapping[str, Any], engine: Engine
) -> EvidenceTable:
    return await engine.table(trace_id, columns, model=model, settings=changes)


async def _document(engine: Engine, document_id: str) -> Document:
    try:
        return await engine.document(document_id)
    except UsageError as error:
        raise NotFound(str(error)) from None
