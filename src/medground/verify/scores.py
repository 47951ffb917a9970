"""How well a rationale as a whole is supported: two published scores over the verdicts of its statements.

Both scores are somebody's word. What is a source's own words supports itself and says nothing about the question, so
a rationale of quotes has no score until somebody able has judged.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Verdict
from medground.settings import VerifySettings
from medground.verify.judges import may_judge

_GRAPH = "graph"


def support_score(verdicts: Sequence[Verdict], settings: VerifySettings | None = None) -> float | None:
    """S: the share of supported statements, in 0..1 (Self-MedRAG, section 3.5).

    Supported are `supported` statements, and `quoted` ones that state something; a statement on which the critic failed
    is not. None where no proven judge and no stored relation has judged any statement, and where one waits for a
    judge: `not judged`, or `related` in the word of a critic that is no judge.
    """
    trust = settings or VerifySettings()
    judged = [v for v in verdicts if v.label != "unverified" and (v.critic == _GRAPH or may_judge(v.critic, trust))]
    waiting = [
        v for v in verdicts if v.label == "not judged" or (v.label == "related" and not may_judge(v.critic, trust))
    ]
    if not judged or waiting:
        return None
    return sum(_supported(v) for v in verdicts) / len(verdicts)


def quoted_share(verdicts: Sequence[Verdict]) -> float | None:
    """The share of statements that are a source's own words, in 0..1; None where there is no statement.

    It tells where words come from, not that they answer anything.
    """
    return sum(v.label == "quoted" for v in verdicts) / len(verdicts) if verdicts else None


def faithfulness(verdicts: Sequence[Verdict]) -> float | None:
    """Faith(R): the share of statements with a CORRECT category, in 0..1 (Reason and Verify, Eq. 1).

    Any CORRECT category counts, CORRECT-MISSING too, as the paper defines it. A statement that was not labelled
    counts as not correct beside others that were; None where nobody but words labelled any.
    """
    if not any(v.category is not None and (v.labelled_by_model or v.critic == _GRAPH) for v in verdicts):
        return None
    return sum((v.category or "").startswith("CORRECT") for v in verdicts) / len(verdicts)


def _supported(verdict: Verdict) -> bool:
    return verdict.label == "supported" or (verdict.label == "quoted" and not verdict.flags)
