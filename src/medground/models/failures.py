"""What went wrong with a model, in one line that says how to mend it and gives no secret and no document text away."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelTimeoutError,
    OutputTokenLimitExceeded,
    ToolRetryError,
    UnexpectedModelBehavior,
    UserError,
)

from medground.errors import ConfigError, ModelFailed
from medground.usage import Usage

LONGEST = 200
"""Characters of a provider's own words that are passed on."""


@dataclass(frozen=True)
class Endpoint:
    """A model and where it is, for messages.

    Attributes:
        name: the model's name in the settings.
        address: its base address without user, password and query; empty when it has none.
        key_hint: which variable holds its key; empty when it needs none.
        secrets: texts that must never be shown.
    """

    name: str
    address: str = ""
    key_hint: str = ""
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def clean(self, text: str) -> str:
        """One short line without secrets."""
        for secret in self.secrets:
            text = text.replace(secret, "[secret]")
        line = " ".join(text.split())
        return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."


def shown_address(url: str | None) -> str:
    """An address without user, password, query and fragment."""
    parts = urlsplit(url or "")
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}" if parts.netloc else ""


def is_loopback(url: str | None) -> bool:
    """Whether an address is this machine's own."""
    host = urlsplit(url or "").hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def explain(
    error: AgentRunError | UserError, place: Endpoint, operator: str, usage: Usage
) -> ModelFailed | ConfigError:
    """The error to raise for one of pydantic-ai's."""
    at = place.address or "the provider"
    if isinstance(error, ModelAuthenticationError) and getattr(error, "status_code", 401) == 401:
        hint = f"; check {place.key_hint}" if place.key_hint else ""
        return ConfigError(f"{place.name}: {at} refuses the key (HTTP 401){hint}")
    if isinstance(error, ModelNotFoundError):
        return ConfigError(f"{place.name}: {at} has no such model (HTTP 404); check the name and the address")
    if isinstance(error, UserError):
        return ConfigError(f"{place.name}: cannot be used for {operator!r}: {place.clean(error.message)}")
    reason = _api_failure(error, place, at) if isinstance(error, ModelAPIError) else _odd_answer(error, at, operator)
    return ModelFailed(place.clean(reason), model=place.name, usage=usage, unreadable=_is_unreadable(error))


def _api_failure(error: ModelAPIError, place: Endpoint, at: str) -> str:
    if isinstance(error, ModelRequestTimeout):
        return f"no answer within {error.timeout:g} s; raise model.timeout or name a faster model"
    if isinstance(error, ModelTimeoutError) and error.phase != "connect":
        return f"{at} did not answer in time; raise model.timeout or name a faster model"
    if isinstance(error, ModelConnectionError):
        if error.phase in ("read", "write"):
            return f"lost the connection to {at} ({_cause(error)}); try again"
        return f"cannot reach {at} ({_cause(error)}); {_by_proxy(at) or 'is it running, and is the address right?'}"
    if isinstance(error, ModelContextWindowExceededError):
        return "the prompt is longer than the model can read; lower recipe.batch or retrieval.keep"
    if isinstance(error, ModelQuotaExceededError):
        return f"the account at {at} has no credit or quota left"
    if isinstance(error, ModelRateLimitError):
        wait = f"; it asks to wait {error.retry_after:g} s" if error.retry_after else ""
        return f"{at} asks for fewer calls (HTTP 429){wait}; try later or lower model.concurrency"
    if isinstance(error, ModelHTTPError):
        proxy = f"; {hint}" if (hint := _by_proxy(at)) else ""
        return f"{at} answered HTTP {error.status_code}{_own_words(error, place)}{proxy}"
    return _no_model(at)


def _by_proxy(at: str) -> str:
    """A hint where this machine's own address is asked for through a proxy, which knows another machine by it."""
    parts = urlsplit(at)
    host = parts.hostname or ""
    if not is_loopback(at) or parts.scheme not in getproxies() or proxy_bypass(host):
        return ""
    return f"the environment sends it through a proxy: set NO_PROXY={host}"


def _no_model(at: str) -> str:
    return f"{at} sent something that is not a chat model's answer; is the address right?"


def _is_unreadable(error: AgentRunError) -> bool:
    invalid = isinstance(error, UnexpectedModelBehavior) and isinstance(error.__cause__, ToolRetryError)
    return invalid or isinstance(error, OutputTokenLimitExceeded)


def _odd_answer(error: AgentRunError, at: str, operator: str) -> str:
    if isinstance(error, ContentFilterError):
        return f"the provider's content filter stopped {operator!r}"
    if isinstance(error, OutputTokenLimitExceeded):
        return f"the answer to {operator!r} was cut off at the model's output limit"
    if isinstance(error, UnexpectedModelBehavior) and isinstance(error.__cause__, ToolRetryError):
        return f"no valid answer to {operator!r} after all tries: {_last_problem(error.__cause__)}"
    return _no_model(at)


def _last_problem(retry: ToolRetryError) -> str:
    """Why the last answer was refused; never what it said, which may repeat documents."""
    content = retry.tool_retry.content
    if isinstance(content, str):
        return content
    problems = [p for p in content if isinstance(p, Mapping)] if isinstance(content, list) else []
    first = problems[0] if problems else {}
    return f"{'.'.join(map(str, first.get('loc', ()))) or 'it'}: {first.get('msg', 'does not fit the schema')}"


def _own_words(error: ModelHTTPError, place: Endpoint) -> str:
    body = error.body
    if isinstance(body, Mapping) and isinstance(body.get("error"), Mapping):
        body = body["error"]
    words = body.get("message") if isinstance(body, Mapping) else None
    return f": {place.clean(words)}" if isinstance(words, str) else ""


def _cause(error: BaseException) -> str:
    """The innermost cause, such as `Connection refused`."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    if isinstance(error, ExceptionGroup):
        return _cause(error.exceptions[0])
    if isinstance(error, TimeoutError):
        return "timed out"
    if isinstance(error, OSError) and (error.errno or 0) > 0:
        return os.strerror(error.errno or 0)  # asyncio's own words name the port again instead of the reason
    return re.sub(r"^\[Errno -?\d+\] ", "", str(error)) or type(error).__name__
