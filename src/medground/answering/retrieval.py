"""What a run looks up, in all sources at once.

Sources are only reached through a run, so that every call is counted, limited, cached and traced in one place.
"""

import asyncio
import contextlib
import itertools
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from medground.answering.declaration import Declaration, remaining
from medground.answering.kept_lookups import KeptLookups
from medground.answering.trace import Span, Trace
from medground.answering.withheld import Withholding
from medground.corpus.retraction import marked_hit
from medground.errors import ConfigError, NotConfigured, SourceUnavailable
from medground.home.concurrency import concurrently
from medground.home.settings import Settings
from medground.language.requests import speaks_of_literature, stated
from medground.models.base import CallLimits
from medground.pubmed.typed import as_typed
from medground.sources.base import CountingSource, RecallingSource, Source, suited
from medground.values.answer import Search, failed_search, search_of
from medground.values.document import DocumentId
from medground.values.evidence import Ledger
from medground.values.lookup import Found, Lookup
from medground.values.query import Filters
from medground.values.question import Question
from medground.values.steps import AnyStep, OnStep, Searched, Searching, ignore_steps
from medground.values.usage import Usage

_UNREACHABLE = "ConnectError"
"""The last status of a source whose host cannot be reached at all."""

_NOTHING_LEFT = (
    "a search was skipped, because its words occur only in the context; add them to the question to search for them"
)


Clock = Callable[[], float]
"""Returns seconds and never goes back, such as `time.monotonic`."""


