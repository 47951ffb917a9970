"""Questions of people, each as a job; and searches, claims, documents and tables, which are not."""

import asyncio
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypedDict, TypeVar, Unpack

from medground.answering.conclude.claim import CheckedClaim
from medground.answering.evidence_table import EvidenceTable, checked_columns
from medground.engine.engine import Engine
from medground.engine.planning import PlannedQuery, PlannedResearch, plan_query, plan_research
from medground.engine.search import SearchResult, Syntax
from medground.errors import NotFound, UsageError
from medground.faces.service.admission import Admission, lowered
from medground.faces.service.answers import KeptAnswers
from medground.faces.service.audit import Audit
from medground.faces.service.engines import Engines
from medground.faces.service.job import Job, Tell
from medground.faces.service.jobs import Jobs
from medground.faces.service.offers import Offering
from medground.faces.service.request import AskBody, Searched, is_free, searched_by, searched_for, terms_of
from medground.faces.service.values import LOCAL, Person, Repeat
from medground.home.settings import Settings
from medground.home.settings_groups import ModelSettings, RecipeSettings
from medground.language.risk.notices import most_urgent
from medground.values.answer import Answer
from medground.values.document import Document
from medground.values.finding import TextCheck
from medground.values.query import Filters
from medground.values.steps import OnStep

Ask = Callable[[OnStep], Awaitable[Answer]]

U = TypeVar("U")
V = TypeVar("V")
T = TypeVar("T", Answer, CheckedClaim, EvidenceTable)


class Named(TypedDict, total=False):
    """What is searched, by name, in place of all that is searched by default."""

    corpora: tuple[str, ...] | None
    sources: tuple[str, ...] | None
    knowledge_base: str | None


