"""Self-MedRAG: retrieve, answer, check; what nothing supports joins the query, and all begins again.

Source: `docs/recipes/self-medrag.md` sets each equation and algorithm line beside the function that is it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.answer import Answer
from medground.document import Hit
from medground.errors import ConfigError, ModelFailed, SourceUnavailable
from medground.evidence import Evidence
from medground.operators.reasoning import PastRound
from medground.plan.revise import LoopQuery, first_query, revised
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
from medground.write.compose import compose, unanswered
from medground.write.draft import Draft
from medground.write.finish import finish
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
    settings = run.settings.self_medrag
    history: list[_Round] = []
    query: LoopQuery | None = first_query(question)  # Q_0
    while query is not None and len(history) < (settings.rounds if settings.critic else 1):
        try:
            query = await _round(question, query, history, run)
        except (ModelFailed, SourceUnavailable) as error:
            if not history:
                raise
            run.warn(f"round {len(history) + 1} failed, so an earlier one is shown: {error}")
            break
    if not history:
        return compose(run, unanswered(""))
    best = max(history, key=lambda past: -1.0 if past.score is None else past.score)  # the earliest of equals
    with run.trace.span("best round", number=history.index(best) + 1, rounds=len(history)):
        verdicts = [checked.verdict for checked in best.checked]
        return await finish(question, best.draft, best.evidence, run, verdicts=verdicts)


async def _round(question: Question, query: LoopQuery, history: list[_Round], run: Run) -> LoopQuery | None:
    """One turn of Algorithm 1, which enters the history; the next query, or None when the loop ends."""
    with run.trace.span("round", number=len(history) + 1) as span:
        span.text(query=query.text)
        context = await _context(question, query, run)  # C_i = R(Q_i)
        span.set(
            documents=list(dict.fromkeys(hit.passage.document_id for hit in context)),
            passages=[hit.passage.key for hit in context],
        )
        if not context or _keys(context) in [_keys(past.context) for past in history]:
            span.set(ended="nothing found" if not context else "context repeats")
            return None
        this = await _answer(question, query, context, history, run)
        history.append(this)  # H = H u {(Q_i, C_i, A_i, Rat_i)}
        span.set(
            answer=this.draft.answer,
            statements=len(this.checked),
            **({} if this.score is None else {"steering_score": this.score}),
        )
        span.text(unsupported=this.unsupported)
        return _next(question, this, run, span)


async def _answer(
    question: Question, query: LoopQuery, context: Sequence[Hit], history: Sequence[_Round], run: Run
) -> _Round:
    """Answer and rationale from one context, and how much of the rationale the critic finds in it."""
    written = await reasoned(question, context, run, history=[_past(past) for past in history])  # (A_i, Rat_i)
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


def _next(question: Question, this: _Round, run: Run, span: Span) -> LoopQuery | None:
    """`Q_{i+1}`, or None: the rationale is supported (S_i >= theta), or the query would repeat itself."""
    if this.score is None:
        span.set(ended="nothing to judge")
        return None
    if this.score >= run.settings.verify.support:
        span.set(ended="supported")
        return None
    revision = revised(question, this.query, this.unsupported, run.settings.self_medrag.drift)
    span.text(drifted=revision.drifted)
    span.set(drifted=len(revision.drifted))
    if revision.query.key == this.query.key:  # queries only grow, so one that repeats is the one before
        span.set(ended="query repeats")
        return None
    return revision.query


async def _context(question: Question, query: LoopQuery, run: Run) -> list[Hit]:
    """`C_i`: the first passages of BM25 and dense ranks, fused (Eq. 1). Retracted papers are never among them."""
    found = await run.search(query.tree(question), text=query.text)
    rankings = _chosen([ranking for result in found for ranking in result.rankings], run)
    standing = await readable(fuse(rankings, k=run.settings.retrieval.fusion_k), run)
    return list(merge_duplicates(standing)[: run.settings.self_medrag.passages])


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


def _keys(context: Sequence[Hit]) -> frozenset[str]:
    return frozenset(hit.passage.key for hit in context)


def _past(past: _Round) -> PastRound:
    return PastRound(
        query=past.query.text,
        rationale=" ".join(sentence.text for sentence in past.draft.sentences),
        answer=past.draft.answer,
        unsupported=past.unsupported,
    )
