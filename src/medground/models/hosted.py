"""Opens a served model from a name such as `openai:gpt-5`. Importing this needs the extra `models` (or `local`)."""

import contextlib
import importlib
import inspect
import os
import re
from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model as ProviderModel
from pydantic_ai.models import infer_model
from pydantic_ai.providers import infer_provider_class

from medground.errors import ConfigError
from medground.home.layers import PREFIX
from medground.home.secrets import known_secrets, without_secrets
from medground.home.settings import COMPATIBLE, Settings
from medground.models.base import NAMES
from medground.models.profiles import COMPATIBLE_MODEL
from medground.models.served import LARGEST_REPLY, ServedModel
from medground.sources.http.clients import Bounded, Network, ReplyLimits
from medground.sources.http.service import is_address

_OPENAI = ("openai", "openai-chat", "openai-responses")
KEY_OF = dict.fromkeys(_OPENAI, "openai") | {"anthropic": "anthropic", "google": "google"}
"""Maps a provider to the field of `settings.keys` that holds its key."""

OLLAMA_ADDRESS = "http://localhost:11434/v1"


def open_hosted(name: str, settings: Settings) -> ServedModel:
    """Open a model by its pydantic-ai name. Sends nothing yet.

    The key comes from `settings.keys` or from the provider's own environment variable. A custom address is only sent
    the key of the settings that is meant for it: `keys.openai` for `model.base_url`, `keys.models.NAME` for that of one
    model.

    Raises ConfigError: the provider is unknown, a key or package is missing, or the address is invalid.
    """
    provider = name.partition(":")[0]
    field, server = KEY_OF.get(provider), settings.server_of(name)
    key: SecretStr | None = getattr(settings.keys, field) if field else None
    own_name = f"{PREFIX}KEYS__{field.upper()}" if field else ""
    if name in settings.keys.models or (name in settings.models and settings.models[name].base_url is not None):
        key, own_name = settings.keys.models.get(name), f'keys.models."{name}"'
    secrets = known_secrets(settings)
    longest = max(server.timeout, *(operator.timeout for operator in settings.operators.values()), 0.0)
    wire = Bounded(ReplyLimits(LARGEST_REPLY, longest), Network(), secrets)
    try:
        if server.base_url is None:
            model = _known(name, wire, {} if key is None else {"api_key": key.get_secret_value()})
        else:
            model = _at(_checked(server.base_url, name), name, key, wire)
    except _setup_errors() as error:
        raise ConfigError(_problem(name, error, own_name)) from None
    return ServedModel(
        name,
        model,
        server,
        key_hint=own_name or f"the key of {provider} in the environment",
        secrets=secrets,
        wire=wire,
    )


def _known(name: str, wire: Bounded, given: dict[str, Any]) -> ProviderModel:
    if name.startswith("ollama:") and not os.environ.get("OLLAMA_BASE_URL"):
        given = {"base_url": OLLAMA_ADDRESS} | given
    try:
        kind = infer_provider_class(name.partition(":")[0])
    except ValueError:
        return infer_model(name)  # which says what names there are
    takes = inspect.signature(kind.__init__).parameters
    if "base_url" in given and "base_url" not in takes:
        raise UserError("its provider takes no base_url")
    if _takes_our_client(takes):
        given = given | {"http_client": wire.client}
    return infer_model(name, lambda _: kind(**given))


def _takes_our_client(takes: Mapping[str, inspect.Parameter]) -> bool:
    """Whether a provider sends its requests by a client of httpx2. Those of AWS, xAI and a few others do not."""
    asked = takes.get("http_client")
    return asked is not None and any(name in str(asked.annotation) for name in ("httpx2", "HTTPClient"))


def _at(address: str, name: str, key: SecretStr | None, wire: Bounded) -> ProviderModel:
    """A model at an address of the settings. Without a key, none is sent, whatever the environment holds."""
    secret = key.get_secret_value() if key else None
    if name.partition(":")[0] not in COMPATIBLE:
        return _known(name, wire, {"base_url": address, "api_key": secret or "none"})
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    provider = OpenAICompatibleProvider(
        "openai-compatible", base_url=address, api_key=secret, http_client=wire.client, profile=COMPATIBLE_MODEL
    )
    return OpenAIChatModel(name.partition(":")[2], provider=provider)


def _checked(address: str, name: str) -> str:
    if not is_address(address):
        shown = without_secrets(address)
        raise ConfigError(f"{name}: base_url {shown!r} is not an address such as http://localhost:8000/v1")
    return address


def _setup_errors() -> tuple[type[Exception], ...]:
    found: list[type[Exception]] = [UserError, ImportError, ValueError]
    for module, name in (("openai", "OpenAIError"), ("google.auth.exceptions", "GoogleAuthError")):
        with contextlib.suppress(ImportError):
            found.append(getattr(importlib.import_module(module), name))
    return tuple(found)


def _problem(name: str, error: Exception, own_name: str) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, ImportError):
        command = re.search(r"pip install \"[^\"]+\"", text)
        return f"model {name!r} needs a package that is not installed: {command.group() if command else text}"
    if variable := re.search(r"Set the `([A-Z0-9_]+)` environment variable", text):
        variables = " or ".join(filter(None, (own_name, variable.group(1))))
        return f"model {name!r} needs {variable.group(1)}: set {variables} in the environment"
    if text.startswith("Unknown model"):
        close = re.search(r"Did you mean '([^']+)'", text)
        return f"unknown model {name!r}; {f'did you mean {close.group(1)}?' if close else NAMES}"
    return f"model {name!r} cannot be opened: {text[:200]}"
