"""A checked statement: its verdict and the critic's judgement behind it, and how one follows from the other.

A judge that has not proved itself may take away, never give: its "entails" is told and is no label, its "contradicts"
is a flag with which no sentence is released.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from medground.answer import Assessed, Verdict
from medground.verify.critics.base import Judgement
from medground.verify.judges import NOT_VALIDATED

CONTRADICTION = "contradiction"
"""The flag of a statement that a judge which is not validated calls contradicted."""
INCORRECT = "incorrect"
"""The flag of a statement that a model labels as one of the four kinds of incorrect."""

_SAID = {
    "supported": "in line with the quote",
    "partly": "partly in line with the quote",
    "contradicted": "contradicted by the quote",
}
"""The word `supported` is kept for judges that have proved themselves."""


@dataclass(frozen=True)
class Checked:
    """A verdict with the judgement behind it.

    `judgement` is None if no critic was needed: the statement is a verbatim quote, was compared with a stored relation,
    or has no source at all.
    """

    verdict: Verdict
    judgement: Judgement | None = None


def verdict_of(found: Judgement, critic: str, *, validated: bool) -> Verdict:
    """The verdict that a critic's judgement comes to."""
    given: dict[str, Any] = {
        "critic": critic,
        "best": found.best,
        "flags": found.flags,
        "probability": found.probability,
        "note": found.note,
    }
    match found.relation:
        case "failed":
            return Verdict(label="unverified", critic=critic, note=found.note)
        case "unsure":
            return Verdict(label="not judged", critic=critic, best=found.best, note=found.note)
        case "neutral":
            return Verdict(label="not found", **given)
        case "related":
            return Verdict(label="related", **given)
    if not validated:
        return _assessed(found, given)
    if found.relation == "contradicts":
        return Verdict(label="contradicted", **given)
    return Verdict(label="partly" if found.flags else "supported", **given)


def _assessed(found: Judgement, given: dict[str, Any]) -> Verdict:
    """What a model says that is not a validated judge: told, but no label."""
    entailed = found.relation == "entails"
    assessed: Assessed = "contradicted" if not entailed else "partly" if found.flags else "supported"
    doubt = () if entailed else (CONTRADICTION,)  # not enough for a verdict, but worth a look
    note = "; ".join(filter(None, [f"assessed by {given['critic']} ({NOT_VALIDATED}): {_SAID[assessed]}", found.note]))
    changed = {"flags": (*found.flags, *doubt), "note": note}
    return Verdict(label="not judged", assessed=assessed, **(given | changed))
