"""What can be wrong with one answer of the E-utilities, and whether asking again may help."""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from medground.errors import ConfigError, MedgroundError, RateLimited, SourceUnavailable, UsageError

LONGEST = 200
"""Characters of the service's own words that are passed on."""
_PEEK = 4000
_LIMITED = re.compile(r"rate limit|too many requests", re.IGNORECASE)
_BAD_KEY = re.compile(r"api[ _]key (is )?(not valid|invalid)|invalid api[ _]key", re.IGNORECASE)
_EXPIRED = re.compile(r"unable to obtain query|webenv|query_key|history", re.IGNORECASE)
_BAD_CALL = re.compile(
    r"invalid (db|database)|empty (term|id)|neither query_key nor id|empty result|"
    r"must not be empty|not supported|invalid (value|parameter|retmode|rettype|date)",
    re.IGNORECASE,
)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)


class Fault(Exception):
    """One request failed.

    Attributes:
        reason: one line for the reader.
        status: the HTTP status, or the name of what broke the connection.
        passing: whether the same request may succeed later.
        limited: whether the service asks for fewer requests.
        retry_after: seconds that it asks to wait, or None.
        mistake: the class to raise when the call or the settings are at fault.
    """

    def __init__(
        self,
        reason: str,
        *,
        status: str | None = "200",
        passing: bool = True,
        limited: bool = False,
        retry_after: float | None = None,
        mistake: type[UsageError] | type[ConfigError] | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.passing = passing and mistake is None
        self.limited = limited
        self.retry_after = retry_after
        self.mistake = mistake

    def error(self, source: str, attempts: int, secret: str | None = None) -> MedgroundError:
        """The public error for a request that is given up. A service may repeat the `secret` in its own words."""
        reason = self.reason.replace(secret, "[key]") if secret else self.reason
        if self.mistake is not None:
            return self.mistake(f"{source}: {reason}")
        times = "" if attempts == 1 else f" ({attempts} attempts)"
        if self.limited:
            wait = f"; wait {self.retry_after:g} s" if self.retry_after else "; wait, or set an API key"
            return RateLimited(
                f"it asks for fewer requests{times}{wait}",
                source=source,
                attempts=attempts,
                retry_after=self.retry_after,
            )
        return SourceUnavailable(
            f"{reason}{times}; try again later", source=source, attempts=attempts, last_status=self.status
        )


def service_fault(message: str, status: str = "200") -> Fault:
    """The fault for words with which the service itself reports an error, whatever the status of the answer."""
    said = shorten(message)
    if _LIMITED.search(said):
        return Fault("it asks for fewer requests", status="429", limited=True)
    if _BAD_KEY.search(said):
        return Fault("it refuses the API key; correct or remove the key in the settings", mistake=ConfigError)
    if _BAD_CALL.search(said):
        return Fault(f"it refuses the request: {said}", status=status, mistake=UsageError)
    if _EXPIRED.search(said):
        return Fault(f"the stored search is gone, search again: {said}", status=status, passing=False)
    return Fault(f"it reports an error: {said}", status=status)


def damaged(what: str) -> Fault:
    """The fault for an answer that ends too early or is no XML."""
    return Fault(f"its XML is cut off or damaged ({shorten(what)})")


def status_fault(status: int, headers: Mapping[str, str], body: Path) -> Fault:
    """The fault for an answer whose status is not 200."""
    after = retry_after(headers.get("retry-after"))
    if status == 429:
        return Fault("it asks for fewer requests", status="429", limited=True, retry_after=after)
    said = words_of(body)
    if status >= 500 or status == 408:
        return Fault(f"it fails with status {status}", status=str(status), retry_after=after)
    if status in (400, 401, 403) and _BAD_KEY.search(said):
        return service_fault(said)
    if 300 <= status < 400:
        return Fault(f"it sends elsewhere (status {status}); check its address", status=str(status), passing=False)
    told = f": {said}" if said else ""
    return Fault(f"it refuses the request with status {status}{told}", status=str(status), passing=False)


def type_fault(found: str, expected: str, body: Path) -> Fault:
    """The fault for an answer of another content type than asked for: an error in JSON, a page of a proxy."""
    said = words_of(body)
    if "json" in found and said:
        return service_fault(said)
    what = "an HTML page" if "html" in found else f"content type {found or 'none'}"
    told = f" ({said})" if said else ""
    return Fault(f"it answers with {what} instead of {expected}{told}")


def words_of(body: Path) -> str:
    """What an error page or an error object says, as one short line; empty when it says nothing readable."""
    with body.open("rb") as file:
        text = file.read(_PEEK).decode("utf-8", errors="replace")
    if text.lstrip().startswith("{"):
        try:
            return shorten(str(_error_in(json.loads(text)) or ""))
        except ValueError:
            return ""
    title = _TITLE.search(text)
    if title:
        return shorten(title[1])
    return "" if "<" in text else shorten(text)


def retry_after(value: str | None) -> float | None:
    """Seconds to wait by a Retry-After header: a number or a date; None when it is neither."""
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
    """One short line."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."


def _error_in(value: object) -> object:
    """`error` or `ERROR` of an object, or of the object within it."""
    if not isinstance(value, dict):
        return None
    for key, inner in value.items():
        if str(key).lower() == "error":
            return inner
        if isinstance(inner, dict) and (found := _error_in(inner)):
            return found
    return None
