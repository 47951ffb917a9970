"""What each person has used: counted by day, kept when answers are deleted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from pydantic import Field

from medground.document import Frozen
from medground.service.records import Records
from medground.usage import UsageReport

_NANO = Decimal(10**9)
_COLUMNS = (
    "requests",
    "input_tokens",
    "output_tokens",
    "model_calls",
    "searches",
    "seconds",
    "nanodollars",
    "unpriced",
)
_SUMS = ", ".join(f"COALESCE(SUM({name}), 0)" for name in _COLUMNS)
_ADD = f"""
INSERT INTO used (owner, day, {", ".join(_COLUMNS)}) VALUES (?, ?{", ?" * len(_COLUMNS)})
ON CONFLICT (owner, day) DO UPDATE SET {", ".join(f"{name} = {name} + excluded.{name}" for name in _COLUMNS)}
"""  # noqa: S608 (names of ours)


class Spent(Frozen):
    """What was used in some time. Money is in US dollars; of `unpriced` requests the price is not known."""

    requests: int = Field(default=0, description="questions, research and claims")
    input_tokens: int = 0
    output_tokens: int = 0
    model_calls: int = 0
    searches: int = 0
    seconds: float = 0.0
    money: Decimal = Field(default=Decimal(0), description="without that of requests whose price is not known")
    unpriced: int = Field(default=0, description="requests whose price is not known")

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens


class Spending:
    """The use of a service, by person and day (UTC). Blocks."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def add(self, owner: str, usage: UsageReport, at: datetime) -> None:
        """Count a request that has ended, also one that failed."""
        price = 0 if usage.price is None else int((usage.price * _NANO).to_integral_value())
        figures = (usage.input_tokens, usage.output_tokens, usage.model_calls, usage.searches, usage.seconds, price)
        day = at.astimezone(UTC).date().isoformat()
        self._records.change((_ADD, (owner, day, 1, *figures, int(usage.price is None))))

    def month(self, owner: str, at: datetime) -> Spent:
        """What a person has used since the first day of this month."""
        return self._since(owner, at.astimezone(UTC).date().replace(day=1).isoformat())

    def ever(self, owner: str) -> Spent:
        """All that a person has used."""
        return self._since(owner, "")

    def _since(self, owner: str, day: str) -> Spent:
        statement = f"SELECT {_SUMS} FROM used WHERE owner = ? AND day >= ?"  # noqa: S608 (names of ours)
        row = dict(zip(_COLUMNS, self._records.rows(statement, owner, day)[0], strict=True))
        money = Decimal(str(row.pop("nanodollars"))) / _NANO
        return Spent.model_validate({**row, "money": money})


def next_month(at: datetime) -> float:
    """Seconds until the next month begins (UTC)."""
    now = at.astimezone(UTC)
    first = (now.replace(day=1) + timedelta(days=32)).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first - now).total_seconds()
