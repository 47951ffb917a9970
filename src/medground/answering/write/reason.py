"""Reason from passages: sub-claims with the sentences that state them, as a draft whose citations are spans.

Source: Reason and Verify, section 3.1 (rationale generator; Algorithm 1, line 12); Self-MedRAG, section 3.4.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from medground.answering.read.reading_list import Reading, numbered, with_antecedent, with_strengths
from medground.answering.read.sentence_names import TextSpan
from medground.answering.run import Run
from medground.answering.verify.named import without_marks
from medground.answering.write.draft import Draft
from medground.models.operators.base import Operator, SentencedPassage
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
from medground.values.document import Hit, SourceKind
from medground.values.evidence import Evidence, Origin, Sentence
from medground.values.question import Question
from medground.values.usage import Author


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
) -> Reasoned:
    """Split the question into sub-claims and answer it from these passages.

    The hits are shown as passages `P1`, `P2`, ... in the order given. Sentences that the model cites enter the ledger
    as quotes with exact offsets, and each sub-claim becomes a sentence of the draft with the ids of its quotes. With
    `own_knowledge` the model may answer from what it knows where the passages are of no use; such a sub-claim cites
    nothing. If no passage can be read, the draft is empty and no model is asked, except one that may do so, or that
    must answer (`recipe.definite`).
    """
    more = {"demonstrations": tuple(demonstrations), "history": tuple(history)}
    return await _asked(reason_or_recall if own_knowledge else reason, question, hits, run, more)


async def answered(question: Question, hits: Sequence[Hit], run: Run, *, own_knowledge: bool = False) -> Reasoned:
    """Answer directly from these passages, without reasoning first (vanilla RAG). Otherwise like `reasoned`."""
    return await _asked(direct_or_recall if own_knowledge else direct, question, hits, run, {})


Record = Callable[[str, Hit], SentencedPassage]
"""Numbers a passage whose lines are stored facts, and records their places."""


def numbered_hits(
    question: Question,
    hits: Sequence[Hit],
    places: dict[str, TextSpan],
    run: Run,
    *,
    records: Collection[SourceKind] = (),
    record: Record | None = None,
) -> tuple[SentencedPassage, ...]:
    """Passages `P1`, `P2`, ... as numbered sentences; those of texts have their strengths as quotes.

    Passages of the kinds `records` are numbered by `record`, and with these every view says of which kind it is.
    """
    texts = [hit for hit in hits if hit.passage.kind not in records]
    readings = [Reading(hit.passage.document_id, n, (hit.passage,), hit.scores) for n, hit in enumerate(texts, start=1)]
    strong = dict(zip((hit.passage.key for hit in texts), with_strengths(question, readings), strict=True))
    views = []
    for number, hit in enumerate(hits, start=1):
        key, passage = f"P{number}", hit.passage
        if record is not None and passage.kind in records:
            view = record(key, hit)
        else:
            document = run.ledger.documents[passage.document_id]
            view = numbered(key, document, (passage,), places, strong[passage.key].strengths)
        views.append(view.model_copy(update={"kind": passage.kind}) if records else view)
    return tuple(views)


def quotable(hits: Sequence[Hit], run: Run) -> list[Hit]:
    """The hits whose passages have text that is in the ledger as it was found."""
    return [hit for hit in hits if hit.passage.text.strip() and run.stands(hit.passage)]


async def _asked(
    operator: Operator[ReasonInput, Any], question: Question, hits: Sequence[Hit], run: Run, more: Mapping[str, Any]
) -> Reasoned:
    await run.retrieve([hit.passage.document_id for hit in hits])
    places: dict[str, TextSpan] = {}
    passages = numbered_hits(question, quotable(hits, run), places, run)
    asks_anyway = operator in (reason_or_recall, direct_or_recall) or run.answers_anyway(operator)
    if not passages and not asks_anyway:
        return Reasoned(Draft(), ())
    value = ReasonInput(
        question=question.text,
        task=question.task,
        options=question.options,
        passages=passages,
        sentences=run.settings.recipe.sentences,
        **more,
    )
    output = await run.ask(operator, value)
    return with_quotes(output.claims, output.answer, places, run, run.author(operator))


def with_quotes(
    claims: Sequence[SubClaim],
    answer: tuple[str, ...],
    places: Mapping[str, TextSpan],
    run: Run,
    author: Author | None,
) -> Reasoned:
    """What an author wrote, each sub-claim with the sentences that it names as quotes, by their `places`."""
    sentences, quotes = cited_sentences(claims, places, run)
    draft = Draft(
        sentences=sentences,
        answer=answer,
        basis="model" if answer else None,
        reason=f"{author.name} found no answer in the passages" if author and author.is_model and not answer else "",
    )
    return Reasoned(draft, tuple({quote.id: quote for quote in quotes.values()}.values()))


def cited_sentences(
    claims: Iterable[SubClaim],
    places: Mapping[str, TextSpan],
    run: Run,
    *,
    lines: Collection[str] = (),
    line: Callable[[Evidence], Sentence] | None = None,
    origin: Origin = "text",
    verbatim: bool = False,
) -> tuple[tuple[Sentence, ...], dict[str, Evidence]]:
    """The steps of an answer as sentences, and what they cite as quotes in the ledger, by the ids of its sentences.

    Args:
        places: where each sentence stands in its document.
        lines: ids of sentences that are lines of records: each is a sentence of its own, which `line` makes of its
            quote, and whose `origin` is this.
        verbatim: the steps are quotes; one that points back brings the sentence before it.
    """
    order = list(dict.fromkeys(document for document, _, _ in places.values()))
    quotes: dict[str, Evidence] = {}
    written: list[Sentence] = []
    for claim in claims:
        for one in claim.sentences:
            document, start, end = places[one]
            if verbatim and one not in lines:
                document, start, end = with_antecedent(one, places, run.ledger.documents[document])
            own: Origin = origin if one in lines else "text"
            quotes[one] = run.ledger.quote(document, start, end, origin=own, rank=order.index(document) + 1)
        texts = [quotes[one] for one in claim.sentences if one not in lines]
        if texts or not claim.sentences:
            said = texts[0].quote if texts and verbatim else claim.text
            written.append(Sentence(text=without_marks(said), evidence=tuple(dict.fromkeys(e.id for e in texts))))
        written += [line(quotes[one]) for one in claim.sentences if line and one in lines]
    return tuple(dict.fromkeys(written)), quotes
