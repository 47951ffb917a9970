"""Answer each sub-question from what was found for it. Lines of the records of proteins are quoted as they stand.

Source: BioMedSearch, section III.C: the results of each sub-query are evaluated, and what addresses it is extracted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from medground.answering.read.evidence import evidence_views
from medground.answering.run import Run
from medground.answering.verify.named import remark
from medground.answering.write.reason import cited_sentences, shown_passages
from medground.errors import ModelFailed
from medground.home.concurrency import concurrently
from medground.models.operators.base import SentencedPassage, sentence_ids
from medground.recipes.biomedsearch import reporting
from medground.recipes.biomedsearch.parts import OWN
from medground.values.document import Hit, SourceKind
from medground.values.evidence import Evidence, Sentence
from medground.values.report import NOT_ENDED, Connection, SubAnswerState, SubFound
from medground.values.research_plan import SubQuestion
from medground.values.statement import Conflict
from medground.values.usage import KEYLESS

RECORDS: tuple[SourceKind, ...] = ("protein", "graph")
"""Kinds of source whose lines are stored facts."""


@dataclass(frozen=True)
class Part:
    """A sub-question with what was read for it, and the sentences that answer it.

    `evidence` are the quotes that the sentences cite, in order; `answered_by` is the model that read, or `keyless`.
    """

    found: SubFound
    state: SubAnswerState
    reason: str = ""
    sentences: tuple[Sentence, ...] = ()
    evidence: tuple[Evidence, ...] = field(default=())
    answered_by: str = ""

    @property
    def id(self) -> str:
        """The id of the sub-question."""
        return self.found.subquestion.id

    def view(self, run: Run) -> reporting.PartView:
        """The sub-answer as operators see it."""
        return reporting.PartView(
            id=self.id,
            question=self.found.subquestion.text,
            answer=tuple(sentence.text for sentence in self.sentences),
            quotes=evidence_views(self.evidence, run.ledger.documents),
        )


def is_own(one: SubQuestion, run: Run) -> bool:
    """Whether a sub-question is the question itself."""
    return one.dimension == OWN or one.text == run.question.text


async def sub_answers(found: Sequence[tuple[SubFound, Sequence[Hit]]], run: Run) -> list[Part]:
    """The sub-answers, all at once, in order.

    A model that fails on some sub-questions leaves these without an answer. The documents are in the ledger.

    Raises ModelFailed: the model failed on every sub-question.
    """
    shown = [_shown(one, hits, run) for one, hits in found]
    outputs = await concurrently(_asked(one, run) for one in shown)
    failures = [output for output in outputs if isinstance(output, ModelFailed)]
    if failures and not any(isinstance(output, reporting.AnswerPartOutput) for output in outputs):
        raise failures[0]
    return [_part(one, output, run) for one, output in zip(shown, outputs, strict=True)]


@dataclass(frozen=True)
class _Shown:
    """The passages of a sub-question as they are shown."""

    found: SubFound
    passages: tuple[SentencedPassage, ...]


def _shown(found: SubFound, hits: Sequence[Hit], run: Run) -> _Shown:
    asked = run.question.replace(text=found.subquestion.text, options=())
    return _Shown(found, shown_passages(asked, hits, run, records=RECORDS))


async def _asked(shown: _Shown, run: Run) -> reporting.AnswerPartOutput | ModelFailed | None:
    if not shown.passages:
        return None
    one, most = shown.found.subquestion, run.settings.recipe.sentences
    whole = one.text if is_own(one, run) else run.question.text
    value = reporting.AnswerPartInput(question=one.text, part_of=whole, passages=shown.passages, sentences=most)
    try:
        return await run.ask(reporting.answer_part, value)
    except ModelFailed as failed:
        return failed


def _part(shown: _Shown, output: reporting.AnswerPartOutput | ModelFailed | None, run: Run) -> Part:
    unanswered = Part(shown.found, "not answerable")
    if output is None:
        searched = any(tool.state in ("found", "empty") for tool in shown.found.tools)
        ended = all(NOT_ENDED not in tool.failures for tool in shown.found.tools)
        return unanswered if searched else replace(unanswered, state="failed", reason="" if ended else NOT_ENDED)
    if isinstance(output, ModelFailed):
        return replace(unanswered, reason=f"the model that reads gave no usable answer: {output}")
    author = run.answerer(reporting.answer_part).name
    if not (output.answerable and output.claims):  # small models contradict themselves in this
        reason = remark(output.reason, run.ledger.documents.values(), run.question.text) or "nothing found addresses it"
        return replace(unanswered, reason=reason, answered_by=author)
    verbatim = author == KEYLESS
    records = frozenset(sentence_ids(passage for passage in shown.passages if passage.kind in RECORDS))
    sentences, quotes = cited_sentences(output.claims, run, lines=records, line=_line, verbatim=verbatim)
    evidence = tuple(dict.fromkeys(quotes.values()))
    return Part(shown.found, "answered", "", sentences, evidence, author)


def _line(quote: Evidence) -> Sentence:
    text = " ".join(quote.quote.split())
    return Sentence(text=text, evidence=(quote.id,), within=text)


async def connected(answered: Sequence[Part], run: Run) -> list[Connection]:
    """How a model says that the answered parts hang together; nothing where there is one only."""
    by = run.answerer(reporting.connect_parts)
    if len(answered) < 2 or not by.is_model:
        return []
    value = reporting.ConnectInput(question=run.question.text, parts=tuple(part.view(run) for part in answered))
    output = await run.ask_for_part(reporting.connect_parts, value, "the connections between sub-answers")
    return [
        Connection(**dict(connection) | {"evidence": tuple(dict.fromkeys(connection.evidence)), "found_by": by.name})
        for connection in output.connections
    ]


def disagreeing(answered: Sequence[Part], conflicts: Sequence[Conflict]) -> list[Connection]:
    """The contradictions of sub-answers among the conflicts of their quotes."""
    owner = {quote.id: part.id for part in reversed(answered) for quote in part.evidence}
    found = []
    for conflict in conflicts:
        said: dict[str, Any] = {"relation": "contradicts", "found_by": conflict.found_by, "about": conflict.about}
        sides = [[e for e in side.evidence if e in owner] for side in conflict.sides]
        for one, other in combinations(sides, 2):
            pairs = {(owner[e], owner[f]): (e, f) for e in one for f in other if owner[e] != owner[f]}
            found += [Connection(first=a, second=b, evidence=quotes, **said) for (a, b), quotes in pairs.items()]
    return found


async def framed(
    answered: Sequence[Part], connections: Sequence[Connection], run: Run
) -> reporting.ComposeReportOutput:
    """Background, synthesis and answer of a model, which cite quotes of the parts; empty without one."""
    if not run.answerer(reporting.compose_report).is_model:
        return reporting.ComposeReportOutput(background=(), synthesis=(), answer=())
    value = reporting.ComposeReportInput(
        question=run.question.text,
        task=run.question.task,
        options=run.question.options,
        parts=tuple(part.view(run) for part in answered),
        connections=tuple(
            reporting.JoinedView(**connection.model_dump(include=set(reporting.JoinedView.model_fields)))
            for connection in connections
        ),
        sentences=run.settings.recipe.sentences,
    )
    return await run.ask_for_part(reporting.compose_report, value, "background, synthesis and answer")
