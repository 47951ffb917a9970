"""What of a request is a secret or says who sends it: left out of messages, of recorded replies and of their names."""

from __future__ import annotations

import base64
import binascii
import json
import logging
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, quote, quote_plus, unquote, urlencode, urlsplit, urlunsplit

if TYPE_CHECKING:
    from medground.home.settings import Settings

MASK = "********"
"""What stands in place of a secret."""

_HEADERS = ("key", "token", "auth", "secret", "cookie")
_SECRET_PARAMETERS = frozenset(
    ["api_key", "apikey", "api-key", "key", "access_token", "token", "secret", "client_secret", "password", "sig"]
)
_PARAMETERS = _SECRET_PARAMETERS | {"email", "tool"}
_USER = re.compile(
    r"(?!mailto:)(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)?(?P<user>[^\s/@:?#]*:(?!\d+/|//)[^\s@?#]+)@(?=\S)"
)
"""How an address begins that holds a password; its scheme may have been forgotten, and a slash not been encoded."""
FORM = "application/x-www-form-urlencoded"
_SHORTEST = 6
"""Shorter values are words that happen to stand there; hiding them would damage the text."""


def is_secret_header(name: str) -> bool:
    """Whether a header holds a key, such as `X-ELS-APIKey` or `Authorization`."""
    return any(part in name.lower() for part in _HEADERS)


def keys_in(headers: Mapping[str, str]) -> list[str]:
    """The keys among headers, without the scheme before them; of a Basic header, its user and password too."""
    found: list[str] = []
    for name, value in headers.items():
        if not is_secret_header(name):
            continue
        scheme, _, credentials = value.strip().partition(" ")
        if "authorization" not in name.lower() or not credentials:
            found.append(value)
        else:
            found += [credentials, *(_of_basic(credentials) if scheme.lower() == "basic" else [])]
    return [value for value in found if len(value) >= _SHORTEST]


def keys_in_parameters(encoded: str, names: frozenset[str] = _SECRET_PARAMETERS) -> list[str]:
    """The values of secret parameters in a query string or a form."""
    pairs = parse_qsl(encoded, keep_blank_values=True)
    return [value for name, value in pairs if name.lower() in names and len(value) >= _SHORTEST]


def private_in_parameters(encoded: str) -> list[str]:
    """As `keys_in_parameters`, with those that say who sends the request."""
    return keys_in_parameters(encoded, _PARAMETERS)


def secrets_sent(url: str, headers: Mapping[str, str], content: bytes = b"") -> list[str]:
    """The secrets of a request: in its address, its headers, and its body where that is a form."""
    form = content.decode(errors="replace") if headers.get("content-type", "").startswith(FORM) else ""
    return [*keys_in(headers), *passwords_in(url), *keys_in_parameters(form)]


def secret_forms(secrets: Iterable[str]) -> tuple[str, ...]:
    """The forms in which a text may hold secrets: plain, percent-encoded, as base64, and inside JSON, once or twice.

    The longest come first, so that a secret inside a longer one does not keep that from being found.
    """
    plain = {secret for secret in secrets if len(secret) >= _SHORTEST}
    forms = {form for secret in plain for form in (secret, *_encoded(secret))}
    for _ in range(2):  # a string of JSON, which may stand inside another
        forms |= {json.dumps(form, ensure_ascii=ascii_only)[1:-1] for form in forms for ascii_only in (False, True)}
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


def masked(text: str, forms: Iterable[str]) -> str:
    """The text with asterisks in place of each of `secret_forms`."""
    for form in forms:
        text = text.replace(form, MASK)
    return text


def _encoded(secret: str) -> set[str]:
    quoted = {quote(secret, safe=""), quote(secret), quote_plus(secret)}
    raw = secret.encode(errors="surrogatepass")
    based = {base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()}
    lower = (re.sub("%..", lambda escape: escape[0].lower(), text) for text in quoted)  # some servers write `%3a`
    return {*quoted, *(text.replace("%", "%25") for text in quoted), *lower, *based}


