"""Whether the clock can be believed: nothing is deleted by age on one reading of it.

A clock that jumps makes everything look old for a while. So the server looks at it each minute, beside a clock that is
never set, and compares the looks: only those that agree for a day let anything be deleted.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from medground.faces.service.audit import Audit
from medground.faces.service.records import Records
from medground.faces.service.transaction import Transaction

HOUR, DAY = 3600.0, 86400.0
_MOST = HOUR / 4
"""Seconds that count as run between two looks: more may be a jump of both clocks."""
_LONGEST_PAUSE = 3 * DAY
"""Seconds for which a server may be off without its looks starting again."""
_SILENT = 30 * DAY
"""Seconds without a record that make a clock doubtful, or the days for which answers are kept if they are more."""
_DOUBTFUL = 7 * DAY
"""Seconds for which looks must agree in that case."""
_SHARE = 20
"""One in so many may be deleted in one sweep."""


def since_start() -> float:
    """Seconds by a clock that is never set and, where the system has one, counts through sleep."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


@dataclass(frozen=True)
class _Looks:
    """What looks at the clock have shown, in seconds since 1970 or seconds."""

    first: float
    last: float
    ran: float
    """For how long a server ran between them."""
    needed: float
    """For how long they must agree."""
    swept: float
    """When something was deleted last."""

    def agree_for(self, seconds: float) -> bool:
        """Whether the looks agree for so long, during a quarter of which a server ran."""
        return self.last - self.first >= seconds and self.ran >= seconds / 4


@dataclass
class ClockLooks:
    """Looks at the clock. Blocks.

    Attributes:
        now: the clock, which may be wrong.
        steady: seconds by a clock that is never set.
    """

    records: Records
    audit: Audit
    now: Callable[[], datetime]
    steady: Callable[[], float] = since_start
    _steady_before: float | None = field(default=None, init=False)

    def look(self, kept: timedelta = timedelta()) -> _Looks:
        """Look at the clock; where it has jumped, the looks start again, and the audit log says so.

        `kept`: the longest time for which something is kept.
        """

        def looked(at: Transaction) -> tuple[_Looks | None, _Looks]:
            at.lock("looks")  # the clocks are read after it: a reading that waited would look like a jump back
            wall, steady = self.now().timestamp(), self.steady()
            passed = None if self._steady_before is None else steady - self._steady_before
            self._steady_before = steady
            rows = at.rows("SELECT first, last, ran, needed, swept FROM looks")
            before = _Looks(*rows[0]) if rows else None
            if before is not None and _agrees(before, wall, passed):
                ran = before.ran + min(passed or 0.0, _MOST)
                after = _Looks(before.first, wall, ran, before.needed, before.swept)
            else:
                newest = _newest(at, wall if before is None else min(wall, before.last))
                doubtful = newest is not None and wall - newest > max(_SILENT, kept.total_seconds())
                after = _Looks(wall, wall, 0.0, _DOUBTFUL if doubtful else DAY, 0.0)
            _write(at, after)
            return before, after

        before, after = self.records.run(looked)
        if before is not None and after.ran == 0.0 and after.first == after.last and before.first != after.first:
            jump = f"{_date(before.last)} to {_date(after.last)}"
            self.audit.add(None, "clock", f"{jump}; nothing is deleted by age for {after.needed / HOUR:.0f} hours")
        return after

    def may_sweep(self, looks: _Looks) -> bool:
        """Whether what is old may be deleted now: looks agree for long enough, and the last sweep was an hour ago."""

        def taken(at: Transaction) -> bool:
            at.lock("looks")  # one server sweeps
            [(swept,)] = at.rows("SELECT swept FROM looks")
            if 0 <= looks.last - swept < HOUR:
                return False
            at.change("UPDATE looks SET swept = ?", looks.last)
            return True

        return looks.agree_for(looks.needed) and self.records.run(taken)


def share_of(count: int) -> int:
    """How many of so many may be deleted in one sweep."""
    return max(1, count // _SHARE)


def _agrees(before: _Looks, wall: float, passed: float | None) -> bool:
    """Whether a reading follows the last one: by the steady clock, or of a server that was off for a while."""
    step = wall - before.last
    return -HOUR < step < _LONGEST_PAUSE and (passed is None or abs(step - passed) < HOUR)


def _newest(at: Transaction, most: float) -> float | None:
    """When the newest record until a time was written; what a server writes at its start tells nothing."""
    until = datetime.fromtimestamp(most, UTC).isoformat()
    found = [
        *at.rows("SELECT max(created) FROM answers WHERE created <= ?", until),
        *at.rows("SELECT max(at) FROM audit WHERE at <= ? AND act NOT IN ('start', 'clock')", until),
    ]
    times = [datetime.fromisoformat(time).timestamp() for (time,) in found if time]
    return max(times, default=None)


def _write(at: Transaction, looks: _Looks) -> None:
    at.change("DELETE FROM looks")
    at.change("INSERT INTO looks VALUES (?, ?, ?, ?, ?)", looks.first, looks.last, looks.ran, looks.needed, looks.swept)


def _date(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"
