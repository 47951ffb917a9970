"""What of a request is a secret or says who sends it: left out of messages, of recorded replies and of their names."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

_HEADERS = ("key", "token", "auth", "secret", "cookie")
_PARAMETERS = frozenset(["api_key", "apikey", "api-key", "key", "access_token", "token", "email", "tool"])
_SHORTEST = 6
"""Shorter values are words that happen to stand there; hiding them would damage the text."""


def is_secret_header(name: str) -> bool:
    """Whether a header holds a key, such as `X-ELS-APIKey` or `Authorization`."""
    return any(part in name.lower() for part in _HEADERS)


def keys_in(headers: Mapping[str, str]) -> list[str]:
    """The keys among headers."""
    return [value for name, value in headers.items() if is_secret_header(name) and len(value) >= _SHORTEST]


def keys_in_parameters(encoded: str) -> list[str]:
    """The values of secret parameters in a query string or a form."""
    pairs = parse_qsl(encoded, keep_blank_values=True)
    return [value for name, value in pairs if name.lower() in _PARAMETERS and len(value) >= _SHORTEST]


def open_parameters(encoded: str) -> list[tuple[str, str]]:
    """The parameters of a query string or a form that are no secret, sorted."""
    pairs = parse_qsl(encoded, keep_blank_values=True)
    return sorted((name, value) for name, value in pairs if name.lower() not in _PARAMETERS)


def shown_address(address: str) -> str:
    """An address without user, password and secret parameters, so that it can be shown and kept."""
    parts = urlsplit(address)
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, place, parts.path, urlencode(open_parameters(parts.query)), ""))
