"""Read documents and answer from them in one call. The sentences that the model names are the quotes."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from medground.answering.captions import design
from medground.answering.read.reading_list import Batch, Reading, named
from medground.answering.run import Run
from medground.answering.verify.named import remark, without_marks
from medground.answering.write.draft import Draft
from medground.answering.write.reason import with_quotes
from medground.errors import SourceUnavailable
from medground.home.concurrency import concurrently
from medground.language import words
from medground.language.question_query import alone
from medground.language.question_reading import reading_of
from medground.language.quoting.leading import is_quotable
from medground.models.operators.answering import AnswerOutput, ReadInput, read_and_answer
from medground.models.operators.base import SentencedPassage, SentenceView
from medground.sources.base import CountingSource
from medground.values.evidence import Evidence
from medground.values.lookup import Lookup
from medground.values.question import Question

SENTENCES = 8
"""Maximum sentences shown of a document, the strongest ones."""
CHARACTERS = 2_500
"""Maximum characters of all sentences shown, the strongest first. For 199 questions of BioASQ, all sentences of 20
documents hold 81.3 % of the exact answers, and these hold 80.4 %."""


@dataclass(frozen=True)
class Answered:
    """An answer from documents.

    Attributes:
        evidence: the quotes that its sentences cite.
        query: the query that would find what is missing; empty where there is none.
        passages: what was read, reduced to the sentences that were cited.
    """

    draft: Draft = field(default_factory=Draft)
    evidence: tuple[Evidence, ...] = ()
    query: str = ""
    passages: tuple[SentencedPassage, ...] = ()


async def answer_from(
    question: Question, readings: Sequence[Reading], run: Run, *, search: str = "", before: Answered | None = None
) -> Answered:
    """The answer that the model draws from these documents, best first, and from what it cited `before`.

    Args:
        search: how a query is written here; empty where none may be written.

    Raises ModelFailed: the model returned no usable output; BudgetExhausted: the run reached one of its limits.
    """
    known = before or Answered()
    shown = (*known.passages, *_strongest(_sentenced(readings, run)))
    if not shown:
        return known
    value = ReadInput(
        question=question.text, task=question.task, options=question.options, passages=shown, search=search
    )
    with run.step(Batch(tuple(readings), 1, 1).step):
        output = await run.ask(read_and_answer, value)
    run.read.update(dict.fromkeys(one.paper for one in shown))
    written = with_quotes(output.statements, output.answer, run.names, run, run.author(read_and_answer))
    cited = dict.fromkeys(one for statement in output.statements for one in statement.sentences)
    return Answered(
        draft=_complete(question, written.draft, output, run),
        evidence=written.evidence,
        query=output.query if search else "",
        passages=tuple(passage for one in shown if (passage := _only(one, cited)).sentences),
    )


def _sentenced(readings: Sequence[Reading], run: Run) -> Iterator[SentencedPassage]:
    """The documents with all their sentences of prose."""
    asked = reading_of(run.question.text)
    for reading in readings:
        document = run.ledger.documents[reading.document_id]
        if not (passages := [passage for passage in reading.passages if run.stands(passage)]):
            continue
        view = named(document, passages, run.names, reading.strengths)
        shown = [sentence for sentence in view.sentences if is_quotable(asked, sentence.text)]
        head = {
            "paper": document.id,
            "year": document.year,
            "design": design(document),
            "journal": document.journal or "",
        }
        yield view.model_copy(update={"sentences": tuple(shown), **head})


def _strongest(passages: Iterator[SentencedPassage]) -> list[SentencedPassage]:
    """The documents with the strongest sentences of all, in text order, each text once."""
    read, left, shown = list(passages), CHARACTERS, dict[str, SentenceView]()
    said: set[tuple[str, ...]] = set()
    best = [sorted(one.sentences, key=_weakness)[:SENTENCES] for one in read]
    for one in sorted((one for sentences in best for one in sentences), key=_weakness):
        same = tuple(words.tokens(one.text))
        if same not in said and (not shown or len(one.text) <= left):
            said.add(same)
            shown[one.id] = one
            left -= len(one.text)
    return [passage for one in read if (passage := _only(one, shown)).sentences]


def _weakness(sentence: SentenceView) -> float:
    return -(sentence.strength or 0.0)


def _only(passage: SentencedPassage, ids: Mapping[str, object]) -> SentencedPassage:
    return passage.model_copy(update={"sentences": tuple(one for one in passage.sentences if one.id in ids)})


def _complete(question: Question, draft: Draft, output: AnswerOutput, run: Run) -> Draft:
    """The draft with the form of its answer and what is missing, without what names works never retrieved."""

    def founded(said: Sequence[str]) -> tuple[str, ...]:
        remarks = (remark(without_marks(one), run.ledger.documents.values(), question.text) for one in said)
        return tuple(dict.fromkeys(filter(None, remarks)))

    changed: dict[str, Any] = {"missing": founded(output.missing)}
    if question.task == "free":
        answer = founded(output.answer)
        changed |= {"answer": answer, "form": output.form if answer else None, "basis": "model" if answer else None}
        if output.answer and not answer:
            changed["reason"] = "the model's answer names a work that was never retrieved"
    return draft.model_copy(update=changed)


async def how_to_search(question: Question, run: Run) -> str:
    """How a query for these sources is written, with the number of documents that name each thing of the question.

    Empty for a question with a context, of which no word may be sent.
    """
    if question.context:
        return ""
    counting = tuple(source.name for source in run.sources if isinstance(source, CountingSource))
    things = [one for one in reading_of(question.text).subjects if one.decides and counting]
    counts: Sequence[int] = ()
    with contextlib.suppress(SourceUnavailable):  # the answer lists sources that failed
        counts = await concurrently(
            run.count(Lookup(asked=alone(one), text=one.said, sources=counting)) for one in things
        )
    indexed = any(document.mesh for document in run.ledger.documents.values())
    fields = "[tiab] after a word or “a phrase”" + (", [mh] after a MeSH heading" if indexed else "")
    found = ", ".join(f"{one.said} {count:,}" for one, count in zip(things, counts, strict=False))
    return f"PubMed syntax: {fields}; AND, OR, brackets." + (f" Documents: {found}." if found else "")
