"""Self-MedRAG: retrieve, answer, check; what nothing supports joins the query, and all begins again.

Source: `docs/recipes/self-medrag.md` sets each equation and algorithm line beside the function that is it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.answer import Answer
from medground.conclude.compose import compose, unanswered
from medground.conclude.finish import finish
from medground.document import Hit
from medground.errors import ConfigError, ModelFailed, SourceUnavailable
from medground.evidence import Evidence
from medground.operators.reasoning import PastRound
from medground.plan.revise import LoopQuery, Revision, first_query, revised
from medground.plan.steer import failed, holds, steering_score
from medground.question import Question
from medground.rank.fuse import fuse
from medground.rank.merge import merge_duplicates
from medground.read.standing import readable
from medground.run import Run
from medground.sources.base import Ranking
from medground.trace import Span
from medground.verify.check import check_each
from medground.verify.checked import Checked
from medground.verify.statements import statements
from medground.write.draft import Draft
from medground.write.reason import reasoned

DENSE = "dense"


@dataclass(frozen=True)
class _Round:
    """One element of the history: `Q_i`, `C_i`, `A_i` with `Rat_i`, and what the critic said of each statement."""

    query: LoopQuery
    context: tuple[Hit, ...]
    draft: Draft
    evidence: tuple[Evidence, ...]
    checked: tuple[Checked, ...]
    score: float | None
    unsupported: tuple[str, ...]


async def self_medrag(question: Question, run: Run) -> Answer:
    """Answer a question.

    Raises:
        SourceUnavailable: no source could be searched in the first round.
        ModelFailed: a model gave no usable output in the first round.
        ConfigError: `self_medrag.retrieval` is `dense`, and no source has vectors.
        BudgetExhausted: a limit of the run was reached.
    """
    history = await _rounds(question, run)
    if not history:
        return compose(run, unanswered(""))
    best = max(history, key=lambda past: -1.0 if past.score is None else past.score)  # the earliest of equals
    with run.trace.span("best round", number=history.index(best) + 1, rounds=len(history)):
        verdicts = [checked.verdict for checked in best.checked]
        return await finish(question, best.draft, best.evidence, run, verdicts=verdicts)


async def _rounds(question: Question, run: Run) -> list[_Round]:
    """Algorithm 1. Where a later round fails, those before it are the history."""
    settings = run.settings.self_medrag
    history: list[_Round] = []
    query = first_query(question)  # Q_0
    try:
        while len(history) < (settings.rounds if settings.critic else 1):
            with run.trace.span("round", number=len(history) + 1) as span:
                context = await _context(question, query, run, span)  # C_i = R(Q_i)
                if not context:
                    span.set(ended="nothing found")
                    break
                this = await _answer(question, query, context, history, run)  # (A_i, Rat_i) = G(Q_i, C_i, H), S_i, U_i
                history.append(this)  # H = H u {(Q_i, C_i, A_i, Rat_i)}
                revision = revised(question, query, this.unsupported, settings.drift)  # Q_{i+1} = Q_i u U_i
                _note(span, this, revision)
                if ended := _enough(this, revision, run.settings.verify.support):  # S_i >= theta
                    span.set(ended=ended)
                    break
                query = revision.query
    except (ModelFailed, SourceUnavailable) as error:
        if not history:
            raise
        run.warn(f"round {len(history) + 1} failed, so an earlier one is shown: {error}")
    return history


def _enough(this: _Round, revision: Revision, theta: float) -> str | None:
    """Why the loop ends after a round. Queries only grow, so one that repeats is the one before."""
    if this.score is None:
        return "nothing to judge"
    if this.score >= theta:
        return "supported"
    return "query repeats" if revision.query.key == this.query.key else None


def _note(span: Span, this: _Round, revision: Revision) -> None:
    span.set(answer=this.draft.answer, statements=len(this.checked), drifted=len(revision.drifted))
    if this.score is not None:
        span.set(steering_score=this.score)
    span.text(unsupported=this.unsupported, drifted=revision.drifted)


async def _answer(
    question: Question, query: LoopQuery, context: Sequence[Hit], history: Sequence[_Round], run: Run
) -> _Round:
    """Answer and rationale from one context, and how much of the rationale the critic finds in it."""
    written = await reasoned(question, context, run, history=[_past(past) for past in history])
    parts = statements(written.draft.sentences, written.evidence)
    checked = await check_each(parts, run, context=context)
    tau = run.settings.verify.entailment
    return _Round(
        query=query,
        context=tuple(context),
        draft=written.draft,
        evidence=written.evidence,
        checked=tuple(checked),
        score=steering_score(checked, tau),  # S_i = SR(Rat_i, C_i)
        unsupported=tuple(  # U_i
            part.text for part, said in zip(parts, checked, strict=True) if not holds(said, tau) and not failed(said)
        ),
    )


async def _context(question: Question, query: LoopQuery, run: Run, span: Span) -> list[Hit]:
    """`C_i`: the first passages of BM25 and dense ranks, fused (Eq. 1). Retracted papers are never among them."""
    found = await run.search(query.tree(question), text=query.text)
    rankings = _chosen([ranking for result in found for ranking in result.rankings], run)
    standing = await readable(fuse(rankings, k=run.settings.retrieval.fusion_k), run)
    context = list(merge_duplicates(standing)[: run.settings.self_medrag.passages])
    span.text(query=query.text)
    span.set(
        documents=list(dict.fromkeys(hit.passage.document_id for hit in context)),
        passages=[hit.passage.key for hit in context],
    )
    return context


def _chosen(rankings: Sequence[Ranking], run: Run) -> list[Ranking]:
    mode = run.settings.self_medrag.retrieval
    if mode == "hybrid":
        return list(rankings)
    chosen = [r for r in rankings if (bool(r) and r[0].ranker == DENSE) == (mode == DENSE)]
    if mode == DENSE and any(rankings) and not chosen:
        raise ConfigError(
            "self_medrag.retrieval is dense, and no source has vectors; build the corpus with --embed, or use bm25"
        )
    return chosen


def _past(past: _Round) -> PastRound:
    return PastRound(
        query=past.query.text,
        rationale=" ".join(sentence.text for sentence in past.draft.sentences),
        answer=past.draft.answer,
        unsupported=past.unsupported,
    )
