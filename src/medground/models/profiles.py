"""What each kind of model server takes: how it holds an output to a form, how much it is let reason, what it caches.

The kind is chosen by the provider in the model's name, by the address, or by `models.NAME.profile`. What a server then
refuses is left out, and remembered while the model is open: `ServedModel`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic_ai.profiles.openai import OpenAIModelProfile

from medground.home.settings_groups import Effort, ProfileName

Form = Literal["schema", "tool", "object", "prompt"]
"""A JSON schema, the arguments of a call that is forced, any JSON object, or what the prompt asks for alone."""


@dataclass(frozen=True)
class ServerProfile:
    """What one kind of server takes.

    Attributes:
        shows_schema: whether the model sees the schema; otherwise the prompt lists the fields.
        small: whether its models are small as a rule. The schema then allows only the ids of the call, which a server
            that compiles or caches schemas would have to do anew for each question, and no worked example is shown.
        reasoning: the parameter that sets how much the model reasons: `reasoning_effort`; `template` for arguments of
            the chat template; `library` where pydantic-ai knows what its models take.
        marks_cache: whether the start of a prompt is cached only where it is marked.
    """

    shows_schema: bool = False
    small: bool = False
    reasoning: Literal["reasoning_effort", "template", "library"] = "reasoning_effort"
    marks_cache: bool = False


PROFILES: Mapping[ProfileName, ServerProfile] = {
    "openai": ServerProfile(shows_schema=True, reasoning="library"),
    "anthropic": ServerProfile(shows_schema=True, reasoning="library", marks_cache=True),
    "ollama": ServerProfile(small=True),
    "llama.cpp": ServerProfile(small=True, reasoning="template"),
    "vllm": ServerProfile(reasoning="template"),
    "generic": ServerProfile(),
}
"""Servers that mask tokens (llama.cpp, Ollama, vLLM) do not show a model the schema that they hold it to."""

_BY_PROVIDER: Mapping[str, ProfileName] = {
    "local": "llama.cpp",
    "ollama": "ollama",
    "vllm": "vllm",
    "anthropic": "anthropic",
}
_OPENAI = ("openai", "openai-chat", "openai-responses")
_OLLAMA_PORT = 11434

COMPATIBLE_MODEL = OpenAIModelProfile(
    supports_json_schema_output=True,
    supports_json_object_output=True,
    supports_thinking=True,
    native_output_requires_schema_in_instructions=True,  # ours is shorter than pydantic-ai's: `form_of`
    openai_chat_supports_multiple_system_messages=False,
    supports_inline_system_prompts=False,
)
"""Any model at an address in OpenAI's style. It gets a single system message, which every chat template accepts."""


def profile_of(model: str, address: str, chosen: ProfileName | None) -> ServerProfile:
    """The profile of a model's server, such as `ollama:llama3` at `http://localhost:11434/v1`."""
    provider = model.partition(":")[0]
    name = chosen or _BY_PROVIDER.get(provider, "openai")
    if chosen is None and provider in _OPENAI:
        name = _at(address)
    return PROFILES[name]


def _at(address: str) -> ProfileName:
    parts = urlsplit(address)
    if f".{parts.hostname or 'openai.com'}".endswith(".openai.com"):
        return "openai"
    return "ollama" if parts.netloc.endswith(f":{_OLLAMA_PORT}") else "generic"


def forms_of(model: Mapping[str, Any]) -> list[Form]:
    """How a model can be held to a form, the strictest first; `model` is its profile by pydantic-ai."""
    forms: list[Form] = ["schema"] if model.get("supports_json_schema_output") else []
    forms += ["tool"] if model.get("supports_tools", True) else []
    forms += ["object"] if model.get("supports_json_object_output") else []
    return [*forms, "prompt"]


def reasons(effort: Effort | None) -> bool:
    """Whether a model that is given this effort reasons, as far as one knows."""
    return effort not in (None, "none")


def reasoning_settings(profile: ServerProfile, effort: Effort) -> dict[str, Any]:
    """The settings of a request that ask for an effort."""
    if profile.reasoning == "library":
        return {"thinking": effort if reasons(effort) else False}
    if profile.reasoning == "reasoning_effort":
        return {"openai_reasoning_effort": effort}
    told = {"reasoning_effort": effort} if reasons(effort) else {}
    return {"extra_body": {"chat_template_kwargs": {"enable_thinking": reasons(effort), **told}}}
