"""What an answer cost, and who gave it: a model that read the text, or the program's own word statistics."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from decimal import Decimal
from typing import Any

from pydantic import Field

from medground.values.document import Frozen

# What work costs: tokens, calls, searches and money.


@dataclass(frozen=True)
class Usage:
    """Cost of some work. `price` is in US dollars; None means unknown, and unknown plus any price is unknown.

    `estimated_tokens` are those among the tokens that a model server did not report, so that we counted them.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    model_calls: int = 0
    cached_calls: int = 0
    searches: int = 0
    counts: int = 0
    price: Decimal | None = Decimal(0)
    estimated_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Input and output tokens together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        names = (one.name for one in fields(self) if one.name != "price")
        counts: dict[str, Any] = {name: getattr(self, name) + getattr(other, name) for name in names}
        price = None if self.price is None or other.price is None else self.price + other.price
        return replace(self, **counts, price=price)


class UsageReport(Frozen):
    """Cost of an answer. `price` is in US dollars; None means unknown, never free."""

    input_tokens: int = 0
    output_tokens: int = 0
    estimated_tokens: int = Field(
        default=0,
        description="those among the tokens that a model server did not report; estimated, rather too many, from the "
        "bytes that were sent and received",
    )
    model_calls: int = 0
    cached_calls: int = 0
    searches: int = 0
    counts: int = Field(default=0, description="requests to sources that only counted what a query finds")
    seconds: float = 0.0
    price: Decimal | None = Decimal(0)

    @classmethod
    def of(cls, usage: Usage, *, seconds: float = 0.0) -> UsageReport:
        """The report of a usage, and of the seconds that it took."""
        return cls(**asdict(usage), seconds=seconds)


# Who answered: a model that read the text, or the program's own word statistics.

KEYLESS = "keyless"
"""Settings and answers call the program's own code by this name. No other file compares a name with it."""


@dataclass(frozen=True)
class Author:
    """Whoever answered an operator, judged a statement or gave a label, by the name that settings use."""

    name: str

    @property
    def is_model(self) -> bool:
        """Whether a model read the text; False for word statistics."""
        return self.name != KEYLESS
