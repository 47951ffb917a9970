"""A failed request: whether a retry may help, and the public error that it becomes."""

from __future__ import annotations

import email.utils
from collections.abc import Iterable
from datetime import UTC, datetime

from medground.errors import ConfigError, MedgroundError, RateLimited, SourceUnavailable, UsageError
from medground.fetching.secrets import masked, secret_forms

LONGEST = 200
"""Maximum characters quoted from a service's message."""
LATER = "try again later"
_UNREACHABLE = "ConnectError"
"""No connection, or no such host: what a machine without a network has."""
_MOST_CONNECTS = 2


class Fault(Exception):
    """One request failed.

    Attributes:
        reason: one line for the user.
        status: the HTTP status, or the name of the connection error.
        transient: whether the same request may succeed later.
        rate_limited: whether the service asked for fewer requests.
        retry_after: seconds the service asked to wait, or None.
        user_error: the class to raise if the call or the settings are wrong.
        advice: what the user can do.
    """

    def __init__(
        self,
        reason: str,
        *,
        status: str | None = "200",
        transient: bool = True,
        rate_limited: bool = False,
        retry_after: float | None = None,
        user_error: type[UsageError] | type[ConfigError] | None = None,
        advice: str = LATER,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.transient = transient and user_error is None
        self.rate_limited = rate_limited
        self.retry_after = retry_after
        self.user_error = user_error
        self.advice = advice

    def count(self, attempt: int) -> None:
        """Take note of how often the request was tried: a host that cannot be reached at all is tried twice."""
        if self.status == _UNREACHABLE and attempt >= _MOST_CONNECTS:
            self.transient = False

    def error(self, source: str, attempts: int, secrets: Iterable[str] = ()) -> MedgroundError:
        """The public error for a failed request. Replaces `secrets`, which the service may have echoed."""
        reason = hide(self.reason, secrets)
        if self.user_error is not None:
            return self.user_error(f"{source}: {reason}")
        times = "" if attempts == 1 else f" ({attempts} attempts)"
        if self.rate_limited:
            wait = f"; wait {self.retry_after:g} s" if self.retry_after else "; wait, or set an API key"
            return RateLimited(
                f"rate limit exceeded{times}{wait}",
                source=source,
                attempts=attempts,
                retry_after=self.retry_after,
            )
        return SourceUnavailable(
            f"{reason}{times}; {self.advice}", source=source, attempts=attempts, last_status=self.status
        )


def hide(text: str, secrets: Iterable[str]) -> str:
    """The text with asterisks in place of each secret, in whatever form it stands there."""
    return masked(text, secret_forms(secrets))


def retry_after(value: str | None) -> float | None:
    """Return the seconds to wait from a Retry-After header (number or date), or None if it is invalid."""
    if value is None:
        return None
    if value.strip().isascii() and value.strip().isdigit():
        return float(value.strip()[:9])
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def shorten(text: str) -> str:
    """Collapse whitespace and cut the text to one short line."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."
