"""Which judges may call a statement supported or contradicted: those validated on held-out data, and those that the
user trusts by a setting. Validations are rows of `data/judges.json`, each with its data set, size and interval."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

from medground.settings import VerifySettings


@dataclass(frozen=True)
class Validation:
    """A measurement on held-out pairs: accuracy on SUPPORT against CONTRADICT with its 95 % Wilson interval."""

    model: str
    dataset: str
    pairs: int
    accuracy: float
    low: float
    high: float
    majority: float

    @property
    def passes(self) -> bool:
        """Whether the whole interval is above the share of the majority class."""
        return self.low > self.majority


@cache
def validations() -> tuple[Validation, ...]:
    """The validations that ship with the package."""
    rows = json.loads((resources.files("medground") / "data" / "judges.json").read_text(encoding="utf-8"))
    return tuple(Validation(**row) for row in rows)


def may_judge(model: str, settings: VerifySettings) -> bool:
    """Whether this model is a validated judge or trusted by the settings."""
    return model in settings.trusted_judges or any(v.model == model and v.passes for v in validations())
