"""Who may say supported or contradicted: only a judge that proved itself on data it never saw, or one that the user
trusts by a setting. The measured ones are rows of `data/judges.json`; a row names data set, size and interval."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

from medground.settings import VerifySettings


@dataclass(frozen=True)
class Proof:
    """A measurement on held-out pairs: SUPPORT against CONTRADICT accuracy with its 95 % Wilson interval."""

    model: str
    dataset: str
    pairs: int
    accuracy: float
    low: float
    high: float
    majority: float

    @property
    def passes(self) -> bool:
        """Whether the whole interval lies above the majority class."""
        return self.low > self.majority


@cache
def proofs() -> tuple[Proof, ...]:
    """The measurements that ship with the package."""
    rows = json.loads((resources.files("medground") / "data" / "judges.json").read_text(encoding="utf-8"))
    return tuple(Proof(**row) for row in rows)


def may_judge(model: str, settings: VerifySettings) -> bool:
    """Whether this model's verdicts count."""
    return model in settings.trusted_judges or any(p.model == model and p.passes for p in proofs())
