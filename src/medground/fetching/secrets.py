"""What of a request is a secret or says who sends it: left out of messages, of recorded replies and of their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

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


def without_secrets(value: Any) -> Any:
    """JSON values with the user, password and secret parameters of each address in them left out."""
    if isinstance(value, str):
        return shown_address(value) if _holds_a_secret(value) else value
    if isinstance(value, Mapping):
        return {key: without_secrets(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_secrets(inner) for inner in value]
    return value


def with_secrets_of(shown: Any, whole: Any) -> Any:
    """JSON values, in which each address that is `whole`'s without its secrets has them again."""
    if isinstance(shown, Mapping) and isinstance(whole, Mapping):
        return {key: with_secrets_of(inner, whole.get(key)) for key, inner in shown.items()}
    if isinstance(shown, list | tuple) and isinstance(whole, list | tuple) and len(shown) == len(whole):
        return [with_secrets_of(one, other) for one, other in zip(shown, whole, strict=True)]
    return whole if isinstance(whole, str) and whole != shown and without_secrets(whole) == shown else shown


def passwords_in(value: Any) -> list[str]:
    """The passwords and secret parameters of the addresses among JSON values."""
    if isinstance(value, str):
        if not _holds_a_secret(value):
            return []
        parts = urlsplit(value)
        return [unquote(parts.password or ""), *keys_in_parameters(parts.query)]
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return [found for inner in inside for found in passwords_in(inner)]


def _holds_a_secret(text: str) -> bool:
    if "://" not in text:
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    given = {name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    return "@" in parts.netloc or bool(given & _PARAMETERS)
