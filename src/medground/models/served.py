"""Models that answer through pydantic-ai: hosted, at your own address, or in this process."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import httpx2
import pydantic_ai
from pydantic_ai import Agent, ModelRetry, NativeOutput, PromptedOutput, RunContext, RunUsage, TextOutput, ToolOutput
from pydantic_ai.exceptions import AgentRunError, ModelHTTPError, RunTimedOut, UserError
from pydantic_ai.models import Model as ProviderModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.settings import ModelSettings

from medground.errors import BudgetExhausted, ModelFailed
from medground.home.settings_groups import ServerSettings
from medground.models.attempts import Attempts, Retries
from medground.models.base import CallLimits, Reply, base_address
from medground.models.failures import SHORTER, Endpoint, cut_short, explain
from medground.models.operators.base import I, InvalidOutput, O, Operator, PlainOutput
from medground.models.output import (
    REFUSALS,
    asking_for_probabilities,
    form_of,
    weighs,
    with_probabilities,
    without_unknown,
)
from medground.sources.http.clients import Bounded, CutReply, Network, ReplyLimits
from medground.sources.http.service import is_loopback
from medground.values.usage import Usage

pydantic_ai.BANNER_ENABLED = False
_BYTES = 4
"""Bytes of a token of English, roughly, until a server has counted some."""
_OF_A_SCHEMA = ("response_format", "schema", "structured output", "guided", "grammar", "tool")
"""What a server says of a request that holds the output to a form, and that it refuses."""
LARGEST_REPLY = 8 << 20
"""Most bytes of a model's reply. The longest answer of an operator is a few kilobytes, a hundred with probabilities."""


class ModelWire(Bounded):
    """Carries a model's requests, with the proxies of the environment, from any event loop. It follows no redirect."""

    def __init__(self, limits: ReplyLimits, secrets: tuple[str, ...] = ()) -> None:
        super().__init__(limits, Network(), secrets)
        self.client = httpx2.AsyncClient(transport=self, timeout=limits.seconds, follow_redirects=False)


MASKING_SERVER = OpenAIModelProfile(
    supports_json_schema_output=True,
    native_output_requires_schema_in_instructions=True,  # ours is shorter than pydantic-ai's: `form_of`
    openai_chat_supports_multiple_system_messages=False,
    supports_inline_system_prompts=False,
)
"""For vLLM, llama.cpp and similar servers. They constrain the output to a schema by masking tokens, which does not show
the model the schema. So the instructions say what its fields are, in a single system message, which every chat template
accepts."""


