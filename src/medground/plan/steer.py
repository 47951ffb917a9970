"""The score that decides whether a loop searches again. Readers never see it.

Source: Self-MedRAG, section 3.5 (tau and S_i). The paper trusts its critic. Here only a validated judge can give the
verdict `supported`, so a loop with any other critic would never end early. The steering score therefore also accepts
judgements of critics that are not validated, and `related` from the critic without a model if it flagged no difference.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.verify.checked import Checked
from medground.verify.given import GIVEN


def holds(checked: Checked, tau: float) -> bool:
    """Whether a statement counts as supported for the loop; `tau` is the least probability of entailment."""
    found = checked.judgement
    if found is None:  # not judged: a quote, a stored relation, or no citation
        return checked.verdict.label in ("quoted", "supported")
    if found.relation == "related":
        return not checked.verdict.judged_by_model and not found.flags
    return found.relation == "entails" and (found.entailment is None or found.entailment >= tau)


def failed(checked: Checked) -> bool:
    """Whether the critic failed, so that the statement is neither supported nor unsupported."""
    return checked.verdict.label == "unverified"


def claims(checked: Checked) -> bool:
    """Whether a statement claims anything: one that only repeats the question's context does not."""
    return checked.verdict.label != GIVEN


def steering_score(statements: Sequence[Checked], tau: float) -> float | None:
    """`S_i`: share of statements that hold, 0 to 1. None if none claims anything or the critic failed on all."""
    statements = [statement for statement in statements if claims(statement)]
    if all(map(failed, statements)):
        return None
    return sum(holds(statement, tau) for statement in statements) / len(statements)
