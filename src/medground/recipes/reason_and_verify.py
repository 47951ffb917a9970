"""Reason and Verify: BM25, reranking, rewriting where too little was found, a cited rationale, and its verification.

Source: `docs/recipes/reason-and-verify.md` sets each line of Algorithm 1 beside the function that is it.
"""

from __future__ import annotations

from medground.answer import Answer
from medground.conclude.compose import compose, unanswered
from medground.conclude.finish import finish
from medground.document import Hit
from medground.plan.question import words_query
from medground.plan.rewrite import rewritten
from medground.question import Question
from medground.rank.calibrate import evidence_score, overlap
from medground.rank.fuse import fuse
from medground.rank.merge import merge_duplicates
from medground.rank.rerank import rerank_with
from medground.read.standing import readable
from medground.run import Run
from medground.train.demonstrations.shots import open_shots
from medground.verify.check import check_all
from medground.verify.statements import statements
from medground.write.reason import Reasoned, answered, reasoned

_DENSE = "dense"


async def reason_and_verify(question: Question, run: Run) -> Answer:
    """Answer a question (Algorithm 1).

    Raises:
        ConfigError: the reranker or the pool of demonstrations cannot be used.
        SourceUnavailable: no source could be searched.
        ModelFailed: a model gave no usable output.
        BudgetExhausted: a limit of the run was reached.
    """
    shots = await open_shots(run)  # before anything is paid for
    evidence = await find_evidence(question, run)  # lines 3 to 11
    if not evidence:
        return compose(
            run, unanswered("answer unavailable: no source that was searched has a passage on this question")
        )
    if run.settings.reason_and_verify.rationale:
        shown = await shots.choose(question, evidence)
        rationale = await reasoned(question, evidence, run, demonstrations=shown)  # line 12
    else:
        rationale = await answered(question, evidence, run)
    return await _verified(question, evidence, rationale, run)  # lines 13 and 14


async def find_evidence(question: Question, run: Run) -> list[Hit]:
    """The passages of evidence E, best first: retrieved, reranked, and again for a better question where needed.

    Raises:
        ConfigError: the reranker cannot be opened.
        SourceUnavailable: no source could be searched.
        ModelFailed: the model that rewrites gave no usable output.
    """
    evidence = await _retrieve_and_rerank(question.text, question, run)  # lines 3 and 4
    if not _too_little(question, evidence, run):  # lines 5 to 7
        return evidence
    better = await rewritten(question, evidence, run)  # line 8
    if better == question.text:
        return evidence
    # Lines 9 and 10. Of nothing nothing can be said, so a question that finds nothing does not replace one that does.
    return await _retrieve_and_rerank(better, question, run) or evidence


async def _retrieve_and_rerank(text: str, question: Question, run: Run) -> list[Hit]:
    """BM25's first k passages for these words, of which the reranker's best m are left. Retracted papers are none."""
    choices = run.settings.reason_and_verify
    asked = question.model_copy(update={"text": text})
    found = await run.search(words_query(asked), text=text)
    by_words = [r for result in found for r in result.rankings if r and r[0].ranker != _DENSE]
    fused = fuse(by_words, k=run.settings.retrieval.fusion_k)  # one source: its own order
    candidates = merge_duplicates(await readable(fused, run))[: choices.candidates]
    return await rerank_with(choices.reranker if choices.rerank else "none", text, candidates, choices.passages, run)


def _too_little(question: Question, evidence: list[Hit], run: Run) -> bool:
    """Whether the question is to be rewritten: too few of its words in E, or a low score of E."""
    choices = run.settings.reason_and_verify
    if not choices.rewrite:
        return False
    shared = overlap(question.text, [hit.passage for hit in evidence])
    score = evidence_score(choices.reranker, evidence) if choices.rerank else None  # no reranker, no score
    low = shared < choices.overlap or (score is not None and score < choices.evidence)
    with run.trace.span("rewrite trigger", overlap=shared, rewrite=low) as span:
        if score is not None:
            span.set(evidence=score)
    return low


async def _verified(question: Question, evidence: list[Hit], rationale: Reasoned, run: Run) -> Answer:
    """Each statement of the rationale against the passages of E (CONTEXT-j: the first j); without one, no answer."""
    if not rationale.draft.sentences:
        return compose(
            run, unanswered(rationale.draft.reason or "answer unavailable: no passage states anything on it")
        )
    parts = statements(rationale.draft.sentences, rationale.evidence)
    verdicts = await check_all(parts, run, context=evidence)
    draft = rationale.draft.model_copy(update={"sentences": parts})
    return await finish(question, draft, rationale.evidence, run, verdicts=verdicts)
