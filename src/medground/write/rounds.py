"""One round of a loop that answers, checks its own answer and searches again.

Source: Self-MedRAG, Algorithm 1: the history `H` of queries, contexts, answers and rationales.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.document import Hit
from medground.evidence import Evidence
from medground.operators.reasoning import PastRound, reason
from medground.plan.revise import LoopQuery, Revision
from medground.plan.steer import claims, failed, holds, steering_score
from medground.question import Question
from medground.run import Run
from medground.steps import RoundEnded
from medground.trace import Span
from medground.verify.check import check_each
from medground.verify.checked import Checked
from medground.verify.statements import statements
from medground.write.draft import Draft
from medground.write.reason import reasoned


@dataclass(frozen=True)
class Round:
    """One element of the history: `Q_i`, `C_i`, `A_i` with `Rat_i`, and the critic's judgement of each statement.

    `abstains`: a language model read the context and gave no answer. Word statistics never do, so they never abstain.
    """

    query: LoopQuery
    context: tuple[Hit, ...]
    draft: Draft
    evidence: tuple[Evidence, ...]
    checked: tuple[Checked, ...]
    score: float | None
    unsupported: tuple[str, ...]
    abstains: bool = False


async def answer_round(
    question: Question,
    query: LoopQuery,
    context: Sequence[Hit],
    history: Sequence[Round],
    run: Run,
    *,
    contexts: bool,
) -> Round:
    """`(A_i, Rat_i) = G(Q_i, C_i, H)`, and the share of the rationale that the critic finds in the context.

    With `contexts` the generator sees the passages of earlier rounds too.
    """
    written = await reasoned(question, context, run, history=[_past(past, contexts=contexts) for past in history])
    parts = statements(written.draft.sentences, written.evidence)
    checked = await check_each(parts, run, context=context)
    tau = run.settings.verify.entailment
    return Round(
        query=query,
        context=tuple(context),
        draft=written.draft,
        evidence=written.evidence,
        checked=tuple(checked),
        score=steering_score(checked, tau),  # S_i = SR(Rat_i, C_i)
        unsupported=tuple(  # U_i
            part.text
            for part, one in zip(parts, checked, strict=True)
            if claims(one) and not holds(one, tau) and not failed(one)
        ),
        abstains=not written.draft.answer and run.answerer(reason).is_model,
    )


def note_round(span: Span, this: Round, revision: Revision, run: Run) -> None:
    """Record the result of a round in the trace, and which statements were left out of the next query."""
    run.end(
        span,
        RoundEnded(
            answer=this.draft.answer,
            steering_score=this.score,
            statements=len(this.checked),
            drifted=len(revision.drifted),
        ),
    )
    span.text(unsupported=this.unsupported, drifted=revision.drifted)


def _past(past: Round, *, contexts: bool) -> PastRound:
    return PastRound(
        query=past.query.text,
        passages=tuple(f"{hit.passage.title}\n{hit.passage.text}".strip() for hit in past.context) if contexts else (),
        rationale=" ".join(sentence.text for sentence in past.draft.sentences),
        answer=past.draft.answer,
        unsupported=past.unsupported,
    )