@dataclass
class Retrieval:
    """The question, the sources, and all that was found in them for it."""

    question: Question
    settings: Settings
    recipe: Declaration
    sources: Sequence[Source]
    _: KW_ONLY
    trace: Trace
    on_step: OnStep = ignore_steps
    clock: Clock = time.monotonic
    ledger: Ledger = field(default_factory=Ledger)
    usage: Usage = field(default_factory=Usage)
    warnings: list[str] = field(default_factory=list)
    papers: tuple[DocumentId, ...] = ()
    """The papers that the question names by id: then only these are searched."""
    origins: dict[str, str] = field(default_factory=dict)
    """The source of each document, by document id."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    refused: dict[str, Lookup] = field(default_factory=dict)
    """The last lookup that was meant for a source and that it does not accept, by the name of the source."""
    kept: KeptLookups | None = None
    """Where finished lookups and model calls are kept until the run has its answer; None for a run that is short."""

    def __post_init__(self) -> None:
        self._started = self.clock()
        self.budget = self.settings.budget
        self._found: dict[tuple[str, Lookup], asyncio.Future[Found]] = {}
        self._down: dict[str, SourceUnavailable] = {}
        self._searches: dict[int, Search] = {}
        self._order = itertools.count()
        self._left_out: dict[str, None] = {}

    @property
    def seconds(self) -> float:
        """Seconds since the run started."""
        return self.clock() - self._started

    def warn(self, text: str) -> None:
        """Add a warning to the answer, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    @contextlib.contextmanager
    def step(self, step: AnyStep) -> Iterator[Span]:
        """Open a span for a step that takes time, and report its start to `on_step`."""
        self.on_step(step)
        with self.trace.step(step) as span:
            yield span

    def end(self, span: Span, step: AnyStep) -> None:
        """Record the result of a step in its span, and report it to `on_step`."""
        span.record(step)
        self.on_step(step)

    async def look_up(self, *lookups: Lookup) -> list[Found]:
        """Run lookups concurrently, each in every source that it is meant for and that accepts it.

        The answer lists sources that fail; a failure is never an empty result. Identical lookups are sent to a source
        only once. The documents of an answer that the question follows are searched once more, by themselves, so that
        they are found beside everything else. A lookup that a source could not understand does not count as a search.
        Words that stand only in the question's context are sent to no source, which a warning says.

        Raises SourceUnavailable: a source failed and no other source could be searched; UsageError: a query uses a
        field that a source does not have; BudgetExhausted: the run reached one of its limits.
        """
        self._remaining()
        filled = [self._filled(one) for one in self._sendable(lookups)]
        if former := self.question.follows.documents if self.question.follows else ():
            again = [one for one in filled if one.of_texts and not one.documents]
            filled += [one.replace(documents=former) for one in again]
        sent = [
            (source, suitable)
            for one in filled
            for source in self.sources
            if (suitable := self._suited(one, source)) is not None
        ]
        results = await concurrently(self._search(source, one, next(self._order)) for source, one in sent)
        for (source, _), result in zip(sent, results, strict=True):
            if isinstance(result, SourceUnavailable):
                self.warn(f"{source.name} could not be searched: {result.reason}")
            else:
                for note in result.notes:
                    self.warn(f"{source.name}: {note}")
        found = [result for result in results if isinstance(result, Found)]
        _raise_unless([one for one in found if one.understood], results)
        return found

    async def count(self, lookup: Lookup) -> int:
        """Number of documents that the sources of a lookup find together; each may stop at the depth of a search.

        Nothing is fetched where a source can count; others are searched.

        Raises SourceUnavailable: no source could be asked; UsageError: a query uses a field that a source does not
        have; BudgetExhausted: the run reached one of its limits.
        """
        self._remaining()
        if not (sendable := self._sendable([lookup])):
            return 0
        filled = self._filled(sendable[0])
        results = await concurrently(
            self._count(source, suitable)
            for source in self.sources
            if (suitable := self._suited(filled, source)) is not None
        )
        counts = [result for result in results if isinstance(result, int)]
        _raise_unless(counts, results)
        return sum(counts)

    async def _count(self, source: Source, lookup: Lookup) -> int | SourceUnavailable:
        if not isinstance(source, CountingSource):
            found = await self._search(source, lookup, next(self._order))
            return len(found.documents) if isinstance(found, Found) else found
        limits = lookup.limited(self.limits) or self.limits
        with self.trace.span("count", source=source.name) as span:
            span.text(query=lookup.asked.model_dump_json())
            self.usage += Usage(counts=1)
            try:
                number = self.kept.counted(source, lookup, limits) if self.kept else None
                if number is None:
                    number = await source.count(lookup, limits)
                    if self.kept is not None:
                        self.kept.keep_count(source, lookup, limits, number)
            except SourceUnavailable as error:
                span.fail(error)
                self.warn(f"{source.name} could not be searched: {error.reason}")
                return error
            span.set(documents=number)
            return number

    def _sendable(self, lookups: Sequence[Lookup]) -> list[Lookup]:
        """The lookups without words that stand only in the question's context; one that has no others is left out."""
        if not self.question.context:
            return list(lookups)
        withholding = Withholding(self.question)
        sendable = [kept for lookup in lookups if (kept := withholding.sendable(lookup)) is not None]
        if len(sendable) < len(lookups):
            self.warn(_NOTHING_LEFT)
        if not withholding.left_out.keys() <= self._left_out.keys():
            former = _left_out_note(self._left_out)
            self.warnings[:] = [text for text in self.warnings if text != former]
            self._left_out |= withholding.left_out
            self.warn(_left_out_note(self._left_out))
        return sendable

    def _filled(self, lookup: Lookup) -> Lookup:
        """A lookup as it is sent: with a limit, of the papers that the question names, and as its person typed it.

        Only the question itself is read so: other texts may name papers that nobody asked for.
        """
        more: dict[str, Any] = {} if lookup.limit else {"limit": self.settings.retrieval.depth}
        if self.papers and lookup.of_texts and not lookup.documents:
            more["documents"] = self.papers
        filled = lookup.replace(**more)
        return as_typed(filled) if lookup.text == self.question.text else filled

    @cached_property
    def limits(self) -> Filters:
        """The filters of the question, with the years that its words state where it has no limits of its own."""
        filters = self.question.filters
        limited = (filters.year_from, filters.year_to, filters.date_from, filters.date_to)
        text = self.question.text
        years = stated(text, self.now().year) if speaks_of_literature(text) and not any(limited) else None
        if years is None:
            return filters
        self.warn(years.note)
        return filters.replace(year_from=years.first, year_to=years.last)

    @property
    def searches(self) -> list[Search]:
        """The searches so far, in the order they were requested."""
        return [self._searches[number] for number in sorted(self._searches)]

    def _suited(self, lookup: Lookup, source: Source) -> Lookup | None:
        """The lookup in a form that a source accepts; None if it is not meant for it, or can find nothing there."""
        if lookup.limited(self.limits) is None or not lookup.goes_to(source.name, source.kinds):
            return None
        if (found := suited(lookup, source)) is None:
            self.refused[source.name] = lookup
        return found

    async def _search(self, source: Source, lookup: Lookup, number: int) -> Found | SourceUnavailable:
        key = (source.name, lookup.replace(node="", shown=""))
        begun = Searching(source=source.name, query=lookup.asked.model_dump_json(), node=lookup.node)
        with self.step(begun) as span:
            limits = lookup.limited(self.limits) or self.limits
            before = self._found_before(source, lookup, limits)
            cached = before is not None or key in self._found
            try:
                if (down := self._down.get(source.name)) is not None and before is None:
                    raise down
                found = before or await self._once(key, lambda: self._searched(source, lookup, limits))
                rankings = tuple(tuple(map(marked_hit, ranking)) for ranking in found.rankings)
                found = replace(found, lookup=lookup, rankings=rankings)
            except (SourceUnavailable, ConfigError) as raised:
                error = self._unavailable(source, raised)
                span.fail(error)
                self._count_search(number, failed_search(source.name, lookup, error))
                return error
            span.set(hits=[f"{h.ranker}:{h.rank}:{h.passage.key}" for r in found.rankings for h in r[:20]])
            if found.understood:
                self._count_search(number, search_of(found, cached=cached))
            return found

    def _unavailable(self, source: Source, error: SourceUnavailable | ConfigError) -> SourceUnavailable:
        """A source that could not be searched. In research with many sources, a rejected key costs only its source.

        Raises ConfigError: a rejected key, where it is not research.
        """
        if isinstance(error, SourceUnavailable):
            if self.recipe.researches and (isinstance(error, NotConfigured) or error.last_status == _UNREACHABLE):
                self._down[source.name] = error  # the next sub-question would only wait for the same
            return error
        if not self.recipe.researches:
            raise error
        return NotConfigured(str(error).removeprefix(f"{source.name}: "), source=source.name)

    def _found_before(self, source: Source, lookup: Lookup, limits: Filters) -> Found | None:
        """What a search found before this run was interrupted; its source may need its documents again."""
        found = self.kept.found(source, lookup, limits) if self.kept else None
        if found is not None and self.kept is not None and isinstance(source, RecallingSource):
            source.recall(filter(None, self.kept.documents(source, sorted(found.documents)).values()))
        return found

    async def _searched(self, source: Source, lookup: Lookup, limits: Filters) -> Found:
        """What a source finds, kept as soon as it is there."""
        found = await source.search(lookup, limits)
        if self.kept is not None:
            self.kept.keep_found(source, limits, found)
        return found

    async def _once(self, key: tuple[str, Lookup], search: Callable[[], Coroutine[Any, Any, Found]]) -> Found:
        """The result of a search. The same search at the same time waits for it; one that failed is sent again."""
        if under_way := self._found.get(key):
            try:
                return await asyncio.shield(under_way)  # its sender still waits for it
            except asyncio.CancelledError:
                if (task := asyncio.current_task()) is not None and task.cancelling():
                    raise  # otherwise its sender was cancelled: send it again
        sent = self._found[key] = asyncio.ensure_future(search())
        try:
            return await sent
        except BaseException:
            if self._found.get(key) is sent:
                del self._found[key]
            raise

    def _count_search(self, number: int, search: Search) -> None:
        self.usage += Usage(searches=1)
        self._searches[number] = search
        self.on_step(Searched(source=search.source, status=search.status, found=search.hits, node=search.node))

    def _remaining(self) -> CallLimits:
        return remaining(self.budget, self.usage, self.seconds)


def _raise_unless(found: Sequence[object], results: Iterable[object]) -> None:
    """Raise the first failure if nothing was found."""
    if not found and (failed := next((result for result in results if isinstance(result, SourceUnavailable)), None)):
        raise failed


def _left_out_note(left_out: Iterable[str]) -> str:
    """The same text with one word more replaces the former."""
    return f"not searched for, because these words occur only in the context: {', '.join(left_out)}"
