"""The secrets that this process knows, so that nothing that is shown, logged or kept holds one."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from medground.fetching.logs import hide_in_logs
from medground.fetching.secrets import passwords_in, secret_forms

if TYPE_CHECKING:
    from medground.settings import Settings

_NAMED = re.compile(r"KEY$|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
_HEADERS = re.compile(r"HEADERS$", re.IGNORECASE)
_SHORTEST = 8
"""Characters: a shorter value of a variable is a word that may stand anywhere."""


def known_secrets(settings: Settings | None = None) -> tuple[str, ...]:
    """The keys and passwords of the settings and of the environment, in all forms of `secret_forms`, longest first.

    From now on no log line of this process shows them.
    """
    keys = [] if settings is None else [getattr(settings.keys, name) for name in type(settings.keys).model_fields]
    named = [key.get_secret_value() for key in keys if key is not None]
    addresses = [] if settings is None else passwords_in(settings.model_dump(mode="json"))
    found = secret_forms(secret for secret in (*named, *addresses, *_ambient()) if len(secret) >= _SHORTEST)
    hide_in_logs(found)
    return found


def _ambient() -> list[str]:
    """Keys by the names of their variables, passwords in addresses (of a proxy), and headers (of a collector)."""
    found = []
    for name, value in os.environ.items():
        found += [value] if _NAMED.search(name) else passwords_in(value)
        found += _of_headers(value) if _HEADERS.search(name) else []
    return found


def _of_headers(listed: str) -> list[str]:
    """The values of `name=value,name=value`, and what follows `Bearer` in them."""
    values = [unquote(pair.partition("=")[2]).strip() for pair in listed.split(",")]
    return [part for value in values for part in (value, value.partition(" ")[2].strip()) if part]
