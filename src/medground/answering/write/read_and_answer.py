"""Read documents and answer from them in one call. The sentences that the model names are the quotes."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from medground.answering.read.excerpts import budget_of, excerpts
from medground.answering.read.reading_list import Reading, reading_step
from medground.answering.run import Run
from medground.answering.write.draft import Draft
from medground.answering.write.reason import with_quotes
from medground.errors import SourceUnavailable
from medground.home.concurrency import concurrently
from medground.models.operators.answering import ReadInput, read_and_answer
from medground.models.operators.base import SentencedPassage, sentence_ids
from medground.sources.base import CountingSource
from medground.values.evidence import Evidence
from medground.values.lookup import Lookup
from medground.values.question import Question


@dataclass(frozen=True)
class Answered:
    """An answer from documents.

    Attributes:
        evidence: the quotes that its sentences cite.
        query: the query that would find what is missing; empty where there is none.
        passages: what was read, reduced to the sentences that were cited.
        whole: ids of the documents that were shown whole.
        shown: ids of all sentences that were shown.
        missing: what is missing in what was read; empty if it suffices.
    """

    draft: Draft = field(default_factory=Draft)
    evidence: tuple[Evidence, ...] = ()
    query: str = ""
    passages: tuple[SentencedPassage, ...] = ()
    whole: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()
    missing: str = ""


async def answer_from(
    question: Question, readings: Sequence[Reading], run: Run, *, search: str = "", before: Answered | None = None
) -> Answered:
    """The answer that the model draws from these documents, best first, and from what it cited `before`.

    Args:
        search: how a query is written here; empty where none may be written.

    Raises ModelFailed: the model returned no usable output; BudgetExhausted: the run reached one of its limits.
    """
    known = before or Answered()
    budget = budget_of(run, run.models.for_operator(read_and_answer.name).name)
    shown = excerpts(readings, run, budget=budget, known=known.passages, seen=known.shown)
    if not shown.passages:
        return known
    value = ReadInput(
        question=question.text, task=question.task, options=question.options, passages=shown.passages, search=search
    )
    with run.step(reading_step(readings)):
        output = await run.ask(read_and_answer, value)
    run.read.update(dict.fromkeys(shown.read))
    written = with_quotes(question, output.statements, output, run, run.author(read_and_answer))
    cited = dict.fromkeys(sentence for statement in output.statements for sentence in statement.sentences)
    return Answered(
        draft=written.draft,
        evidence=written.evidence,
        query=output.query if search else "",
        passages=tuple(passage for one in shown.passages if (passage := _only(one, cited)).sentences),
        whole=known.whole.union(shown.whole),
        shown=known.shown.union(sentence_ids(shown.passages)),
    )


def _only(passage: SentencedPassage, ids: Mapping[str, object]) -> SentencedPassage:
    return passage.replace(sentences=tuple(sentence for sentence in passage.sentences if sentence.id in ids))


async def how_to_search(question: Question, run: Run) -> str:
    """How a query for these sources is written, with the number of documents that name each thing of the question.

    Empty for a question with a context, of which no word may be sent.
    """
    if question.context:
        return ""
    counting = tuple(source.name for source in run.sources if isinstance(source, CountingSource))
    things = [subject for subject in run.reading(question).subjects if subject.decides and counting]
    counts: Sequence[int] = ()
    with contextlib.suppress(SourceUnavailable):  # the answer lists sources that failed
        counts = await concurrently(
            run.count(Lookup(asked=thing.query, text=thing.said, sources=counting)) for thing in things
        )
    indexed = any(document.mesh for document in run.ledger.documents.values())
    fields = "[tiab] after a word or “a phrase”" + (", [mh] after a MeSH heading" if indexed else "")
    found = ", ".join(f"{one.said} {count:,}" for one, count in zip(things, counts, strict=False))
    return f"PubMed syntax: {fields}; AND, OR, brackets." + (f" Documents: {found}." if found else "")
