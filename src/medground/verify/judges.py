"""Which judges may call a statement supported or contradicted: those validated on held-out data, and those that the
user trusts by a setting. Validations are rows of `data/judges.json`, each with its data set, size and interval.

A network that ships with the package brings its own measurements (`models.pairs.shipped`), and must have passed more
of them: that on SciFact, at least two on other sets, and that on what a search finds if there is one. Those that it
failed are told wherever it says anything.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

from medground.models.pairs.shipped import Proof, shipped
from medground.settings import VerifySettings

SETS = 3
"""Data sets that a shipped critic must have passed."""


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
    if model in settings.trusted_judges or any(v.model == model and v.passes for v in validations()):
        return True
    passed = {proof.dataset for proof in _proofs(model) if proof.of == "claims"} - set(_failed(model))
    in_use = all(proof.passes for proof in _proofs(model) if proof.of == "search")
    return in_use and len(passed) >= SETS and any("scifact" in name.lower() for name in passed)


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
    judged = {proof.dataset for proof in _proofs(model) if proof.of != "questions"}
    failed = [name for name in _failed(model) if name in judged]
    return f"{one.card.domain} (no better than guessing on {' and '.join(failed)})" if failed else one.card.domain


def _failed(model: str) -> list[str]:
    """The sets on which it did not pass."""
    return [proof.dataset for proof in _proofs(model) if not proof.passes]


def _proofs(model: str) -> tuple[Proof, ...]:
    one = shipped().get(model)
    return one.card.proofs if one is not None and one.card.kind == "critic" else ()
