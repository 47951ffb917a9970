"""Models that answer through pydantic-ai: hosted, at your own address, or in this process."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, cast

import pydantic_ai
from pydantic_ai import (
    Agent,
    AgentRunResult,
    ModelRetry,
    NativeOutput,
    PromptedOutput,
    RunContext,
    RunUsage,
    TextOutput,
    ToolOutput,
)
from pydantic_ai.exceptions import AgentRunError, ModelHTTPError, RunTimedOut, UserError
from pydantic_ai.models import Model as ProviderModel
from pydantic_ai.settings import ModelSettings

from medground.errors import BudgetExhausted, ModelFailed
from medground.home.settings_groups import ServerSettings
from medground.models.attempts import Attempts, Retries
from medground.models.base import CallLimits, Reply, base_address
from medground.models.failures import SHORTER, Endpoint, cut_short, explain
from medground.models.operators.base import I, InvalidOutput, O, Operator
from medground.models.output import (
    REFUSALS,
    asking_for_probabilities,
    form_of,
    weighs,
    with_probabilities,
    without_echo,
    without_unknown,
)
from medground.models.profiles import Form, forms_of, profile_of, reasoning_settings, reasons
from medground.sources.http.clients import Bounded, CutReply
from medground.sources.http.service import is_loopback
from medground.values.usage import Usage

pydantic_ai.BANNER_ENABLED = False
_BYTES = 4
"""Bytes of a token of English, roughly, until a server has counted some."""
_FORM = "form"
_REFUSED_BY: Mapping[str, tuple[str, ...]] = {
    "temperature": ("temperature",),
    "reasoning": ("reasoning", "think", "chat_template_kwargs"),
    _FORM: ("response_format", "schema", "structured output", "guided", "grammar", "tool"),
}
"""Words of a server that refuses a part of a request, by the part. It is asked again without it."""
_CACHED_BY_DEEPSEEK = "prompt_cache_hit_tokens"
LARGEST_REPLY = 8 << 20
"""Most bytes of a model's reply. The longest answer of an operator is a few kilobytes, a hundred with probabilities."""


