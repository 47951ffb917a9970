"""What steers a loop over unsupported statements. It decides whether to search again, and nothing that a reader sees.

Source: Self-MedRAG, section 3.5 (tau and S_i). The paper believes its critic. Here a verdict `supported` is the word of
a proven judge only, so a loop under any other critic would never end early. The steering score takes an unproven critic
at its word, and one without a model at `related` where no difference was flagged.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.verify.checked import Checked


def holds(checked: Checked, tau: float) -> bool:
    """Whether a statement counts as supported for the loop alone; `tau` is the least probability of entailment."""
    found = checked.judgement
    if found is None:  # no critic was needed: the source's own words, a stored relation, or no source at all
        return checked.verdict.label in ("quoted", "supported")
    if found.relation == "related":
        return not checked.verdict.judged_by_model and not found.flags
    return found.relation == "entails" and (found.entailment is None or found.entailment >= tau)


def failed(checked: Checked) -> bool:
    """Whether the critic gave nothing: the statement is then neither supported nor known to be unsupported."""
    return checked.verdict.label == "unverified"


def steering_score(statements: Sequence[Checked], tau: float) -> float | None:
    """`S_i`: share of statements that hold, 0 to 1. None without a statement, or where the critic failed on all."""
    if all(map(failed, statements)):
        return None
    return sum(holds(statement, tau) for statement in statements) / len(statements)