class ServedModel:
    """A pydantic-ai model that answers operators.

    The output is constrained to the operator's JSON schema if the model supports that, and is otherwise the argument of
    a forced tool call. A server that does not show the model the schema gets the fields in the prompt, and one that can
    not hold an output to a schema (`structured = "prompt"`) gets them there alone. A server that refuses the schema or
    a temperature is asked without it, and not sent it again. Either way the output is read as it was meant
    (`as_meant`), validated, and checked by the operator. If it does not pass, the model is asked again and given the
    reason.

    The price is 0 for `local` models and Ollama's on this machine, the provider's list price where pydantic-ai knows
    it, and unknown (None) otherwise.

    Args:
        server: how it is asked; a temperature is not sent to models that reject it.
        key_hint: the variable that holds the key, for messages.
        secrets: strings that messages must not show.
        wire: carries the requests, where the model's client uses it; closed with the model.
    """

    cacheable = True

    def __init__(
        self,
        name: str,
        model: ProviderModel,
        server: ServerSettings | None = None,
        *,
        server_retries: Retries | None = None,
        key_hint: str = "",
        secrets: tuple[str, ...] = (),
        wire: ModelWire | None = None,
    ) -> None:
        self.name = name
        self._model = model
        self._wire = wire
        self._used = False
        self._server = server or ServerSettings()
        self._server_retries = server_retries or Retries()
        self._read = Counter(bytes=_BYTES, tokens=1)
        self._gives_probabilities = self._takes_temperature = not _refuses_sampling(model.profile)
        self._endpoint = Endpoint(name, base_address(model.base_url), key_hint, secrets)
        own = name.partition(":")[0]
        self._narrows = own in ("local", "ollama")
        self._free = own == "local" or (own == "ollama" and is_loopback(model.base_url or ""))
        self._takes_schema = True
        shows_form = own == "ollama" or model.profile.get("native_output_requires_schema_in_instructions", False)
        self._form = "prompt" if self._server.structured == "prompt" else "both" if shows_form else ""
        sampling = _settings(model, self._server).get("temperature")
        written = f"{self._server.longest or ''}{self._form}"
        self.identity = json.dumps([name, model.model_name, self._endpoint.address, sampling, written])

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        """Answer one operator call.

        Raises what `Model.answer` raises; all but ConfigError carry the usage already spent.
        """
        if limits.seconds is not None and limits.seconds <= 0:
            raise BudgetExhausted("seconds", spent="all", allowed="0", usage=Usage())
        self._used = True
        spent = RunUsage()
        server, prompt = self._server, operator.prompt(value)
        if operator.asked:
            server = server.model_copy(update=operator.asked.model_dump(exclude_unset=True))
        attempts = Attempts(self._model, limits, spent, self._server_retries, operator, value)
        agent, size = self._agent(operator, value, server, attempts)
        try:
            try:
                result = await agent.run(prompt, usage=spent, timeout=limits.seconds)
            except ModelHTTPError as error:
                if not self._forgoes(error):
                    raise
                agent, size = self._agent(operator, value, server, attempts)
                result = await agent.run(prompt, usage=spent, timeout=limits.seconds)
        except BudgetExhausted as error:
            error.usage = self._usage(spent, attempts)
            raise
        except RunTimedOut:
            allowed = f"{limits.seconds:.3g}"
            usage = self._usage(spent, attempts, lost=True)
            raise BudgetExhausted("seconds", spent=allowed, allowed=allowed, usage=usage) from None
        except CutReply as cut:  # of a client that lets it through as it is
            raise cut_short(cut, self._endpoint, self._usage(spent, attempts, lost=True)) from None
        except (AgentRunError, UserError) as error:
            usage = self._usage(spent, attempts, lost=attempts.lost)
            # `from None`: the causes contain requests, with headers and prompts.
            raise explain(error, self._endpoint, operator.name, usage) from None
        self._gives_probabilities &= not attempts.probabilities_refused
        if attempts.sent == 1 and not attempts.estimated:
            self._read += Counter(bytes=size, tokens=spent.input_tokens)
        return Reply(output=with_probabilities(result.output, result.response), usage=self._usage(spent, attempts))

    def _agent(
        self, operator: Operator[I, O], value: I, server: ServerSettings, attempts: Attempts
    ) -> tuple[Agent[object, O], int]:
        """What asks for the operator's output, and the bytes of its prompt.

        Raises ModelFailed: the prompt is longer than the model's context.
        """
        output, form = _constrained(operator.output, self._model.profile, self._form)
        attempts.in_plain_text, attempts.narrows = not self._takes_schema, self._narrows
        size = len(f"{operator.instructions}{form}{operator.prompt(value)}".encode())
        self._check_context(size, server, operator.name)
        settings = _settings(self._model, server)
        if not self._takes_temperature:
            settings.pop("temperature", None)
        weighed = self._gives_probabilities and weighs(operator.output)
        agent: Agent[object, O] = Agent(
            attempts,
            output_type=output,
            instructions=operator.instructions + form,
            retries=server.retries,
            model_settings=asking_for_probabilities(settings) if weighed else settings,
        )
        agent.output_validator(_checked(operator, value))
        return agent, size

    def _forgoes(self, error: ModelHTTPError) -> bool:
        """Whether its server refuses something that it can be asked without, which it is not sent from now on."""
        told = str(error.body).casefold() if error.status_code in REFUSALS else ""
        if "temperature" in told and self._takes_temperature:
            self._takes_temperature = False
            return True
        if self._takes_schema and any(word in told for word in _OF_A_SCHEMA):
            self._takes_schema, self._form = False, "prompt"
            return True
        return False

    def _check_context(self, size: int, server: ServerSettings, operator: str) -> None:
        """Refuse a prompt that its model cannot read, by the tokens that its server has counted so far."""
        tokens = round(size * self._read["tokens"] / self._read["bytes"])
        if server.context is not None and tokens + (server.longest or 0) > server.context:
            reason = f"{operator!r} needs about {tokens:,} tokens, more than models.{self.name}.context allows"
            raise ModelFailed(f"{reason}; {SHORTER}", model=self.name, usage=Usage())

    async def close(self) -> None:
        """Close the connections. The next call opens them again."""
        if self._used:
            self._used = False
            async with self._model:  # entering and leaving makes the provider close its client
                pass
            if self._wire is not None:
                await self._wire.aclose()

    def _usage(self, spent: RunUsage, attempts: Attempts, *, lost: bool = False) -> Usage:
        """What a call has cost. `lost`: a request was sent, but its answer, which may be charged for, never arrived."""
        price = spent.cost if spent.requests else Decimal(0)
        if lost or spent.unmeasured_requests or attempts.estimated:
            price = None
        return Usage(
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            estimated_tokens=attempts.estimated,
            model_calls=attempts.sent,
            price=Decimal(0) if self._free else price,
        )


def _checked(operator: Operator[I, O], value: I) -> Callable[[RunContext[object], O], O]:
    """A check that has the model asked again; of its last reply, ids that were not given are dropped."""

    def check(context: RunContext[object], output: O) -> O:
        if context.last_attempt:
            output = without_unknown(output, operator.choices(value))
        try:
            operator.check(value, output)
        except InvalidOutput as error:
            raise ModelRetry(str(error)) from None
        return output

    return check


def _constrained(output: type[O], profile: Mapping[str, Any], form: str) -> tuple[Any, str]:
    """The strictest way to constrain the output that a model supports, and what the prompt says of it; plain text is
    not constrained."""
    if issubclass(output, PlainOutput):
        plain: Any = output

        def written(text: str) -> Any:
            return plain(text=text)

        return TextOutput(written), ""
    if form != "prompt" and profile.get("supports_json_schema_output"):
        return NativeOutput(output, template=False), form_of(output) if form else ""
    if form != "prompt" and profile.get("supports_tools", True):
        return ToolOutput(output), ""
    return PromptedOutput(output, template=False), form_of(output)


def _settings(model: ProviderModel, server: ServerSettings) -> ModelSettings:
    # A retry gives its reason in a message of the user alone: many chat templates refuse a second system message.
    settings = ModelSettings(request_timeout=server.timeout, framing_announcement="never")
    if "max_retries" not in model.unsupported_settings:
        settings["max_retries"] = 0
    if server.longest is not None:
        settings["max_tokens"] = server.longest
    if not _refuses_sampling(model.profile):
        settings["temperature"] = server.temperature
    return settings


def _refuses_sampling(profile: Mapping[str, Any]) -> bool:
    """Whether a temperature would be dropped with a warning, as for models that reason by default."""
    if profile.get("anthropic_disallows_sampling_settings"):
        return True
    if not profile.get("openai_supports_reasoning"):
        return False
    efforts = profile.get("openai_reasoning_efforts")
    can_stop = "none" in efforts if efforts is not None else profile.get("openai_supports_reasoning_effort_none", False)
    return profile.get("thinking_enabled_by_default", False) or not can_stop
