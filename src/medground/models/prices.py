"""List prices of hosted models, as far as they are known, to tell what work will cost before it is done."""

from __future__ import annotations

from decimal import Decimal


def list_price(name: str, input_tokens: int, output_tokens: int) -> Decimal | None:
    """The list price in US dollars of a model named `PROVIDER:MODEL`; None if it is not known, never 0."""
    try:
        from genai_prices import Usage, calc_price
    except ImportError:  # the extra `models` brings it
        return None
    provider, _, model = name.partition(":")
    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    try:
        return calc_price(usage, model_ref=model, provider_id=provider).total_price
    except (LookupError, ValueError):
        return None
