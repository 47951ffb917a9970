"""The requests of one operator call: counted, limited, and retried after a transient failure."""

import asyncio
import itertools
import json
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from pydantic_ai import RunUsage
from pydantic_ai import exceptions as raised
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from medground.errors import BudgetExhausted
from medground.models.as_meant import as_meant
from medground.models.base import CallLimits
from medground.models.operators.base import I, O, Operator
from medground.models.output import REFUSALS, narrowed, whole_texts, without_probabilities
from medground.sources.http.clients import cut_of

BYTES_PER_TOKEN = 2
"""No abstract of SciFact (5,183) takes fewer than 2.4 bytes a token of WordPiece, and half of them take more than 4.5:
an estimate is rather too high than too low."""
_MOST_BYTES_PER_TOKEN = 40
"""Fewer tokens for so many bytes cannot be true: no abstract of SciFact has more than 6.6 bytes a token of WordPiece.
The rest is for schemas, which a server may not count."""
_MOST = 10_000_000
"""Tokens of one request or reply: more than any model reads."""


def estimated(size: int) -> int:
    """The tokens of a text of so many bytes, rather too many."""
    return -(-size // BYTES_PER_TOKEN)


def bytes_sent(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> int:
    """Bytes of the text in a request, with the schemas of what it asks for."""
    asked = [] if parameters.output_object is None else [parameters.output_object.json_schema]
    schemas = [*asked, *(tool.parameters_json_schema for tool in parameters.output_tools)]
    return sum(map(_size, messages)) + sum(len(json.dumps(schema)) for schema in schemas)


def with_tokens(response: ModelResponse, sent: int) -> tuple[ModelResponse, int]:
    """The reply to a request of so many bytes with tokens that can be true, and how many of these are estimated."""
    told, received = response.usage, _size(response)
    into = told.input_tokens if _is_possible(told.input_tokens, sent) else None
    out = told.output_tokens if _is_possible(told.output_tokens, received) else None
    if into is not None and out is not None:
        return response, 0
    guessed = RequestUsage(
        input_tokens=estimated(sent) if into is None else into,
        output_tokens=estimated(received) if out is None else out,
    )
    counted = guessed.total_tokens - (into or 0) - (out or 0)
    return replace(response, usage=guessed), counted


def _is_possible(tokens: int, size: int) -> bool:
    return size <= tokens * _MOST_BYTES_PER_TOKEN and 0 <= tokens <= _MOST


def _size(message: ModelMessage) -> int:
    said = [getattr(message, "instructions", None)]
    for part in message.parts:
        said += [getattr(part, "content", None), getattr(part, "args", None)]
    return sum(len(one.encode() if isinstance(one, str) else json.dumps(one, default=str)) for one in said if one)


_MOST_PARTS = 100
"""Texts and tool calls of one reply; an operator needs one."""


def _readable(response: ModelResponse) -> ModelResponse:
    """The reply without lone surrogates, which nothing can store. Raises UnexpectedModelBehavior: too many parts."""
    if len(response.parts) > _MOST_PARTS:
        raise raised.UnexpectedModelBehavior(f"the reply has {len(response.parts):,} parts")
    for part in response.parts:
        for name in ("content", "args"):
            if isinstance(said := getattr(part, name, None), str):
                setattr(part, name, said.encode("utf-8", "replace").decode())
    return response


_TRANSIENT = (
    raised.ModelRateLimitError,
    raised.ModelUnavailableError,
    raised.ModelServerError,
    raised.ModelConnectionError,
)


@dataclass(frozen=True)
class Retries:
    """How to retry a busy, failing or unreachable server.

    Attributes:
        tries: maximum number of requests for one reply.
        first_wait: seconds before the second try; each further wait is twice as long as the last.
        longest_wait: seconds; if the server asks for more (Retry-After), the call fails at once.
        chance: a number in [0, 1), the jitter that keeps calls that failed together from retrying together.
    """

    tries: int = 3
    first_wait: float = 0.5
    longest_wait: float = 30.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    def wait(self, error: raised.ModelAPIError, tried: int) -> float | None:
        """Seconds to wait before the next try, or None when another try would not help."""
        # A request that timed out has already used all its time.
        if tried >= self.tries or not isinstance(error, _TRANSIENT) or isinstance(error, raised.ModelTimeoutError):
            return None
        if (cut := cut_of(error)) is not None and not cut.damaged:
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.longest_wait else None
        return min(self.first_wait * 2.0 ** (tried - 1), self.longest_wait) * (0.5 + self.chance() / 2)


class Attempts(WrapperModel):
    """A model for one operator call.

    `sent` counts its requests, answered or not. `estimated` counts the tokens that the server did not report, among
    them those of requests whose reply never arrived (`lost`). `probabilities_refused` is true if the server answers
    only when it is not asked for log-probabilities. `size` is that of the prompt in bytes. With `in_plain_text`, JSON
    is asked for by the prompt alone. If it `narrows`, the schema allows only the ids of this call.

    The clients' own retries are switched off (`max_retries`) because they are not counted.

    Raises BudgetExhausted: the next request would exceed the limits of the call.
    """

    def __init__(
        self,
        wrapped: Model,
        limits: CallLimits,
        spent: RunUsage,
        server_retries: Retries,
        operator: Operator[I, O],
        value: I,
    ) -> None:
        super().__init__(wrapped)
        self._choices = operator.choices(value)
        self._output = None if operator.is_prose else operator.output
        streams = operator.streamed and not operator.is_prose
        self._heard, self._field = operator.heard if streams else None, operator.streamed
        self._told: list[str] = []
        self.sent = 0
        self.estimated = 0
        self.lost = False
        self.probabilities_refused = False
        self.in_plain_text = False
        self.narrows = False
        self.size = 0
        self.limits = limits
        self.spent = spent
        self._server_retries = server_retries

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send a request, and retry while that may help."""
        refused = False
        parameters = model_request_parameters
        if self.narrows:
            parameters = narrowed(parameters, self._choices)
        if self.in_plain_text:
            parameters = replace(parameters, output_mode="text")
        size = bytes_sent(messages, parameters)
        for tried in itertools.count(1):
            self._check_limits()
            self.sent += 1
            try:
                response = await self._reply(messages, model_settings, parameters, size)
                self.probabilities_refused = refused
                return response
            except raised.UnexpectedModelBehavior:
                if self._heard is None:
                    raise
                self._heard = None  # its server does not stream
                continue
            except raised.ModelAPIError as error:
                if self._heard and getattr(error, "status_code", 0) in REFUSALS:
                    self._heard = None
                    continue
                if plain := without_probabilities(model_settings, error):
                    refused, model_settings = True, plain
                    continue
                wait = self._server_retries.wait(error, tried)
                if wait is None:
                    raise
            await self._server_retries.sleep(wait)
        raise AssertionError("the loop ends by return or raise")

    async def _reply(
        self,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
        size: int,
    ) -> ModelResponse:
        """One reply, with its tokens counted where the server does not. What is sent for nothing counts too."""
        arrived = False
        try:
            response = _readable(await self._received(messages, settings, parameters))
            arrived = True
        except raised.ModelAPIError as error:
            arrived = isinstance(error, raised.ModelHTTPError) or getattr(error, "phase", None) == "connect"
            raise
        except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
            # pydantic-ai's adapters raise these on JSON that is not a chat completion, such as `choices: []`.
            raise raised.UnexpectedModelBehavior("the reply cannot be read") from error
        finally:
            if not arrived:  # or it cannot be read: it may be charged for
                self.lost = True
                self.estimated += estimated(size)
                self.spent.incr(RequestUsage(input_tokens=estimated(size)))
        response, guessed = with_tokens(response, size)
        self.estimated += guessed
        if self._output is None:
            return response
        tool = next((tool.name for tool in parameters.output_tools), "")
        return as_meant(response, self._output, self._choices, tool)

    async def _received(
        self, messages: list[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> ModelResponse:
        """The whole reply; if somebody hears it, as its server streams it, each whole text of the field once."""
        if self._heard is None:
            return await self.wrapped.request(messages, settings, parameters)
        async with self.wrapped.request_stream(messages, settings, parameters) as stream:
            async for _ in stream:
                said = [getattr(part, "content", None) or getattr(part, "args", None) for part in stream.get().parts]
                written = whole_texts("".join(one for one in said if isinstance(one, str)), self._field)
                for text in written[len(self._told) :]:
                    self._told.append(text)
                    self._heard(text)
            return stream.get()

    def _check_limits(self) -> None:
        calls, tokens = self.limits.calls, self.limits.tokens
        if calls is not None and self.sent >= calls:
            raise BudgetExhausted("calls", spent=str(self.sent), allowed=str(calls))
        if tokens is not None and self.spent.total_tokens >= tokens:
            raise BudgetExhausted("tokens", spent=str(self.spent.total_tokens), allowed=str(tokens))
