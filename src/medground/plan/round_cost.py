"""What a round of planning cost, and whether another one would still leave enough of the budget for the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.run import Run
from medground.usage import Usage


@dataclass(frozen=True)
class Cost:
    """What a round cost, or the run so far; `seconds` on the run's clock."""

    usage: Usage
    seconds: float

    @classmethod
    def so_far(cls, run: Run) -> Cost:
        """What the run has cost until now."""
        return cls(run.usage, run.seconds)

    def since(self, before: Cost) -> Cost:
        """What was spent after `before`; the price is unknown if either is."""
        used, earlier = self.usage, before.usage
        spent = None if used.price is None or earlier.price is None else used.price - earlier.price
        return Cost(
            Usage(
                input_tokens=used.input_tokens - earlier.input_tokens,
                output_tokens=used.output_tokens - earlier.output_tokens,
                model_calls=used.model_calls - earlier.model_calls,
                price=spent,
            ),
            self.seconds - before.seconds,
        )

    def short_of(self, run: Run, rounds: Sequence[Cost]) -> str:
        """The limit that another round as dear as the dearest so far would bring too near; empty if none.

        As much again as that round is left for the answer.
        """
        budget = run.settings.budget
        limits = (
            ("tokens", budget.tokens, self.usage.tokens, max(one.usage.tokens for one in rounds)),
            ("calls", budget.calls, self.usage.model_calls, max(one.usage.model_calls for one in rounds)),
            ("seconds", budget.seconds, self.seconds, max(one.seconds for one in rounds)),
            ("money", budget.money, self.usage.price, max(one.usage.price or 0 for one in rounds)),
        )
        for name, allowed, spent, dearest in limits:
            if allowed is not None and spent is not None and float(allowed) - float(spent) < 2 * float(dearest):
                return name
        return ""
