"""Find stored facts that answer a question, and quote the lines that state them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from medground.answering.run import Run
from medground.errors import SourceUnavailable
from medground.graph.names import name_key
from medground.sources.base import FactSource
from medground.values.evidence import Evidence
from medground.values.graph import GraphFact, GraphFinding
from medground.values.lookup import Found, Lookup, PlainWords
from medground.values.query import Filters
from medground.values.question import Question

_WORD = re.compile(r"\w+")
_CLOSED_TASKS = ("yes-no", "yes-no-maybe")


@dataclass(frozen=True)
class GraphAnswer:
    """A finding, its source, and its facts with their quotes."""

    source: FactSource
    finding: GraphFinding
    facts: tuple[tuple[GraphFact, Evidence], ...]

    def entails(self, sentence: str) -> bool:
        """Whether the stored relation behind a sentence of this answer entails it."""
        return any(fact.sentence == sentence and self.source.entails(fact) for fact, _ in self.facts)


@dataclass(frozen=True)
class NotUnderstood:
    """A question that no source of facts could read, and wordings that one of them reads."""

    source: FactSource
    wordings: tuple[str, ...]


async def ask_for_facts(question: Question, run: Run) -> GraphAnswer | NotUnderstood | None:
    """Ask sources of stored facts.

    The first source that has the relation is preferred to one that only knows the concepts. Returns None if facts
    cannot answer such a question, or no source could be reached (the answer lists sources that failed).
    """
    if not _may_be_answered_by_facts(question):
        return None
    names = tuple(source.name for source in run.sources if isinstance(source, FactSource))
    if not names:
        return None
    try:
        found = await run.look_up(Lookup(asked=PlainWords(text=question.text), text=question.text, sources=names))
    except SourceUnavailable:
        return None
    stated = [(one, one.finding) for one in found if one.finding is not None]
    if not stated:
        unread = next((one for one in found if not one.understood), None)
        source = _source(unread, run) if unread is not None else None
        return NotUnderstood(source, unread.wordings) if source is not None and unread is not None else None
    return await _quoted(*min(stated, key=lambda pair: pair[1].status == "not recorded"), run)


async def _quoted(found: Found, finding: GraphFinding, run: Run) -> GraphAnswer | None:
    source = _source(found, run)
    if source is None:
        return None
    await run.retrieve([fact.document_id for fact in finding.facts])
    quotes = tuple(
        (fact, run.ledger.quote(fact.document_id, fact.start, fact.end, origin="graph", rank=rank))
        for rank, fact in enumerate(finding.facts, start=1)
    )
    return GraphAnswer(source, finding, quotes)


def _source(found: Found, run: Run) -> FactSource | None:
    source = next((s for s in run.sources if s.name == found.source), None)
    return source if isinstance(source, FactSource) else None


def beside_facts(run: Run) -> tuple[str, ...]:
    """The sources that hold other texts than the documents of the stored facts."""
    stating = {s.state for s in run.sources if isinstance(s, FactSource) and s.state is not None}
    return tuple(s.name for s in run.sources if not isinstance(s, FactSource) and s.state not in stating)


def about_the_same(evidence: Sequence[Evidence], finding: GraphFinding, run: Run) -> list[Evidence]:
    """The quotes that mention a name of a finding, of documents that mention them all."""
    named = [[_plain(name) for name in names] for names in finding.names]

    def mentions(text: str) -> list[bool]:
        plain = f" {_plain(text)} "
        return [any(f" {name} " in plain for name in names) for names in named]

    documents = {quote.document_id: run.ledger.documents[quote.document_id] for quote in evidence}
    whole = {i for i, document in documents.items() if all(mentions(f"{document.title} {document.text}"))}
    return [quote for quote in evidence if quote.document_id in whole and any(mentions(quote.quote))]


def _plain(text: str) -> str:
    """Words in one form: without case, accents or a plural."""
    return " ".join(name_key(word) for word in _WORD.findall(text))


def _may_be_answered_by_facts(question: Question) -> bool:
    """Whether stored relations can answer: "what is ..." cannot be answered with yes, and facts have no year."""
    limits = question.filters
    if limits != Filters(kinds=limits.kinds) or (limits.kinds and "graph" not in limits.kinds):
        return False
    return question.task == "free" or (question.task in _CLOSED_TASKS and question.closed)
