"""Rewrite a question whose search found too little.

Source: Reason and Verify, section 3.1 (query rewriter) and Algorithm 1, lines 5 to 8.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.document import Hit, Passage
from medground.operators.rewriting import RewriteInput, rewrite
from medground.question import Question
from medground.recipes.settings.reason_and_verify import ReasonAndVerifySettings
from medground.run import Run
from medground.steps import RewriteTrigger
from medground.text import words


async def rewritten(question: Question, hits: Sequence[Hit], run: Run) -> str:
    """The question in the words of the literature (q'), or unchanged if there are no better words."""
    found = tuple(f"{hit.passage.title}\n{hit.passage.text}".strip() for hit in hits)
    output = await run.ask(rewrite, RewriteInput(question=question.text, found=found))
    return " ".join(output.question.split())


def finds_too_little(question: Question, evidence: Sequence[Hit], run: Run) -> bool:
    """Whether to rewrite the question: E contains too few of its words, or has a low score (lines 5 to 7)."""
    choices = run.settings.section(ReasonAndVerifySettings)
    if not choices.rewrite:
        return False
    shared = overlap(question.text, [hit.passage for hit in evidence])
    reranks = choices.rerank and choices.reranker != "none"
    score = evidence_score(evidence) if reranks else None  # no reranker, no score
    low = shared < choices.overlap or (score is not None and score < choices.evidence)
    with run.step(RewriteTrigger(overlap=shared, evidence=score, rewrite=low)):
        return low


def overlap(question: str, passages: Sequence[Passage]) -> float:
    """Overlap(q, E): share of the question's content words that occur in the passages and their titles, 0 to 1.

    Words are compared by stem, as in the index. A question with only stop words has an overlap of 1.
    """
    asked = frozenset(words.terms(question))
    found = {term for passage in passages for term in words.terms(f"{passage.title}\n{passage.text}")}
    return len(asked & found) / len(asked) if asked else 1.0


def evidence_score(hits: Sequence[Hit]) -> float:
    """EvidenceScore(q, E): the mean score of the passages by the reranker; 0 without passages."""
    return sum(hit.score for hit in hits) / len(hits) if hits else 0.0
