"""The cost of a question, absolute and relative to the model-only recipe.

Source: PubMed Reasoner, section 4.1, appendix B and Table 3: input tokens, output tokens, model calls, search calls,
with tokens as ratios to the model alone. Seconds and money are our additions.
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
        model_calls: calls that the recipe needs, including those answered from the cache.
        cached_calls: calls answered from the cache. If there are any, tokens, seconds and money are too low.
        money: US dollars; None if a price is unknown.
    """

    input_tokens: float
    output_tokens: float
    model_calls: float
    cached_calls: float
    searches: float
    seconds: float
    money: float | None


def mean_cost(usages: Iterable[UsageReport]) -> Cost:
    """The mean cost of a question, including failed ones; all 0, and money None, if there are no questions."""
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
    """The ratio to `base` for each field; None if the base costs nothing or a price is unknown."""
    ratios: dict[str, float | None] = {}
    for field in fields(Cost):
        of, to = getattr(cost, field.name), getattr(base, field.name)
        ratios[field.name] = of / to if of is not None and to else None
    return ratios
