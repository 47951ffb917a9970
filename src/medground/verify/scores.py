"""How well a rationale as a whole is supported: two published scores over the verdicts of its statements.

Both scores need a judge. A verbatim quote supports itself, which says nothing about the question, so a rationale made
of quotes has no score until a validated judge has assessed it.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Verdict
from medground.settings import VerifySettings
from medground.verify.given import GIVEN
from medground.verify.judges import may_judge

_GRAPH = "graph"


def support_score(verdicts: Sequence[Verdict], settings: VerifySettings | None = None) -> float | None:
    """S: the share of supported statements, from 0 to 1 (Self-MedRAG, section 3.5).

    `supported` statements count, and `quoted` ones that report a finding; a statement on which the critic failed does
    not. The score is None if no statement was assessed by a validated judge or a stored relation, or if one still needs
    a judge: it is `not judged`, or `related` according to a critic that is not a validated judge.
    """
    trust = settings or VerifySettings()
    verdicts = _claimed(verdicts)
    judged = [v for v in verdicts if v.label != "unverified" and (v.critic == _GRAPH or may_judge(v.critic, trust))]
    waiting = [
        v for v in verdicts if v.label == "not judged" or (v.label == "related" and not may_judge(v.critic, trust))
    ]
    if not judged or waiting:
        return None
    return sum(_supported(v) for v in verdicts) / len(verdicts)


def quoted_share(verdicts: Sequence[Verdict]) -> float | None:
    """The share of statements that are verbatim quotes, from 0 to 1; None if there are no statements.

    It says where the words come from, not whether they answer the question.
    """
    return sum(v.label == "quoted" for v in verdicts) / len(verdicts) if verdicts else None


def faithfulness(verdicts: Sequence[Verdict]) -> float | None:
    """Faith(R): the share of statements with a CORRECT category, from 0 to 1 (Reason and Verify, Eq. 1).

    Every CORRECT category counts, including CORRECT-MISSING, as in the paper. A statement without a label counts as not
    correct. The score is None if only word statistics gave labels.
    """
    verdicts = _claimed(verdicts)
    if not any(v.category is not None and (v.labelled_by_model or v.critic == _GRAPH) for v in verdicts):
        return None
    return sum((v.category or "").startswith("CORRECT") for v in verdicts) / len(verdicts)


def _claimed(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts of statements that claim something, which one that only repeats the question's context does not."""
    return [verdict for verdict in verdicts if verdict.label != GIVEN]


def _supported(verdict: Verdict) -> bool:
    return verdict.label == "supported" or (verdict.label == "quoted" and not verdict.flags)
