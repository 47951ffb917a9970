"""What a run may do: what its recipe declares, names and operators but no code, and what is left of its budget."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from medground.errors import BudgetExhausted
from medground.home.settings import Settings
from medground.home.settings_groups import BudgetSettings, SettingsSection
from medground.models.base import CallLimits
from medground.models.operators.base import Operator
from medground.values.usage import Usage


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """The part of a recipe that is not its algorithm.

    Attributes:
        name: as users write it, with hyphens.
        operators: every operator that it may ask; asking another is an error.
        writers: the operators that write an answer. If there are several, a run asks one of them.
        reader: the operator that extracts quotes and gives each a stance, or None.
        settings: its own section of the settings, or None. Recipes may share a section.
        steered_by_verdicts: whether its algorithm reads the verdicts on its own statements, as a loop does.
        needs_evidence: whether an answer must cite evidence. False for a model that answers from memory.
        researches: whether it follows a plan of research. A question may then bring one, and what its lookups found is
            kept until there is an answer, so that a run that was killed can be gone on with.
    """

    name: str
    operators: tuple[Operator[Any, Any], ...]
    writers: tuple[Operator[Any, Any], ...] = ()
    reader: Operator[Any, Any] | None = None
    settings: type[SettingsSection] | None = None
    steered_by_verdicts: Callable[[Settings], bool] = lambda settings: False
    needs_evidence: bool = True
    researches: bool = False


def remaining(budget: BudgetSettings, used: Usage, seconds: float) -> CallLimits:
    """What one more call may spend. Raises BudgetExhausted: nothing is left."""
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
