"""The step that reasons: sub-claims with the sentences that state them, as a draft whose citations are spans.

Source: Reason and Verify, section 3.1 (rationale generator; Algorithm 1, line 12); Self-MedRAG, section 3.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.document import Hit
from medground.evidence import Evidence
from medground.operators.reasoning import Demonstration, PastRound, ReasonInput, reason
from medground.question import Question
from medground.read.numbered import Place, numbered
from medground.run import Run
from medground.write.draft import Draft, Sentence


@dataclass(frozen=True)
class Reasoned:
    """A provisional answer with its rationale, and the quotes that the rationale cites, in the order of their use."""

    draft: Draft
    evidence: tuple[Evidence, ...]


async def reasoned(
    question: Question,
    hits: Sequence[Hit],
    run: Run,
    *,
    demonstrations: Sequence[Demonstration] = (),
    history: Sequence[PastRound] = (),
) -> Reasoned:
    """Take the question apart and answer it from these passages alone.

    Each hit is a passage `P1`, `P2`, ... in the order given. Its cited sentences enter the ledger as quotes with exact
    offsets; each sub-claim becomes a sentence of the draft with the ids of its quotes. Without a readable passage the
    draft is empty, and nobody is asked.

    Raises:
        ModelFailed: the model gave no usable output.
        SourceUnavailable: a document can no longer be fetched.
        BudgetExhausted: a limit of the run was reached.
    """
    await run.retrieve([hit.passage.document_id for hit in hits])
    passages = [hit.passage for hit in hits if hit.passage.text.strip() and run.stands(hit.passage)]
    if not passages:
        return Reasoned(Draft(), ())
    ranks = {document: rank for rank, document in enumerate(dict.fromkeys(p.document_id for p in passages), start=1)}
    places: dict[str, Place] = {}
    output = await run.ask(
        reason,
        ReasonInput(
            question=question.text,
            task=question.task,
            options=question.options,
            demonstrations=tuple(demonstrations),
            history=tuple(history),
            passages=tuple(
                numbered(f"P{number}", run.ledger.documents[passage.document_id], [passage], places)
                for number, passage in enumerate(passages, start=1)
            ),
            sentences=run.settings.recipe.sentences,
        ),
    )
    quotes = {
        sentence: run.ledger.quote(*places[sentence], rank=ranks[places[sentence][0]])
        for claim in output.claims
        for sentence in claim.sentences
    }
    return Reasoned(
        draft=Draft(
            sentences=tuple(
                Sentence(
                    text=" ".join(claim.text.split()),
                    evidence=tuple(dict.fromkeys(quotes[sentence].id for sentence in claim.sentences)),
                )
                for claim in output.claims
            ),
            answer=output.answer,
            basis="model" if output.answer else None,
        ),
        evidence=tuple({quote.id: quote for quote in quotes.values()}.values()),
    )
