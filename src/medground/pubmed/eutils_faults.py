"""Classify failed E-utilities requests, and decide whether a retry may help."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path

from medground.errors import ConfigError, UsageError
from medground.fetching.faults import Fault, retry_after, shorten

_PEEK = 4000
_LIMITED = re.compile(r"rate limit|too many requests", re.IGNORECASE)
_BAD_KEY = re.compile(r"api[ _]key (is )?(not valid|invalid)|invalid api[ _]key", re.IGNORECASE)
_BAD_CALL = re.compile(
    r"invalid (db|database)|empty (term|id)|neither query_key nor id|empty result|"
    r"must not be empty|not supported|invalid (value|parameter|retmode|rettype|date)",
    re.IGNORECASE,
)
_ERROR = re.compile(r"<ERROR>(.*?)</ERROR>", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)


def service_fault(message: str, status: str = "200") -> Fault:
    """Classify an error message from the service, whatever the HTTP status."""
    detail = shorten(message)
    if _LIMITED.search(detail):
        return Fault("rate limit exceeded", status="429", rate_limited=True)
    if _BAD_KEY.search(detail):
        return Fault("the API key was rejected; correct or remove it in the settings", user_error=ConfigError)
    if _BAD_CALL.search(detail):
        return Fault(f"the request was rejected: {detail}", status=status, user_error=UsageError)
    return Fault(f"the service reported an error: {detail}", status=status)


def damaged(what: str) -> Fault:
    """Return the fault for a response that is truncated or not XML."""
    return Fault(f"the XML response is truncated or damaged ({shorten(what)})")


def status_fault(status: int, headers: Mapping[str, str], body: Path) -> Fault:
    """Return the fault for a response with a status other than 200."""
    after = retry_after(headers.get("retry-after"))
    if status == 429:
        return Fault("rate limit exceeded", status="429", rate_limited=True, retry_after=after)
    detail = message_in(body)
    if status >= 500 or status == 408:
        return Fault(f"the service failed with HTTP status {status}", status=str(status), retry_after=after)
    if status in (400, 401, 403) and _BAD_KEY.search(detail):
        return service_fault(detail)
    if 300 <= status < 400:
        return Fault(f"redirected with HTTP status {status}; check its address", status=str(status), transient=False)
    suffix = f": {detail}" if detail else ""
    return Fault(f"the request was rejected with HTTP status {status}{suffix}", status=str(status), transient=False)


def type_fault(found: str, body: Path) -> Fault:
    """Return the fault for an unexpected content type, such as a JSON error or a proxy's HTML page."""
    detail = message_in(body)
    if "json" in found and detail:
        return service_fault(detail)
    what = "an HTML page" if "html" in found else f"content type {found or 'none'}"
    suffix = f" ({detail})" if detail else ""
    return Fault(f"the response is {what} instead of XML{suffix}")


def message_in(body: Path) -> str:
    """Return the message of an error page or object as one short line; empty if it has none."""
    with body.open("rb") as file:
        text = file.read(_PEEK).decode("utf-8", errors="replace")
    if text.lstrip().startswith("{"):
        try:
            return shorten(str(_error_in(json.loads(text)) or ""))
        except ValueError:
            return ""
    if error := _ERROR.search(text):
        return shorten(html.unescape(error[1]))
    title = _TITLE.search(text)
    if title:
        return shorten(title[1])
    return "" if "<" in text else shorten(text)


def _error_in(value: object) -> object:
    """Find `error` or `ERROR` in an object or a nested object."""
    if not isinstance(value, dict):
        return None
    for key, inner in value.items():
        if str(key).lower() == "error":
            return inner
        if isinstance(inner, dict) and (found := _error_in(inner)):
            return found
    return None
