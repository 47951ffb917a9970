"""Which judges may call a statement supported or contradicted: those validated on held-out data, and those that the
user trusts by a setting.

One gate for all (`proven`): a judge must have passed on SciFact and on at least two other sets, and wherever it was
measured on what a search finds, on how often its "supported" is right, or on texts that decide nothing. The
measurements of a network that ships with the package are in its card (`models.pairs.shipped`), those of other models in
`data/judges.json` or, made on this machine by `medground judge measure`, in the user's folder (`verify.measured`,
through `verify.measured_judges`). The sets that a shipped network failed are told wherever it says anything.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources

from medground.home.settings_groups import VerifySettings
from medground.models.catalogue import Proof, shipped
from medground.values.usage import Author

SETS = 3
"""Data sets that a judge must have passed."""

NOT_VALIDATED = "not validated here"
"""What is said of a judge that is neither proven on this machine nor trusted by the settings."""


class Validation(Proof):
    """A measurement of a model that does not ship, on held-out pairs: accuracy on SUPPORT against CONTRADICT."""

    model: str


@cache
def validations() -> tuple[Validation, ...]:
    """The validations that ship with the package."""
    rows = json.loads((resources.files("medground") / "data" / "judges.json").read_text(encoding="utf-8"))
    return tuple(Validation(**row) for row in rows)


def may_judge(model: str, settings: VerifySettings) -> bool:
    """Whether this model is a validated judge or trusted by the settings."""
    return model in (*settings.trusted_judges, *settings.measured_judges) or proven(_proofs(model))


def how_to_validate(model: str) -> str:
    """What a user does to make this model a validated judge, as the end of a sentence."""
    if model.startswith("nli:"):
        return f"to trust it, set verify.trusted_judges to {model}"
    return f"to validate it, run: medground judge measure {model} --data FOLDER"


def proven(proofs: Sequence[Proof]) -> bool:
    """Whether these measurements make a judge."""
    passed = {proof.dataset for proof in proofs if proof.of == "claims"} - set(failed(proofs))
    in_use = all(proof.passes for proof in proofs if proof.of in ("search", "supported", "neutral"))
    return in_use and len(passed) >= SETS and any("scifact" in name.lower() for name in passed)


def failed(proofs: Sequence[Proof]) -> list[str]:
    """The sets on which a judge did not pass."""
    return [proof.dataset for proof in proofs if not proof.passes]


def may_decide(model: str, settings: VerifySettings) -> bool:
    """Whether this model may answer a question by judging it as a statement: measured on questions, or trusted."""
    if model in settings.trusted_judges:
        return True
    asked = [proof for proof in _proofs(model) if proof.of == "questions"]
    return may_judge(model, settings) and bool(asked) and all(proof.passes for proof in asked)


def domain(model: str) -> str:
    """What a shipped judge was measured on, in words, and where it failed; empty for any other."""
    one = shipped().get(model)
    if one is None:
        return ""
    proofs = _proofs(model)
    judged = {proof.dataset for proof in proofs if proof.of != "questions"}
    not_passed = [name for name in failed(proofs) if name in judged]
    aside = f" (no better than guessing on {' and '.join(not_passed)})" if not_passed else ""
    return f"{one.card.domain}{aside}"


def _proofs(model: str) -> tuple[Proof, ...]:
    one = shipped().get(model)
    if one is not None:
        return one.card.proofs
    return tuple(row for row in validations() if row.model == model)


_LIMITED = ("local", "nli")


def has_last_word(judge: str, settings: VerifySettings) -> bool:
    """Whether this judge decides over a word filter."""
    if judge in settings.trusted_judges:
        return True
    if not Author(judge).is_model or judge in (*shipped(), *settings.unproven_judges):
        return False
    return judge.partition(":")[0] not in _LIMITED or may_judge(judge, settings)
