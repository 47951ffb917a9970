"""What a question costs, absolute and beside the model-only recipe.

Source: PubMed Reasoner, section 4.1, appendix B and Table 3: input tokens, output tokens, model calls, search calls;
tokens there are ratios to the direct model. Seconds and money are ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from medground.usage import UsageReport

MODEL_ONLY = "model-only"


@dataclass(frozen=True)
class Cost:
    """Means per question.

    Attributes:
        model_calls: calls that were made, with those that the cache answered: what the recipe needs.
        cached_calls: those that the cache answered. Where there are some, tokens, seconds and money are too low.
        money: US dollars; None where a price is unknown.
    """

    input_tokens: float
    output_tokens: float
    model_calls: float
    cached_calls: float
    searches: float
    seconds: float
    money: float | None


def mean_cost(usages: Iterable[UsageReport]) -> Cost:
    """The mean cost of a question, of failed ones too; all 0, and money None, where there is none."""
    used = list(usages)
    count = max(len(used), 1)
    prices = [usage.price for usage in used if usage.price is not None]
    return Cost(
        input_tokens=sum(usage.input_tokens for usage in used) / count,
        output_tokens=sum(usage.output_tokens for usage in used) / count,
        model_calls=sum(usage.model_calls + usage.cached_calls for usage in used) / count,
        cached_calls=sum(usage.cached_calls for usage in used) / count,
        searches=sum(usage.searches for usage in used) / count,
        seconds=sum(usage.seconds for usage in used) / count,
        money=float(sum(prices)) / count if len(prices) == count else None,
    )


def cost_ratio(cost: Cost, base: Cost) -> dict[str, float | None]:
    """By field, how many times as much as `base`; None where the base costs nothing or a price is unknown."""
    ratios: dict[str, float | None] = {}
    for field in fields(Cost):
        of, to = getattr(cost, field.name), getattr(base, field.name)
        ratios[field.name] = of / to if of is not None and to else None
    return ratios
