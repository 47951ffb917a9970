"""One question's run: what it may spend, what it has spent, what it saw, and its trace.

Steps take values and the `Run` and return values. The run is the only way to a model (`ask`) and to a source
(`search`), so every call is counted, limited, cached and traced in one place.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Literal

from medground.answer import Search
from medground.document import Passage
from medground.errors import BudgetExhausted, ModelFailed, RateLimited, SourceUnavailable
from medground.evidence import Ledger
from medground.graph.finding import GraphFinding
from medground.models.base import CallLimits
from medground.models.registry import Models
from medground.operators.base import I, O, Operator
from medground.query import Query
from medground.question import Question
from medground.settings import BudgetSettings, Settings
from medground.sources.base import Found, KnowledgeGraph, Source
from medground.trace import Trace
from medground.usage import Usage, UsageReport

Clock = Callable[[], float]
"""Seconds that only grow, such as `time.monotonic`."""

__all__ = ["Clock", "Run", "Usage"]


@dataclass
class Run:
    """Everything that belongs to one question and to no other."""

    question: Question
    settings: Settings
    sources: Sequence[Source]
    models: Models
    trace: Trace
    graphs: Sequence[KnowledgeGraph] = ()
    clock: Clock = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ledger: Ledger = field(default_factory=Ledger)
    usage: Usage = field(default_factory=Usage)
    searches: list[Search] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    answered_by: dict[str, str] = field(default_factory=dict)
    shown: dict[str, None] = field(default_factory=dict)
    """Ids of documents that the answer lists although it cites nothing of them, in order."""
    origins: dict[str, str] = field(default_factory=dict)
    """Document id to the source that gave it."""

    def __post_init__(self) -> None:
        self._started = self.clock()
        self._turn = asyncio.Lock()

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return self.clock() - self._started

    def warn(self, text: str) -> None:
        """Tell the reader of the answer, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def report(self) -> UsageReport:
        """What the run has cost so far."""
        used = self.usage
        return UsageReport(
            input_tokens=used.input_tokens,
            output_tokens=used.output_tokens,
            model_calls=used.model_calls,
            cached_calls=used.cached_calls,
            searches=used.searches,
            seconds=round(self.seconds, 3),
            price=used.price,
        )

    async def ask(self, operator: Operator[I, O], value: I) -> O:
        """Have an operator answered by the model that the settings give it.

        Raises:
            BudgetExhausted: a limit was reached before or by the call.
            ModelFailed: the model gave no usable output; its cost is counted.
        """
        async with self._limited():
            return await self._ask(operator, value)

    def _limited(self) -> contextlib.AbstractAsyncContextManager[object]:
        """One call at a time where calls are limited: several at once would each spend what is left."""
        budget = self.settings.budget
        limited = budget.tokens is not None or budget.calls is not None or budget.money is not None
        return self._turn if limited else contextlib.nullcontext()

    async def _ask(self, operator: Operator[I, O], value: I) -> O:
        limits = self._remaining()
        model = self.models.of(operator.name)
        with self.trace.span(f"operator {operator.name}") as span:
            span.genai(request_model=model.name, operation_name="chat")
            span.text(input=value.model_dump_json())
            try:
                reply = await self.models.answer(operator, value, limits)
            except ModelFailed as failed:
                self.usage += failed.usage or Usage()
                raise
            except BudgetExhausted as reached:
                self.usage += reached.usage or Usage()
                raise self._whole(reached) from None
            self.usage += reply.usage
            self.answered_by[operator.name] = model.name
            span.genai(usage_input_tokens=reply.usage.input_tokens, usage_output_tokens=reply.usage.output_tokens)
            span.set(cached=reply.usage.cached_calls > 0)
            span.text(output=reply.output.model_dump_json())
        self._remaining()
        return reply.output

    async def search(self, query: Query, *, text: str, shown: str | None = None) -> list[Found]:
        """Search every source at once. A source that fails is named in the answer; it is never an empty result.

        `text` is the question in words; `shown` is how the answer names the query, the words when absent.

        Raises:
            SourceUnavailable: every source failed.
            BudgetExhausted: a limit was reached.
        """
        self._remaining()
        results = await asyncio.gather(
            *(self._search_one(source, query, text, shown or text) for source in self.sources)
        )
        found = [r for r in results if isinstance(r, Found)]
        failures = [r for r in results if isinstance(r, SourceUnavailable)]
        if failures and not found:
            raise failures[0]
        return found

    async def _search_one(self, source: Source, query: Query, text: str, shown: str) -> Found | SourceUnavailable:
        with self.trace.span(f"search {source.name}") as span:
            span.text(query=query.model_dump_json())
            self.usage += Usage(searches=1)
            try:
                found = await source.search(
                    query, text=text, limit=self.settings.retrieval.depth, filters=self.question.filters
                )
            except (SourceUnavailable, RateLimited) as error:
                span.fail(error)
                self.searches.append(Search(source=source.name, query=shown, status="failed", error=str(error)))
                self.warn(f"{source.name} could not be searched: {error.reason}")
                return error
            for note in found.notes:
                self.warn(f"{source.name}: {note}")
            keys = {hit.passage.key for ranking in found.rankings for hit in ranking}
            self.searches.append(
                Search(source=source.name, query=shown, status="found" if keys else "empty", hits=len(keys))
            )
            span.set(hits=[f"{h.ranker}:{h.rank}:{h.passage.key}" for r in found.rankings for h in r[:20]])
            return found

    async def ask_graph(self, graph: KnowledgeGraph) -> GraphFinding | None:
        """What a graph says to the question; counted as a search where the question asks for a stored relation."""
        finding = await graph.ask(self.question.text)
        if finding is not None:
            self.usage += Usage(searches=1)
            asked = f"{finding.relation}: {', '.join(finding.concepts)}"
            status: Literal["found", "empty"] = "found" if finding.facts else "empty"
            self.searches.append(Search(source=graph.name, query=asked, status=status, hits=len(finding.facts)))
        return finding

    async def retrieve(self, ids: Sequence[str]) -> None:
        """Fetch documents into the ledger, so that they can be quoted; each from the first source that holds it.

        Raises:
            SourceUnavailable: a source can no longer be asked, and no other holds all that is wanted.
        """
        wanted = list(dict.fromkeys(ids))
        failed: SourceUnavailable | None = None
        for source in self.sources:
            missing = [i for i in wanted if i not in self.ledger.documents]
            if not missing:
                return
            try:
                documents = await source.fetch(missing)
            except SourceUnavailable as error:
                failed = failed or error
                continue
            self.ledger.admit(documents.values())
            self.origins.update(dict.fromkeys(documents, source.name))
        if failed is not None and any(i not in self.ledger.documents for i in wanted):
            raise failed

    def stands(self, passage: Passage) -> bool:
        """Whether a passage is a slice of the retrieved document; another source may have another text under its id."""
        document = self.ledger.documents[passage.document_id]
        if document.text[passage.start : passage.end] == passage.text:
            return True
        origin = self.origins.get(passage.document_id, "the first source")
        self.warn(f"sources have different texts for {passage.document_id}; only that of {origin} is quoted")
        return False

    def _whole(self, reached: BudgetExhausted) -> BudgetExhausted:
        """A limit that was reached inside a call, in the numbers of the whole question."""
        for limit, allowed, spent in _limits(self.settings.budget, self.usage, self.seconds):
            if limit == reached.limit and allowed is not None:
                return BudgetExhausted(limit, spent=_shown(spent), allowed=str(allowed), usage=reached.usage)
        return reached

    def _remaining(self) -> CallLimits:
        """What may still be spent.

        Raises:
            BudgetExhausted: nothing.
        """
        budget, used = self.settings.budget, self.usage
        for limit, allowed, spent in _limits(budget, used, self.seconds):
            if allowed is not None and spent > allowed:
                raise BudgetExhausted(limit, spent=_shown(spent), allowed=str(allowed))
        return CallLimits(
            tokens=None if budget.tokens is None else budget.tokens - used.tokens,
            calls=None if budget.calls is None else budget.calls - used.model_calls,
            seconds=None if budget.seconds is None else budget.seconds - self.seconds,
        )


def _limits(
    budget: BudgetSettings, used: Usage, seconds: float
) -> list[tuple[str, float | Decimal | None, float | Decimal]]:
    return [
        ("tokens", budget.tokens, used.tokens),
        ("calls", budget.calls, used.model_calls),
        ("seconds", budget.seconds, seconds),
        # An unknown price cannot be held to a limit, so it counts as reaching one.
        ("money", budget.money, Decimal("Infinity") if used.price is None else used.price),
    ]


def _shown(spent: float | Decimal) -> str:
    if isinstance(spent, Decimal) and spent.is_infinite():
        return "unknown"
    return f"{spent:.1f}" if isinstance(spent, float) else str(spent)
