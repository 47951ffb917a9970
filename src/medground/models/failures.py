"""What went wrong with a model and how to fix it, in one line without secrets or document text."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from pydantic_ai import exceptions as raised

from medground.errors import ConfigError, ModelFailed
from medground.home.secrets import masked
from medground.sources.http.clients import CutReply, SlowReply, cut_of
from medground.sources.http.retries import shorten
from medground.sources.http.service import is_loopback
from medground.values.usage import Usage

SHORTER = "lower recipe.batch or retrieval.keep"
"""What makes prompts shorter."""


@dataclass(frozen=True)
class Endpoint:
    """A model and its address, for messages.

    Attributes:
        name: the model's name in the settings.
        address: its base URL without user, password and query; empty if it has none.
        key_hint: the variable that holds its key; empty if it needs none.
        secrets: strings that must never be shown, in all their forms, the longest first.
    """

    name: str
    address: str = ""
    key_hint: str = ""
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def clean(self, text: str) -> str:
        """The text as one short line without secrets."""
        return shorten(masked(text, self.secrets))


def cut_short(cut: CutReply, endpoint: Endpoint, usage: Usage) -> ModelFailed:
    """The error for a reply that was not read to its end."""
    more = "; raise model.timeout or use a faster model" if isinstance(cut, SlowReply) else "; it was not read on"
    at = endpoint.address or "the provider"
    return ModelFailed(endpoint.clean(f"{at}: {cut.reason}{more}"), model=endpoint.name, usage=usage)


def explain(
    error: raised.AgentRunError | raised.UserError, endpoint: Endpoint, operator: str, usage: Usage
) -> ModelFailed | ConfigError:
    """The error to raise in place of one from pydantic-ai."""
    if (cut := cut_of(error)) is not None:
        return cut_short(cut, endpoint, usage)
    at = endpoint.address or "the provider"
    if isinstance(error, raised.ModelAuthenticationError) and getattr(error, "status_code", 401) == 401:
        hint = f"; check {endpoint.key_hint}" if endpoint.key_hint else ""
        return ConfigError(f"{endpoint.name}: {at} rejected the key (HTTP 401){hint}")
    if isinstance(error, raised.ModelNotFoundError):
        return ConfigError(f"{endpoint.name}: {at} does not have this model (HTTP 404); check the name and the address")
    if isinstance(error, raised.UserError):
        return ConfigError(f"{endpoint.name}: cannot be used for {operator!r}: {endpoint.clean(error.message)}")
    told = isinstance(error, raised.ModelAPIError) and _api_failure(error, endpoint, at)
    reason = told or _answer_failure(error, operator)
    invalid = isinstance(error, raised.UnexpectedModelBehavior) and isinstance(error.__cause__, raised.ToolRetryError)
    return ModelFailed(
        endpoint.clean(reason or f"{at} sent a reply that is not a chat completion; is the address right?"),
        model=endpoint.name,
        usage=usage,
        unreadable=invalid or isinstance(error, raised.OutputTokenLimitExceeded),
        busy=isinstance(error, raised.ModelRateLimitError | raised.ModelUnavailableError | raised.ModelServerError),
    )


def _api_failure(error: raised.ModelAPIError, endpoint: Endpoint, at: str) -> str:
    """Why a server did not answer; empty if it did, with something else than a chat completion."""
    if isinstance(error, raised.ModelRequestTimeout):
        return f"no answer within {error.timeout:g} s; raise model.timeout or use a faster model"
    if isinstance(error, raised.ModelTimeoutError) and error.phase != "connect":
        return f"{at} did not answer in time; raise model.timeout or use a faster model"
    if isinstance(error, raised.ModelConnectionError):
        if error.phase in ("read", "write"):
            return f"lost the connection to {at} ({_cause(error)}); try again"
        return f"cannot reach {at} ({_cause(error)}); {_by_proxy(at) or 'is it running, and is the address right?'}"
    if isinstance(error, raised.ModelContextWindowExceededError):
        return f"the prompt exceeds the model's context window; {SHORTER}"
    if isinstance(error, raised.ModelQuotaExceededError):
        return f"the account at {at} has no credit or quota left"
    if isinstance(error, raised.ModelRateLimitError):
        wait = f"; retry after {error.retry_after:g} s" if error.retry_after else ""
        return f"{at} is limiting the call rate (HTTP 429){wait}; try later or lower model.concurrency"
    if isinstance(error, raised.ModelHTTPError):
        proxy = f"; {hint}" if (hint := _by_proxy(at)) else ""
        return f"{at} answered HTTP {error.status_code}{_provider_message(error, endpoint)}{proxy}"
    return ""


def _by_proxy(at: str) -> str:
    """A hint when requests to localhost go through a proxy, which would send them to its own localhost."""
    parts = urlsplit(at)
    host = parts.hostname or ""
    if not is_loopback(at) or parts.scheme not in getproxies() or proxy_bypass(host):
        return ""
    return f"the environment routes it through a proxy: set NO_PROXY={host}"


def _answer_failure(error: raised.AgentRunError, operator: str) -> str:
    """Why an answer is of no use; empty if it is not a chat completion."""
    if isinstance(error, raised.ContentFilterError):
        return f"the provider's content filter stopped {operator!r}"
    if isinstance(error, raised.OutputTokenLimitExceeded):
        return f"the answer to {operator!r} was cut off at the model's output limit"
    if isinstance(error, raised.UnexpectedModelBehavior) and isinstance(error.__cause__, raised.ToolRetryError):
        return f"no valid answer to {operator!r} after all attempts: {_last_problem(error.__cause__)}"
    return ""


def _last_problem(retry: raised.ToolRetryError) -> str:
    """Why the last answer was rejected. Never its text, which may repeat documents."""
    content = retry.tool_retry.content
    if isinstance(content, str):
        return content
    problems = [p for p in content if isinstance(p, Mapping)] if isinstance(content, list) else []
    first = problems[0] if problems else {}
    return f"{'.'.join(map(str, first.get('loc', ()))) or 'it'}: {first.get('msg', 'does not fit the schema')}"


def _provider_message(error: raised.ModelHTTPError, endpoint: Endpoint) -> str:
    body = error.body
    if isinstance(body, Mapping) and isinstance(body.get("error"), Mapping):
        body = body["error"]
    words = body.get("message") if isinstance(body, Mapping) else None
    return f": {endpoint.clean(words)}" if isinstance(words, str) else ""


def _cause(error: BaseException) -> str:
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    if isinstance(error, ExceptionGroup):
        return _cause(error.exceptions[0])
    if isinstance(error, TimeoutError):
        return "timed out"
    if isinstance(error, OSError) and (error.errno or 0) > 0:
        return os.strerror(error.errno or 0)  # asyncio's own message repeats the port instead of the reason
    return re.sub(r"^\[Errno -?\d+\] ", "", str(error)) or type(error).__name__
