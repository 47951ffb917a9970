"""Reason from passages: sub-claims with the sentences that state them, as a draft whose citations are spans."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from medground.answering.read.reading_list import Reading, headed, named, spans, with_antecedent, with_strengths
from medground.answering.run import Run
from medground.answering.verify.named import without_marks
from medground.answering.write.draft import Draft, drafted
from medground.models.operators.base import Operator, SentencedPassage, SentenceView
from medground.models.operators.reasoning import (
    Demonstration,
    PastRound,
    ReasonInput,
    SubClaim,
    direct,
    direct_or_recall,
    reason,
    reason_or_recall,
)
from medground.models.operators.writing import ShortAnswer
from medground.values.document import Hit, Passage, SourceKind
from medground.values.evidence import Evidence, Origin, Sentence, SentenceNames
from medground.values.question import Question
from medground.values.usage import Author

_LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True)
class Reasoned:
    """A provisional answer with its rationale, and the quotes that the rationale cites, in order of first use."""

    draft: Draft
    evidence: tuple[Evidence, ...]


async def reasoned(
    question: Question,
    hits: Sequence[Hit],
    run: Run,
    *,
    demonstrations: Sequence[Demonstration] = (),
    history: Sequence[PastRound] = (),
    own_knowledge: bool = False,
    at_once: bool = False,
) -> Reasoned:
    """Split the question into sub-claims and answer it from these passages; `at_once`: answer before any reasoning.

    The hits are shown as passages in the order given. Sentences that the model cites enter the ledger as quotes with
    exact offsets, and each sub-claim becomes a sentence of the draft with the ids of its quotes. With
    `own_knowledge` the model may answer from what it knows where the passages are of no use; such a sub-claim cites
    nothing. If no passage can be read, the draft is empty and no model is asked, except one that may do so, or that
    must answer (`recipe.definite`).
    """
    if at_once:
        operator: Operator[ReasonInput, Any] = direct_or_recall if own_knowledge else direct
    else:
        operator = reason_or_recall if own_knowledge else reason
    await run.retrieve([hit.passage.document_id for hit in hits])
    passages = shown_passages(question, hits, run)
    if not passages and not own_knowledge and not run.answers_anyway(operator):
        return Reasoned(Draft(), ())
    value = ReasonInput(
        demonstrations=tuple(demonstrations),
        question=question.text,
        task=question.task,
        options=question.options,
        history=tuple(history),
        passages=passages,
        sentences=run.settings.recipe.sentences,
    )
    output = await run.ask(operator, value)
    return with_quotes(question, output.claims, output, run, run.author(operator))


def shown_passages(
    question: Question, hits: Sequence[Hit], run: Run, *, records: Collection[SourceKind] = ()
) -> tuple[SentencedPassage, ...]:
    """Passages that may be quoted as their sentences; those of texts have their strengths as quotes.

    Those of the kinds `records` are stored facts, shown line by line, and with these every view says of which kind of
    source it is.
    """
    hits = quotable(hits, run)
    texts = [hit for hit in hits if hit.passage.kind not in records]
    readings = [Reading(hit.passage.document_id, n, (hit.passage,), hit.scores) for n, hit in enumerate(texts, start=1)]
    strong = dict(zip((hit.passage.key for hit in texts), with_strengths(run.reading(question), readings), strict=True))
    views = []
    for passage in (hit.passage for hit in hits):
        document = run.ledger.documents[passage.document_id]
        if passage.kind in records:
            view = headed(document, passage.section, tuple(_lines(passage, run.names)), run.names)
            view = view.replace(share="")
        else:
            view = named(document, (passage,), run.names, strong[passage.key].strengths)
        views.append(view.replace(kind=passage.kind) if records else view)
    return tuple(views)


def _lines(passage: Passage, names: SentenceNames) -> Iterator[SentenceView]:
    """The lines of a record; of a protein's their sentences, each of which is a fact."""
    for line in _LINE.finditer(passage.text):
        spoken = spans(line[0]) if passage.kind == "protein" else [(0, len(line[0]))]
        for first, last in spoken:
            start, end = (passage.start + line.start() + place for place in (first, last))
            yield SentenceView(id=names.of_sentence(passage.document_id, start, end), text=line[0][first:last])


def quotable(hits: Sequence[Hit], run: Run) -> list[Hit]:
    """The hits whose passages have text that is in the ledger as it was found."""
    return [hit for hit in hits if hit.passage.text.strip() and run.stands(hit.passage)]


def with_quotes(
    question: Question, claims: Sequence[SubClaim], output: ShortAnswer, run: Run, author: Author | None
) -> Reasoned:
    """What an author wrote, each sub-claim with the sentences that it names as quotes."""
    sentences, quotes = cited_sentences(claims, run)
    draft = drafted(question, sentences, output, run, author)
    return Reasoned(draft, tuple(dict.fromkeys(quotes.values())))


def cited_sentences(
    claims: Iterable[SubClaim],
    run: Run,
    *,
    lines: Collection[str] = (),
    line: Callable[[Evidence], Sentence] | None = None,
    origin: Origin = "text",
    verbatim: bool = False,
) -> tuple[tuple[Sentence, ...], dict[str, Evidence]]:
    """The steps of an answer as sentences, and what they cite as quotes in the ledger, by the ids of its sentences.

    Args:
        lines: ids of sentences that are lines of records: each is a sentence of its own, which `line` makes of its
            quote, and whose `origin` is this.
        verbatim: the steps are quotes; one that points back brings the sentence before it.
    """
    order = list(dict.fromkeys(document for document, _, _ in run.names.values()))
    quotes: dict[str, Evidence] = {}
    written: list[Sentence] = []
    for claim in claims:
        for one in claim.sentences:
            document, start, end = run.names[one]
            if verbatim and one not in lines:
                document, start, end = with_antecedent(one, run.names, run.ledger.documents[document])
            own: Origin = origin if one in lines else "text"
            quotes[one] = run.ledger.quote(document, start, end, origin=own, rank=order.index(document) + 1)
        texts = [quotes[sentence] for sentence in claim.sentences if sentence not in lines]
        if texts or not claim.sentences:
            said = texts[0].quote if texts and verbatim else claim.text
            written.append(Sentence(text=without_marks(said), evidence=tuple(dict.fromkeys(e.id for e in texts))))
        written += [line(quotes[sentence]) for sentence in claim.sentences if line and sentence in lines]
    return tuple(dict.fromkeys(written)), quotes
