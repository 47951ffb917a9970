"""What a measurement will cost: calls, tokens and, where the list price is known, dollars."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from medground.evaluate.proving.measure import claim_of
from medground.evaluate.proving.pairs import LabelledPair
from medground.models.open import own_address
from medground.models.prices import list_price
from medground.operators.verifying import EntailInput, entail
from medground.settings import Settings

_CHARACTERS = 4
"""Characters of a token, roughly, in English."""
_REPLY = 40
"""Tokens of a reply; what a model thinks before it is not counted."""


@dataclass(frozen=True)
class Estimate:
    """The expected cost. `price` is in US dollars; None means unknown."""

    calls: int
    input_tokens: int
    output_tokens: int
    price: Decimal | None

    def __str__(self) -> str:
        price = "price unknown" if self.price is None else f"about ${self.price:.2f} at list price"
        return (
            f"{self.calls:,} calls, about {self.input_tokens:,} tokens in and {self.output_tokens:,} out "
            f"(without any reasoning), {price}"
        )


def estimate(model: str, pairs: Sequence[LabelledPair], settings: Settings) -> Estimate:
    """What asking about these pairs will cost, if every reply can be used."""
    schema = len(json.dumps(entail.output.model_json_schema()))
    prompts = (entail.prompt(EntailInput(statement=c.statement, evidence=c.premises)) for c in map(claim_of, pairs))
    characters = sum(len(entail.instructions) + schema + len(prompt) for prompt in prompts)
    tokens, replies = round(characters / _CHARACTERS, -3), len(pairs) * _REPLY
    known = None if own_address(model, settings) else list_price(model, int(tokens), replies)
    return Estimate(len(pairs), int(tokens), replies, known)
