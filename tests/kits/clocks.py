"""Time in tests: a clock that may be wrong, and one that is never set but may jump with it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from medground.faces.service.service import Service

START = datetime(2026, 1, 1, tzinfo=UTC)
QUARTER = timedelta(minutes=15)


@dataclass
class Clocks:
    """The time, a clock that is off by `wrong`, and one that is never set; with `both` it is off as much."""

    time: datetime = START
    wrong: timedelta = timedelta()
    both: bool = False

    def now(self) -> datetime:
        """What the clock shows."""
        return self.time + self.wrong

    def steady(self) -> float:
        """Seconds by the clock that is never set."""
        return (self.time + (self.wrong if self.both else timedelta()) - START).total_seconds()

    async def passes(self, service: Service, period: timedelta) -> int:
        """How many answers a service deleted while this time passed."""
        deleted = 0
        for _ in range(period // QUARTER):
            self.time += QUARTER
            deleted += await service.sweep()
        return deleted
