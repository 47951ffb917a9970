"""How well a rationale as a whole is supported: two published scores over the verdicts of its statements."""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Verdict
from medground.settings import VerifySettings
from medground.verify.judges import may_judge

_SUPPORTED = ("supported", "quoted")


def support_score(verdicts: Sequence[Verdict], settings: VerifySettings | None = None) -> float | None:
    """S: the share of supported statements, in 0..1 (Self-MedRAG, section 3.5).

    Supported are `supported` and `quoted` statements; a critic that failed supports nothing. None where there is no
    statement, and where one waits for a judge: `not judged`, or `related` in the word of a critic that is no judge.
    """
    trust = settings or VerifySettings()
    open_ = [
        v for v in verdicts if v.label == "not judged" or (v.label == "related" and not may_judge(v.critic, trust))
    ]
    if not verdicts or open_:
        return None
    return sum(v.label in _SUPPORTED for v in verdicts) / len(verdicts)


def faithfulness(verdicts: Sequence[Verdict]) -> float | None:
    """Faith(R): the share of statements with a CORRECT category, in 0..1 (Reason and Verify, Eq. 1).

    Any CORRECT category counts, CORRECT-MISSING too, as the paper defines it. A statement that was not labelled
    counts as not correct beside others that were; None where none was.
    """
    if all(v.category is None for v in verdicts):
        return None
    return sum((v.category or "").startswith("CORRECT") for v in verdicts) / len(verdicts)
