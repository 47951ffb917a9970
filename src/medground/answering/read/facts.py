"""Find stored facts that answer a question, quote the lines that state them, and say why there is no answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from medground.answering.captions import NOTHING_FOUND
from medground.answering.read.reading_list import Reading, text_of
from medground.answering.run import Run
from medground.answering.write.draft import Draft
from medground.corpus.retraction import state_of
from medground.errors import SourceUnavailable
from medground.graph.names import name_key
from medground.language.question_reading import Asked
from medground.sources.base import FactSource
from medground.values.evidence import Evidence, Sentence
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


# What stored facts answer, and why there is no answer where nothing was found.


def graph_draft(question: Question, stored: GraphAnswer) -> Draft:
    """The facts as a rationale, with the finding's answer if it has one."""
    finding = stored.finding
    sentences = tuple(Sentence(text=fact.sentence, evidence=(quote.id,)) for fact, quote in stored.facts)
    opened = finding.answer or " ".join(sentence.text for sentence in sentences)
    answer = opened if question.task == "free" else finding.closed
    if not answer:
        return Draft(sentences=sentences, reason=finding.note or "the stored facts do not decide it")
    return Draft(sentences=sentences, answer=(answer,), basis="graph fact", reason=finding.note)


def only_retracted(asked: Asked, readings: Sequence[Reading], run: Run) -> bool:
    """Whether a retracted paper is about a question, and nothing else that was found."""
    shown = map(run.ledger.documents.__getitem__, run.shown)
    told = any(state_of(paper) == "retracted" and asked.is_about(f"{paper.title}\n{paper.text}") for paper in shown)
    return told and not any(asked.is_about(text_of(reading)) for reading in readings)


def refusal(stored: GraphAnswer | NotUnderstood | None, run: Run, *, searched: bool) -> Draft:
    """Why there is no answer: the question was not understood, its relation is not recorded, or nothing was found.

    `stored` is what the sources of facts said; `searched`: whether texts were searched as well.
    """
    if stored is None or (isinstance(stored, NotUnderstood) and searched and not stored.wordings):
        # A question that names nothing of the graph has nothing to do with it.
        gone = ", ".join(name for name in run.shown if state_of(run.ledger.documents[name]) == "retracted")
        return Draft(reason=f"what was found on it is retracted: {gone}" if gone else NOTHING_FOUND)
    beside = "; the texts searched have no evidence on it" if searched else ""
    if isinstance(stored, NotUnderstood):
        asked = ", ".join(f"“{wording}”" for wording in stored.wordings)
        hint = f"; ask for example {asked}" if asked else ""
        return Draft(reason=f"the knowledge graph did not understand the question{beside}{hint}")
    return Draft(reason=f"{stored.finding.note}{beside}")
