"""What is left of a question's budget."""

from __future__ import annotations

from decimal import Decimal

from medground.errors import BudgetExhausted
from medground.home.settings_groups import BudgetSettings
from medground.models.base import CallLimits
from medground.values.usage import Usage


def remaining(budget: BudgetSettings, used: Usage, seconds: float) -> CallLimits:
    """What one more call may spend.

    Raises:
        BudgetExhausted: nothing is left.
    """
    for limit, allowed, spent in _limits(budget, used, seconds):
        if allowed is not None and spent > allowed:
            raise BudgetExhausted(limit, spent=_shown(spent), allowed=str(allowed))
    return CallLimits(
        tokens=None if budget.tokens is None else budget.tokens - used.tokens,
        calls=None if budget.calls is None else budget.calls - used.model_calls,
        seconds=None if budget.seconds is None else budget.seconds - seconds,
    )


def of_question(reached: BudgetExhausted, budget: BudgetSettings, used: Usage, seconds: float) -> BudgetExhausted:
    """Restate a limit that one call reached in the figures of the whole question."""
    for limit, allowed, spent in _limits(budget, used, seconds):
        if limit == reached.limit and allowed is not None:
            return BudgetExhausted(limit, spent=_shown(spent), allowed=str(allowed), usage=reached.usage)
    return reached


_Limit = tuple[str, float | Decimal | None, float | Decimal]


def _limits(budget: BudgetSettings, used: Usage, seconds: float) -> list[_Limit]:
    return [
        ("tokens", budget.tokens, used.tokens),
        ("calls", budget.calls, used.model_calls),
        ("seconds", budget.seconds, seconds),
        # An unknown price cannot be checked against a limit, so it counts as reaching it.
        ("money", budget.money, Decimal("Infinity") if used.price is None else used.price),
    ]


def _shown(spent: float | Decimal) -> str:
    if isinstance(spent, Decimal) and spent.is_infinite():
        return "unknown"
    return f"{spent:.1f}" if isinstance(spent, float) else str(spent)
