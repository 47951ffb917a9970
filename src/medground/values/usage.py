"""What an answer cost, and who gave it: a model that read the text, or the program's own word statistics."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from pydantic import Field

from medground.values.document import Frozen


class UsageReport(Frozen):
    """Cost of an answer. `price` is in US dollars; None means unknown, never free."""

    input_tokens: int = 0
    output_tokens: int = 0
    estimated_tokens: int = Field(
        default=0,
        description="those among the tokens that a model server did not report; estimated, rather too many, from the "
        "bytes that were sent and received",
    )
    server_cached_tokens: int = Field(
        default=0, description="those among the input tokens that a model server had kept from an earlier prompt"
    )
    reasoning_tokens: int = Field(
        default=0, description="those among the output tokens in which a model reasoned, where its server counts them"
    )
    cached_input_tokens: int = Field(default=0, description="of calls answered from the cache; not paid again")
    cached_output_tokens: int = Field(default=0, description="of calls answered from the cache; not paid again")
    model_calls: int = 0
    cached_calls: int = 0
    verification_calls: int = Field(default=0, description="those among both kinds of calls that verified sentences")
    searches: int = 0
    counts: int = Field(default=0, description="requests to sources that only counted what a query finds")
    seconds: float = 0.0
    price: Decimal | None = Decimal(0)

    @property
    def tokens(self) -> int:
        """Input and output tokens together."""
        return self.input_tokens + self.output_tokens

    @property
    def token_notes(self) -> str:
        """What is special about some tokens, such as ` (20 of them estimated)`; empty if nothing is."""
        counts = (
            (self.server_cached_tokens, "cached by the server"),
            (self.reasoning_tokens, "for reasoning"),
            (self.estimated_tokens, "estimated"),
        )
        notes = ", ".join(f"{count:,} of them {what}" for count, what in counts if count)
        return f" ({notes})" if notes else ""

    @property
    def needed_input(self) -> int:
        """Input tokens of all calls, also of those that the cache answered."""
        return self.input_tokens + self.cached_input_tokens

    @property
    def needed_output(self) -> int:
        """Output tokens of all calls, also of those that the cache answered."""
        return self.output_tokens + self.cached_output_tokens

    def from_cache(self) -> UsageReport:
        """The usage of a call with this cost when its reply comes from the cache."""
        return UsageReport(
            cached_input_tokens=self.needed_input, cached_output_tokens=self.needed_output, cached_calls=1
        )

    def __add__(self, other: UsageReport) -> UsageReport:
        sums = {name: getattr(self, name) + getattr(other, name) for name in type(self).model_fields if name != "price"}
        # unknown plus any price is unknown
        price = None if self.price is None or other.price is None else self.price + other.price
        return UsageReport(**sums, price=price)

    @classmethod
    def from_usage(cls, usage: UsageReport, *, seconds: float = 0.0) -> UsageReport:
        """The report of a cost, with the seconds that the work took."""
        return usage.replace(seconds=seconds)


Usage = UsageReport
"""The cost of a part of an answer, whose seconds are not counted."""


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
