"""Rewrite a question whose search found too little.

Source: Reason and Verify, section 3.1 (query rewriter) and Algorithm 1, lines 5 to 8.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.document import Hit
from medground.operators.rewriting import RewriteInput, rewrite
from medground.question import Question
from medground.rank.calibrate import evidence_score, overlap
from medground.recipes.settings.reason_and_verify import ReasonAndVerifySettings
from medground.run import Run
from medground.steps import RewriteTrigger


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
    score = evidence_score(choices.reranker, evidence) if choices.rerank else None  # no reranker, no score
    low = shared < choices.overlap or (score is not None and score < choices.evidence)
    with run.step(RewriteTrigger(overlap=shared, evidence=score, rewrite=low)):
        return low
