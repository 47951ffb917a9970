"""A limit of the person who asks, which is not a limit of a source."""

from __future__ import annotations

from medground.errors import RateLimited


class LimitReached(RateLimited):
    """A person reached a limit of their own: wait `retry_after` seconds, then ask again."""

    def __init__(self, reason: str, *, retry_after: float) -> None:
        super().__init__(reason, source="this server", retry_after=retry_after)