class ServedModel:
    """A pydantic-ai model that answers operators.

    The output is constrained as strictly as its server allows (`profiles`), or by the prompt alone (`structured =
    "prompt"`). What the server refuses, be it the schema, a temperature or an effort of reasoning, is left out and not
    sent again. Either way the output is read as it was meant (`as_meant`), validated, and checked by the operator. If
    it does not pass, the model is asked again and given the reason.

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
        wire: Bounded | None = None,
    ) -> None:
        self.name = name
        self._model = model
        self._wire = wire
        self._used = False
        self._server = server or ServerSettings()
        self._server_retries = server_retries or Retries()
        self._read = Counter(bytes=_BYTES, tokens=1)
        self._endpoint = Endpoint(name, base_address(model.base_url), key_hint, secrets)
        self._profile = profile_of(name, self._endpoint.address, self._server.profile)
        self._forms = forms_of(model.profile)
        if self._server.structured == "prompt":
            self._forms = [form for form in self._forms if form in ("object", "prompt")]
        self._refused: frozenset[str] = frozenset()
        self._gives_probabilities = not _refuses_sampling(model.profile)
        provider = name.partition(":")[0]
        self._free = provider == "local" or (provider == "ollama" and is_loopback(model.base_url or ""))
        sampling = self._settings(self._server).get("temperature")
        written = [self._server.longest, self._server.reasoning, self._forms[0], self._profile.shows_schema]
        self.identity = json.dumps([name, model.model_name, self._endpoint.address, sampling, *written])

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        """Answer one operator call.

        Raises what `Model.answer` raises; all but ConfigError carry the usage already spent.
        """
        if limits.seconds is not None and limits.seconds <= 0:
            raise BudgetExhausted("seconds", spent="all", allowed="0", usage=Usage())
        self._used = True
        spent = RunUsage()
        server = self._server
        if operator.asked:
            own = operator.asked.model_dump(include=set(ServerSettings.model_fields), exclude_unset=True)
            server = server.replace(**own)
        attempts = Attempts(self._model, limits, spent, self._server_retries, operator, value)
        try:
            result = await self._run(operator, value, server, attempts)
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
            self._read += Counter(bytes=attempts.size, tokens=spent.input_tokens)
        return Reply(output=with_probabilities(result.output, result.response), usage=self._usage(spent, attempts))

    async def _run(
        self, operator: Operator[I, O], value: I, server: ServerSettings, attempts: Attempts
    ) -> AgentRunResult[O]:
        """The model's checked output. What its server refuses is left out.

        Raises ModelFailed: the prompt is longer than the model's context; AgentRunError: the call failed.
        """
        while True:
            before = self._forms[0], self._refused
            agent = self._agent(operator, value, server, attempts)
            try:
                return await agent.run(operator.prompt(value), usage=attempts.spent, timeout=attempts.limits.seconds)
            except ModelHTTPError as error:
                # Another call may have learned of the refusal since this one was sent.
                if before == (self._forms[0], self._refused) and not self._forgoes(error):
                    raise

    def _agent(
        self, operator: Operator[I, O], value: I, server: ServerSettings, attempts: Attempts
    ) -> Agent[object, O]:
        form = self._forms[0]
        seen = self._profile.shows_schema and form in ("schema", "tool")
        shown = "" if seen or operator.is_prose else form_of(operator.output)
        shows_example = operator.example and not (self._profile.small or operator.template)
        example = f"\n\n{operator.example}" if shows_example else ""
        instructions = f"{operator.instructions}{shown}{example}"
        attempts.in_plain_text, attempts.narrows = form == "prompt", self._profile.small
        attempts.size = len(f"{instructions}{operator.prompt(value)}".encode())
        self._check_context(attempts.size, server, operator.name)
        settings = self._settings(server)
        weighed = self._gives_probabilities and weighs(operator.output)
        agent: Agent[object, O] = Agent(
            attempts,
            output_type=_constrained(operator, value, form),
            instructions=instructions.strip() or None,
            retries=server.retries,
            model_settings=asking_for_probabilities(settings) if weighed else settings,
        )
        agent.output_validator(_checked(operator, value))
        return agent

    def _forgoes(self, error: ModelHTTPError) -> bool:
        """Whether its server refuses something that it can be asked without, which it is not sent from now on."""
        told = str(error.body).casefold() if error.status_code in REFUSALS else ""
        for part, words in _REFUSED_BY.items():
            if part in self._refused or not any(word in told for word in words):
                continue
            if part != _FORM:
                self._refused |= {part}
                return True
            if len(self._forms) > 1:
                self._forms.pop(0)
                return True
        return False

    def _settings(self, server: ServerSettings) -> ModelSettings:
        # A retry gives its reason in a message of the user alone: many chat templates refuse a second system message.
        settings: dict[str, Any] = {"framing_announcement": "never", "request_timeout": server.timeout}
        if "timeout" not in self._model.unsupported_settings:  # else a client ends long ones by itself, after 600 s
            settings["timeout"] = server.timeout
        if "max_retries" not in self._model.unsupported_settings:
            settings["max_retries"] = 0
        if server.longest is not None:
            settings["max_tokens"] = server.longest
        if self._profile.marks_cache:
            settings["cache"] = {"messages": False}
        if server.reasoning is not None and "reasoning" not in self._refused:
            settings |= reasoning_settings(self._profile, server.reasoning)
        if not (reasons(server.reasoning) or "temperature" in self._refused or _refuses_sampling(self._model.profile)):
            settings["temperature"] = server.temperature
        return cast("ModelSettings", settings)

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
        cached = spent.cache_read_tokens or spent.details.get(_CACHED_BY_DEEPSEEK, 0)
        if lost or spent.unmeasured_requests or attempts.estimated:
            price = None
        return Usage(
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            server_cached_tokens=min(cached, spent.input_tokens),
            reasoning_tokens=min(spent.output_reasoning_tokens, spent.output_tokens),
            estimated_tokens=attempts.estimated,
            model_calls=attempts.sent,
            price=Decimal(0) if self._free else price,
        )


def _checked(operator: Operator[I, O], value: I) -> Callable[[RunContext[object], O], O]:
    """A check that has the model asked again. What it copied from its instructions is dropped, and of its last reply
    ids that were not given."""
    told = "\n".join([operator.instructions, *operator.rules])

    def check(context: RunContext[object], output: O) -> O:
        output = without_echo(output, told)
        if context.last_attempt:
            output = without_unknown(output, operator.choices(value))
        try:
            operator.check(value, output)
        except InvalidOutput as error:
            raise ModelRetry(str(error)) from None
        return output

    return check


def _constrained(operator: Operator[I, O], value: I, form: Form) -> Any:
    """The output as pydantic-ai constrains it by a form; prose is not constrained."""
    output: Any = operator.output
    if operator.is_prose:

        def read(text: str) -> Any:
            try:
                return operator.reads(value, text) if operator.is_read and operator.reads else output(text=text)
            except InvalidOutput as error:
                raise ModelRetry(str(error)) from None

        return TextOutput(read)
    if form == "schema":
        return NativeOutput(output, template=False)
    return ToolOutput(output) if form == "tool" else PromptedOutput(output, template=False)


def _refuses_sampling(profile: Mapping[str, Any]) -> bool:
    """Whether a temperature would be dropped with a warning, as for models that reason by default."""
    if profile.get("anthropic_disallows_sampling_settings"):
        return True
    if not profile.get("openai_supports_reasoning"):
        return False
    efforts = profile.get("openai_reasoning_efforts")
    can_stop = "none" in efforts if efforts is not None else profile.get("openai_supports_reasoning_effort_none", False)
    return profile.get("thinking_enabled_by_default", False) or not can_stop
