"""A request that a server refuses before anything works on it."""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import Response
from starlette.types import Scope


class Refusal(Exception):
    """Why a request is refused.

    Attributes:
        status: the HTTP status.
        detail: what is wrong, in one line.
        retry_after: seconds after which the same request can succeed, or None.
    """

    def __init__(self, status: int, detail: str, *, retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.retry_after = retry_after


Respond = Callable[[Refusal, Scope], Response]
"""Makes the response to a refused request, in the form that the server's clients understand."""