class Questioning(Offering):
    """Begins questions and research; searches, checks and reads with the engines. A `Service` is one.

    Each raises LimitReached where a limit of the person is reached, with the time to wait.
    """

    engines: Engines
    jobs: Jobs
    audit: Audit
    _kept: KeptAnswers
    _admission: Admission
    _turns: asyncio.Semaphore
    _long_turns: asyncio.Semaphore
    _unfinished: set[asyncio.Task[Any]]
    """Work that goes on where its caller has left."""

    async def start(self, asked: AskBody, person: Person = LOCAL, *, key: str | None = None) -> Job:
        """Begin to answer a question as a job of a person; its first event, `queued`, is there when this returns.

        A job of kind `ask` is cancelled 30 s after its last listener has left (`Job.events`, `Job.result`); one of kind
        `research` lives on until it ends or is stopped.

        `key`: the idempotency key of the request: the job of an earlier request of this person with the same key, of
        the last 24 hours, is given again, unless it failed or was stopped.

        Raises UsageError: the question cannot be asked in this way, the key came with another question, or the service
        is closed; NotFound: it follows an answer that is not there, or is not theirs; LimitReached: the line is full.
        """
        repeat = Repeat.from_content(key, asked.model_dump_json()) if key is not None else None
        if repeat and (former := await self.jobs.repeated(person.id, repeat)):
            return former
        followed = None
        if asked.follow is not None:
            followed = await to_thread(self._kept.answer, asked.follow, person)
        terms = await to_thread(terms_of, asked, self.settings, followed)
        await self._admission.left(person, free=terms.free)

        async def ask(on_step: OnStep) -> Answer:
            await to_thread(most_urgent, terms.question.text, terms.question.context)
            changes = lowered(terms.settings, await self._admission.left(person, free=terms.free), self.settings.budget)
            return await self.engines.use(
                terms.searched,
                lambda engine: engine.ask(
                    terms.question,
                    recipe=terms.recipe,
                    model=terms.model,
                    settings=changes,
                    follow=asked.follow,
                    plan=asked.plan,
                    on_step=on_step,
                ),
            )

        job = await self._started(ask, person, terms.free, kind=asked.kind, title=terms.question.text, repeat=repeat)
        await self.audit.note(person, "ask", job.id, terms.question.text)
        return job

    async def resume(self, research: str, person: Person = LOCAL) -> Job:
        """Go on with a person's research that failed, was stopped or reached a limit, as a new job.

        Raises NotFound: it is not there, or is not theirs.
        """
        one = await to_thread(self._kept.unfinished, research, person)
        then = await to_thread(one.settings_with, self.settings)
        free = is_free(then)
        await self._admission.left(person, free=free)

        async def ask(on_step: OnStep) -> Answer:
            changes = lowered({}, await self._admission.left(person, free=free), then.budget)
            return await self.engines.use(
                Searched.named(then), lambda engine: engine.resume(one.id, settings=changes, on_step=on_step)
            )

        job = await self._started(ask, person, free, kind="research", title=one.question.text)
        await self.audit.note(person, "ask", job.id, one.question.text)
        return job

    async def _started(
        self, ask: Ask, person: Person, free: bool, *, kind: str, title: str, repeat: Repeat | None = None
    ) -> Job:

        async def work(tell: Tell) -> Answer:
            return await self._admission.answered(person, tell, ask)

        researches = kind == "research"
        return await self.jobs.start(
            work,
            owner=person.id,
            kind=kind,
            title=title,
            turn=self._admission.turn(person, self._long_turns if researches else self._turns, free=free),
            listened=not researches,
            repeat=repeat,
            admit=partial(self.jobs.shared.admit, person=person),
        )

    async def search(
        self,
        text: str,
        person: Person = LOCAL,
        *,
        limit: int = 10,
        filters: Filters | None = None,
        syntax: Syntax = "words",
        **named: Unpack[Named],
    ) -> SearchResult:
        """The passages that fit some words best. What is named stands in place of all that is searched by default.

        Raises UsageError, SourceUnavailable: as for `Engine.search`; or the server does not offer a source.
        """
        await to_thread(most_urgent, text)  # known to the engine then
        found = await self.use(
            lambda engine: engine.search(text, limit=limit, filters=filters, syntax=syntax), person, **named
        )
        await self.audit.note(person, "search", words=text)
        return found

    async def use(self, work: Callable[[Engine], Awaitable[U]], person: Person = LOCAL, **named: Unpack[Named]) -> U:
        """The result of short work without a cost, such as `Engine.papers`, counted as a search of this person.

        Raises UsageError: the server does not offer a source; what the work raises.
        """
        searched = await to_thread(searched_by, self.settings, **named)
        await self._admission.enter(person)
        return await self.engines.use(searched, work)

    async def verify(
        self, claim: str, person: Person = LOCAL, *, model: str | None = None, **named: Unpack[Named]
    ) -> CheckedClaim:
        """Compare a claim with what the sources hold; it takes its turn among the questions.

        A claim is checked to its end, also where the caller is cancelled, so that what it used is counted.

        Raises UsageError, SourceUnavailable, BudgetExhausted: as for `Engine.verify`; or the server does not offer a
        model or a source.
        """
        self._check_offered(model)
        await to_thread(most_urgent, claim)
        searched = await to_thread(searched_by, self.settings, **named)
        await self.audit.note(person, "check", words=claim)
        return await self._paid(
            lambda engine, left: engine.verify(claim, model=model, settings=left), person, model, searched
        )

    async def check_text(
        self, text: str, person: Person = LOCAL, *, file: str, fields: Sequence[str] = (), **named: Unpack[Named]
    ) -> TextCheck:
        """Check a text against its own references; it takes its turn among the questions.

        Raises UsageError, SourceUnavailable, BudgetExhausted: as for `Engine.check_text`; or the server does not
        offer a source.
        """
        searched = await to_thread(searched_by, self.settings, **named)
        await self.audit.note(person, "check", words=file)
        async with self._admission.running(person, self._turns, free=True):
            return await self.engines.use(searched, lambda engine: engine.check_text(text, file=file, fields=fields))

    async def table(
        self, trace_id: str, columns: Sequence[str], person: Person = LOCAL, *, model: str | None = None
    ) -> EvidenceTable:
        """The studies of a person's answer as a table with columns of their own; it takes its turn among the questions.

        It is filled to its end, also where the caller is cancelled, so that what it used is counted.

        Raises NotFound: the answer is not there, or is not theirs; UsageError: a column cannot be used, or the server
        does not offer the model.
        """
        self._check_offered(model)
        names = checked_columns(columns)
        answer = await to_thread(self._kept.answer, trace_id, person)
        searched = await to_thread(searched_for, answer, self.settings)
        await self.audit.note(person, "table", trace_id, ", ".join(names))
        return await self._paid(
            lambda engine, changes: engine.table(trace_id, names, model=model, settings=changes),
            person,
            model,
            searched,
        )

    async def document(self, document_id: str, person: Person = LOCAL, **named: Unpack[Named]) -> Document:
        """A document by its id, such as `PMID:21645374`; `medground.corpus.chunk.chunk` gives its passages.

        Raises NotFound: no source that is searched holds it; UsageError: the server does not offer a source, or there
        is no such corpus; SourceUnavailable: it may be in a source that could not be asked.
        """
        try:
            return await self.use(lambda engine: engine.document(document_id), person, **named)
        except UsageError as error:
            raise NotFound(*error.args) from None

    async def plan_query(self, question: str, person: Person = LOCAL) -> PlannedQuery:
        """A PubMed query for a question, planned without a language model, and so without a cost.

        Raises UsageError: the question is empty or too long.
        """
        return await self._planned(plan_query, question, person)

    async def plan_research(self, question: str, person: Person = LOCAL) -> PlannedResearch:
        """A plan of research for a question, planned without a language model; `AskBody.plan` takes it.

        Raises UsageError: the question is empty, too long, or names nothing biomedical.
        """
        return await self._planned(plan_research, question, person)

    async def _planned(
        self, plan: Callable[[str, Settings], Coroutine[Any, Any, V]], question: str, person: Person
    ) -> V:
        """A plan made in its turn, in a thread of its own: it only computes, and holds up no other request."""
        await self._admission.enter(person)
        settings = self.settings.replace(model=ModelSettings(), recipe=RecipeSettings())
        async with self._turns:
            return await to_thread(lambda: asyncio.run(plan(question, settings)))

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
        """The result of work that a person's budget pays for, in its turn, to its end where its caller is cancelled.

        The work is given what lowers its own budget.
        """
        free = is_free(self.settings) and model in (None, self.settings.model.default)
        await self._admission.left(person, free=free)

        async def done() -> T:
            async with self._admission.running(person, self._turns, free=free):
                changes = lowered({}, await self._admission.left(person, free=free), self.settings.budget)
                working = self.engines.use(searched, lambda engine: work(engine, changes))
                return await self._admission.counted(person, working)

        task = asyncio.create_task(done())
        self._unfinished.add(task)
        task.add_done_callback(self._has_ended)
        return await asyncio.shield(task)

    def _has_ended(self, task: asyncio.Task[Any]) -> None:
        self._unfinished.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, since its caller may have left
