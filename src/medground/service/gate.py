"""Limits of each person: how often, how much at once, and for how much money. Exact within one process."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from medground.service.person import Person
from medground.service.refused import Refused
from medground.service.spending import Spent, next_month
from medground.settings import BudgetSettings

_WINDOW = 60.0
_SOON = 5.0
"""Seconds after which a job may have ended; nobody knows better."""


class Gate:
    """Lets requests in, or refuses them with the time to come again. A refused one counts for nothing.

    Args:
        clock: seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._let_in: dict[str, deque[float]] = {}
        self._under_way: dict[str, int] = {}

    def enter(self, person: Person, unfinished: int = 0, *, long: bool = True) -> None:
        """Let a request in.

        Args:
            person: who sends it.
            unfinished: how many jobs of theirs wait or run.
            long: whether it counts among what is at work at once.

        Raises:
            Refused: too much is at work for them, or they sent too much in the last 60 seconds.
        """
        most = person.limits.concurrent
        if long and most is not None and unfinished + self._under_way.get(person.id, 0) >= most:
            raise Refused(f"{most} of your requests are running, and no more may run at once", retry_after=_SOON)
        if (rate := person.limits.rate) is None:
            return
        now = self._clock()
        times = self._let_in.setdefault(person.id, deque())
        while times and now - times[0] >= _WINDOW:
            times.popleft()
        if len(times) >= rate:
            raise Refused(f"this token allows {rate} requests in 60 seconds", retry_after=times[0] + _WINDOW - now)
        times.append(now)

    @contextmanager
    def at_work(self, person: Person) -> Iterator[None]:
        """A request that is no job is at work, such as a claim."""
        self._under_way[person.id] = self._under_way.get(person.id, 0) + 1
        try:
            yield
        finally:
            self._under_way[person.id] -= 1
            if not self._under_way[person.id]:
                del self._under_way[person.id]


def left_of(person: Person, spent: Spent, at: datetime) -> dict[str, Any]:
    """What is left of a person's budget of this month, as settings of one question; none where nothing is limited.

    Raises:
        Refused: nothing is left.
    """
    limits = person.limits
    left: dict[str, Any] = {}
    if limits.tokens is not None:
        left["budget.tokens"] = limits.tokens - spent.tokens
    if limits.money is not None:
        left["budget.money"] = limits.money - spent.money
    for name, value in left.items():
        if value <= 0:
            what = name.removeprefix("budget.")
            raise Refused(f"the monthly budget of {what} is used up", retry_after=next_month(at))
    return left


def lowered(changes: Mapping[str, Any], left: Mapping[str, Any], budget: BudgetSettings) -> dict[str, Any]:
    """Settings of a question in which its budget is at most what is left, and at most that of the server."""
    found = dict(changes)
    for key, value in left.items():
        others = (changes.get(key), getattr(budget, key.removeprefix("budget.")))
        found[key] = min([value, *(other for other in others if other is not None)])
    return found