def _of_basic(credentials: str) -> list[str]:
    try:
        both = base64.b64decode(credentials, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return []
    return [both, both.partition(":")[2]]


def open_parameters(encoded: str) -> list[tuple[str, str]]:
    """The parameters of a query string or a form that are not secret, sorted."""
    pairs = parse_qsl(encoded, keep_blank_values=True)
    return sorted((name, value) for name, value in pairs if name.lower() not in _PARAMETERS)


def shown_address(address: str) -> str:
    """An address without user, password and secret parameters, so that it can be shown and kept."""
    parts = _parts(address)
    place = parts.netloc.rpartition("@")[2]
    shown = urlunsplit((parts.scheme, place, parts.path, urlencode(open_parameters(parts.query)), ""))
    return shown if parts.scheme else shown.removeprefix("//")


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
        parts = _parts(value)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        both = [password, f"{user}:{password}"] if password else [user]  # a Basic header holds both as base64
        return [*filter(None, both), *keys_in_parameters(parts.query)]
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return [found for inner in inside for found in passwords_in(inner)]


def _holds_a_secret(text: str) -> bool:
    if "://" not in text and not _USER.match(text):
        return False
    try:
        parts = _parts(text)
    except ValueError:
        return False
    given = {name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    return "@" in parts.netloc or bool(given & _PARAMETERS)


def _parts(address: str) -> SplitResult:
    """The parts of an address, in which a password may hold what should have been encoded."""
    if begins := _USER.match(address):
        user, password = begins["user"].split(":", 1)
        rest = address[begins.end() :]
        address = f"{begins['scheme'] or '//'}{quote(user, safe='%')}:{quote(password, safe='%')}@{rest}"
    return urlsplit(address)


# What this process logs holds no secret that it knows, whichever library logs it: HTTP clients log what they send.

_FORMATTER = logging.Formatter()


def hide_in_logs(forms: Iterable[str]) -> None:
    """Put asterisks in place of these forms of secrets in all lines that are logged from now on."""
    current = logging.getLogRecordFactory()
    if not isinstance(current, _Hiding):
        current = _Hiding(current)
        logging.setLogRecordFactory(current)
    current.hide(forms)


class _Hiding:
    """Makes records of log lines. One with a secret becomes plain text; any other stays as `make` makes it.

    The secrets of a process are few, so they are never forgotten.
    """

    def __init__(self, make: Callable[..., logging.LogRecord]) -> None:
        self._make = make
        self._forms: tuple[str, ...] = ()

    def hide(self, forms: Iterable[str]) -> None:
        known = frozenset(self._forms)
        if new := [form for form in forms if form not in known]:
            self._forms = tuple(sorted((*known, *new), key=len, reverse=True))

    def __call__(self, *given: Any, **named: Any) -> logging.LogRecord:
        record = self._make(*given, **named)
        try:
            said = record.getMessage()
        except (TypeError, ValueError):  # arguments that do not fit; logging says so itself
            return record
        if (shown := masked(said, self._forms)) != said:
            record.msg, record.args = shown, ()
        if record.exc_info:
            trace = _FORMATTER.formatException(record.exc_info)
            if (shown := masked(trace, self._forms)) != trace:
                record.exc_info, record.exc_text = None, shown
        return record


# The secrets that this process knows, so that nothing that is shown, logged or kept holds one.

_NAMED = re.compile(r"(?i)KEY$|TOKEN|SECRET|PASSWORD")
_HEADER_NAMES = re.compile(r"(?i)HEADERS$")
_SHORTEST_VALUE = 8
"""Characters: a shorter value of a variable is a word that may stand anywhere."""


def known_secrets(settings: Settings | None) -> tuple[str, ...]:
    """The keys and passwords of the settings and of the environment, in all forms of `secret_forms`, longest first.

    From now on no log line of this process shows them.
    """
    keys = [] if settings is None else [getattr(settings.keys, name) for name in type(settings.keys).model_fields]
    whole = [key for one in keys for key in (one.values() if isinstance(one, Mapping) else [one])]
    named = [key.get_secret_value() for key in whole if key is not None]
    addresses = [] if settings is None else passwords_in(settings.model_dump(mode="json"))
    found = secret_forms(secret for secret in (*named, *addresses, *_ambient()) if len(secret) >= _SHORTEST_VALUE)
    hide_in_logs(found)
    return found


def _ambient() -> list[str]:
    """Keys by the names of their variables, passwords in addresses (of a proxy), and headers (of a collector)."""
    found = []
    for name, value in os.environ.items():
        found += [value] if _NAMED.search(name) else passwords_in(value)
        if _HEADER_NAMES.search(name):  # `name=value,name=value`; what follows `Bearer` in them counts by itself
            values = [unquote(pair.partition("=")[2]).strip() for pair in value.split(",")]
            found += [part for one in values for part in (one, one.partition(" ")[2].strip()) if part]
    return found
