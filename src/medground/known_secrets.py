"""The secrets that this process knows, so that nothing that is shown or kept holds one."""

from __future__ import annotations

import os
import re

from medground.fetching.secrets import passwords_in, secret_forms
from medground.settings import Settings

_NAMED = re.compile(r"KEY$|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
_SHORTEST = 8
"""Characters: a shorter value of a variable is a word that may stand anywhere."""


def known_secrets(settings: Settings | None = None) -> tuple[str, ...]:
    """The keys and passwords of the settings and of the environment, in all forms of `secret_forms`, longest first."""
    keys = [] if settings is None else [getattr(settings.keys, name) for name in type(settings.keys).model_fields]
    named = [key.get_secret_value() for key in keys if key is not None]
    ambient = [value for name, value in os.environ.items() if _NAMED.search(name)]
    addresses = [] if settings is None else passwords_in(settings.model_dump(mode="json"))
    return secret_forms(secret for secret in (*named, *ambient, *addresses) if len(secret) >= _SHORTEST)
