"""Answer each sub-question from what was found for it. Lines of the records of proteins are quoted as they stand.

Source: BioMedSearch, section III.C: the results of each sub-query are evaluated, and what addresses it is extracted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from medground.answering.read.evidence import evidence_views
from medground.answering.read.reading_list import TextSpan, spans, with_antecedent
from medground.answering.run import Run
from medground.answering.verify.named import without_marks
from medground.answering.write.reason import numbered_hits, quotable
from medground.errors import ModelFailed
from medground.home.concurrency import concurrently
from medground.models.operators.base import I, O, Operator, SentencedPassage, SentenceView
from medground.recipes.biomedsearch.reporting import AnswerPartInput, AnswerPartOutput, PartView, answer_part
from medground.values.document import Hit, SourceKind
from medground.values.evidence import Evidence, Sentence
from medground.values.report import NOT_ENDED, SubAnswerState, SubFound
from medground.values.usage import KEYLESS

RECORDS: tuple[SourceKind, ...] = ("protein", "graph")
"""Kinds of source whose lines are stored facts."""


class Asks:
    """Who answers the operators of a report: the models of the run, or word statistics once its limits are reached."""

    def __init__(self, run: Run, *, stopped: bool = False) -> None:
        self._run = run
        self._stopped = stopped

    async def ask(self, operator: Operator[I, O], value: I) -> O:
        """The output of an operator; raises as `Run.ask` does."""
        return operator.keyless(value) if self._stopped else await self._run.ask(operator, value)

    def answerer(self, operator: Operator[Any, Any]) -> str:
        """The name of the model that answers an operator, or `keyless`."""
        return KEYLESS if self._stopped else self._run.answerer(operator).name


@dataclass(frozen=True)
class Part:
    """A sub-question and the sentences that answer it.

    Attributes:
        found: the sub-question with what its tools found.
        hits: what was read, literature first.
        state: what became of it.
        reason: why it is not answered.
        sentences: the sub-answer.
        evidence: the quotes that its sentences cite, in order.
        answered_by: the model that read what was found, or `keyless`.
    """

    found: SubFound
    hits: tuple[Hit, ...]
    state: SubAnswerState
    reason: str = ""
    sentences: tuple[Sentence, ...] = ()
    evidence: tuple[Evidence, ...] = field(default=())
    answered_by: str = ""

    @property
    def id(self) -> str:
        """The id of the sub-question."""
        return self.found.subquestion.id

    def view(self, run: Run) -> PartView:
        """The sub-answer as operators see it."""
        return PartView(
            id=self.id,
            question=self.found.subquestion.text,
            answer=tuple(sentence.text for sentence in self.sentences),
            quotes=evidence_views(self.evidence, run),
        )


async def sub_answers(found: Sequence[tuple[SubFound, Sequence[Hit]]], asks: Asks, run: Run) -> list[Part]:
    """The sub-answers, all at once, in order.

    A model that fails on some sub-questions leaves these without an answer. The documents are in the ledger.

    Raises:
        ModelFailed: the model failed on every sub-question.
    """
    shown = [_shown(one, hits, run) for one, hits in found]
    asked = [_asked(one.found, one.passages, asks, run) if one.passages else _nothing() for one in shown]
    outputs = await concurrently(asked)
    failures = [output for output in outputs if isinstance(output, ModelFailed)]
    if failures and not any(isinstance(output, AnswerPartOutput) for output in outputs):
        raise failures[0]
    return [_part(one, output, asks, run) for one, output in zip(shown, outputs, strict=True)]


@dataclass(frozen=True)
class _Shown:
    """The passages of a sub-question as they are shown, with the place of each sentence."""

    found: SubFound
    hits: tuple[Hit, ...]
    passages: tuple[SentencedPassage, ...]
    places: Mapping[str, TextSpan]
    records: frozenset[str]


def _shown(found: SubFound, hits: Sequence[Hit], run: Run) -> _Shown:
    readable = quotable(hits, run)
    places: dict[str, TextSpan] = {}

    def record(key: str, hit: Hit) -> SentencedPassage:
        return _record(key, hit, run.ledger.documents[hit.passage.document_id].title, places)

    asked = run.question.model_copy(update={"text": found.subquestion.text, "options": ()})
    passages = numbered_hits(asked, readable, places, run, records=RECORDS, record=record)
    records = frozenset(s.id for passage in passages if passage.kind in RECORDS for s in passage.sentences)
    return _Shown(found, tuple(readable), passages, places, records)


def _record(key: str, hit: Hit, title: str, places: dict[str, TextSpan]) -> SentencedPassage:
    """The sentences of a record, line by line."""
    passage, start = hit.passage, 0
    sentences: list[SentenceView] = []
    for line in passage.text.split("\n"):
        for first, last in spans(line):
            name = f"{key}.S{len(sentences) + 1}"
            places[name] = (passage.document_id, passage.start + start + first, passage.start + start + last)
            sentences.append(SentenceView(id=name, text=line[first:last]))
        start += len(line) + 1
    return SentencedPassage(id=key, title=title, section=passage.section or "", sentences=tuple(sentences))


async def _asked(
    found: SubFound, passages: tuple[SentencedPassage, ...], asks: Asks, run: Run
) -> AnswerPartOutput | ModelFailed:
    value = AnswerPartInput(
        question=found.subquestion.text,
        part_of=run.question.text,
        passages=passages,
        sentences=run.settings.recipe.sentences,
    )
    try:
        return await asks.ask(answer_part, value)
    except ModelFailed as failed:
        return failed


async def _nothing() -> None:
    return None


def _part(shown: _Shown, output: AnswerPartOutput | ModelFailed | None, asks: Asks, run: Run) -> Part:
    unanswered = Part(shown.found, shown.hits, "not answerable")
    if output is None:
        searched = any(tool.state in ("found", "empty") for tool in shown.found.tools)
        ended = all(NOT_ENDED not in tool.failures for tool in shown.found.tools)
        return unanswered if searched else replace(unanswered, state="failed", reason="" if ended else NOT_ENDED)
    if isinstance(output, ModelFailed):
        return replace(unanswered, reason=f"the model that reads gave no usable answer: {output}")
    author = asks.answerer(answer_part)
    if not output.answerable:
        reason = output.reason or "nothing found addresses it"
        return replace(unanswered, reason=reason, answered_by=author)
    sentences, evidence = _written(shown, output, run, verbatim=author == KEYLESS)
    return Part(shown.found, shown.hits, "answered", "", sentences, evidence, author)


def _written(
    shown: _Shown, output: AnswerPartOutput, run: Run, *, verbatim: bool
) -> tuple[tuple[Sentence, ...], tuple[Evidence, ...]]:
    """The sentences of a sub-answer and their quotes. A line of a record is a sentence of its own, as it stands.

    `verbatim`: the sentences are quotes; one that points back brings the sentence before it.
    """
    order = list(dict.fromkeys(document for document, _, _ in shown.places.values()))
    documents = run.ledger.documents
    quotes: dict[str, Evidence] = {}
    written: list[Sentence] = []
    for claim in output.claims:
        for one in claim.sentences:
            document, start, end = shown.places[one]
            if verbatim and one not in shown.records:
                document, start, end = with_antecedent(one, shown.places, documents[document])
            quotes[one] = run.ledger.quote(document, start, end, rank=order.index(document) + 1)
        texts = [quotes[one] for one in claim.sentences if one not in shown.records]
        if texts:
            said = texts[0].quote if verbatim else claim.text
            cited = tuple(dict.fromkeys(quote.id for quote in texts))
            written.append(Sentence(text=without_marks(said), evidence=cited))
        for line in (quotes[one] for one in claim.sentences if one in shown.records):
            text = " ".join(line.quote.split())
            written.append(Sentence(text=text, evidence=(line.id,), within=text))
    by_id = {quote.id: quote for quote in quotes.values()}
    return tuple(dict.fromkeys(written)), tuple(by_id.values())
