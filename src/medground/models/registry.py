"""Which model answers which operator: opened from the settings, with one cache of replies for all."""

import asyncio
import contextlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self, TypeVar
from weakref import WeakValueDictionary

from medground.errors import ConfigError
from medground.home.files import digest, tell_once, write_whole
from medground.home.registry import find
from medground.home.settings import Settings
from medground.home.settings_groups import OperatorSettings
from medground.models.base import NAMES, CallLimits, Keyless, Model, Reply, base_address
from medground.models.operators.base import Heard, I, InvalidOutput, O, Operator, OperatorOutput
from medground.values.usage import KEYLESS, Usage

R = TypeVar("R", bound=OperatorOutput)
_PROVIDERS = ("anthropic", "azure", "google", "groq", "keyless", "local", "mistral", "ollama", "openai", "planner")
"""Near which a name is taken for a slip; others are looked for, too."""

FORMAT = 1


class CallCache:
    """A folder of replies: the call with key `abcdef...` is stored in `ab/cdef....json`.

    Many processes may share a folder because files are written atomically. A file that is damaged, or that no longer
    fits its operator, counts as a miss and is rewritten. If a write fails, the answer is unaffected and one warning is
    logged.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str, output_type: type[R]) -> Reply[R] | None:
        """The stored reply of a call with what it costs from the cache, or None."""
        try:
            stored = json.loads(self._path(key).read_bytes())
            content = [stored["output"], stored["usage"]]
            if stored["format"] != FORMAT or stored["sha256"] != digest([key, content]):
                return None
            output = output_type.model_validate_json(json.dumps(stored["output"]))
            return Reply(output=output, usage=Usage.model_validate(stored["usage"]).from_cache())
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            # ValueError covers broken JSON, broken UTF-8 and pydantic's ValidationError.
            return None

    def put(self, key: str, reply: Reply[Any], about: Mapping[str, str]) -> None:
        """Store the reply to a call. `about` names the model and the operator, for anyone who opens the file."""
        output, usage = reply.output.model_dump(mode="json"), reply.usage.model_dump(mode="json")
        stored = {"format": FORMAT, "sha256": digest([key, [output, usage]]), "about": dict(about)}
        stored |= {"output": output, "usage": usage}
        try:
            write_whole(self._path(key), json.dumps(stored, ensure_ascii=False), private=True, synced=False)
        except OSError as error:
            tell_once(f"cannot store model replies in {self._folder}", error)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.json"


class Models:
    """The open models by name, and the name of the model for each operator, which is `default` for all others.

    `concurrency` is the most calls at once to models that can be cached; `asked` is how single operators are asked,
    `prompts` are the user's own.
    """

    def __init__(
        self,
        default: str,
        operators: Mapping[str, str],
        models: Mapping[str, Model],
        cache: CallCache | None = None,
        concurrency: int = 8,
        asked: Mapping[str, OperatorSettings] = MappingProxyType({}),
        prompts: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._default = default
        self._asked, self._prompts = asked, prompts
        self._operators = dict(operators)
        self._models = dict(models)
        self._cache = cache
        self._slots = asyncio.Semaphore(concurrency)
        self._under_way: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @classmethod
    def keyless(cls) -> Self:
        """Word statistics for all operators."""
        return cls(KEYLESS, {}, {KEYLESS: Keyless()})

    def for_operator(self, operator: str) -> Model:
        """The model that answers an operator."""
        return self._models[self._operators.get(operator, self._default)]

    async def answer(
        self,
        operator: Operator[I, O],
        value: I,
        limits: CallLimits,
        *,
        kept: CallCache | None = None,
        heard: Heard | None = None,
    ) -> Reply[O]:
        """Answer from the cache or by the model. With a cache, identical concurrent calls run once.

        `kept` are the replies of a run that can be resumed, which serve where there is no cache. `heard` is called with
        each text of the operator's field `streamed` when its model has written it, before the whole is checked.

        Raises what `Model.answer` raises.
        """
        model = self.for_operator(operator.name)
        operator = replace(operator, asked=self._asked.get(operator.name), heard=heard)
        asks_ours = model.name.partition(":")[0] in (KEYLESS, "planner")  # a planner was trained on ours
        if not asks_ours and (own := self._prompts.get(operator.name)):
            operator = operator.with_prompt(own)
        if not model.cacheable:
            return await model.answer(operator, value, limits)
        cache = self._cache or kept
        if cache is None:
            async with self._slots:
                return await model.answer(operator, value, limits)
        key = call_key(model, operator, value)
        async with self._under_way.setdefault(key, asyncio.Lock()):  # identical calls wait for the stored reply
            stored = cache.get(key, operator.output)
            with contextlib.suppress(InvalidOutput):  # the check may be stricter than when it was stored
                if stored is not None:
                    operator.check(value, stored.output)
                    return stored
            async with self._slots:
                reply = await model.answer(operator, value, limits)
            cache.put(key, reply, {"model": model.name, "operator": operator.name})
            return reply

    async def close(self) -> None:
        """Close every model."""
        await asyncio.gather(*(model.close() for model in self._models.values()))


def call_key(model: Model, operator: Operator[I, O], value: I) -> str:
    """Cache key of a call: SHA-256 of everything that determines its output."""
    content = {
        "model": model.identity,
        "operator": operator.name,
        "instructions": operator.taught_by,
        "schema": operator.output.model_json_schema(),
        "prompt": operator.prompt(value),
    }
    if operator.asked:
        said = {"temperature", "longest", "reasoning", "typed"}
        content |= operator.asked.model_dump(include=said, exclude_unset=True)
    return digest(content)


def own_address(name: str, settings: Settings) -> str:
    """The address that the settings give a model, without user and password; empty for its provider's own."""
    return base_address(settings.server_of(name).base_url)


def open_models(settings: Settings, operators: Iterable[str]) -> Models:
    """Open the models that the settings name. Nothing is called, started or downloaded yet.

    A key in the environment does not select a model: unless the settings name one, `keyless` answers. `operators` are
    the names of all of them, which the settings may use.

    Raises ConfigError: an operator or model is unknown, or a key or extra is missing; one line lists all problems.
    """
    valid = sorted(operators)
    given = {f"model.operators.{name}": name for name in settings.model.operators}
    given |= {f"operators.{name}": name for name in settings.operators}
    unknown = sorted(setting for setting, name in given.items() if name not in valid)
    problems = [f"{setting} is not an operator; available: {', '.join(valid)}" for setting in unknown]
    models: dict[str, Model] = {}
    for name in sorted({settings.model.default, *settings.model.operators.values()}):
        try:
            models[name] = _open(name, settings)
        except ConfigError as error:
            problems.append(str(error))
    if problems:
        raise ConfigError("; ".join(problems))
    return Models(
        settings.model.default,
        settings.model.operators,
        models,
        cache=CallCache(settings.home / "cache" / "calls") if settings.model.cache else None,
        concurrency=settings.model.concurrency,
        asked=settings.operators,
        prompts=settings.prompts,
    )


def _open(name: str, settings: Settings) -> Model:
    if name == KEYLESS:
        return Keyless()
    if name.partition(":")[0] not in _PROVIDERS and (own := find("models", name, Model)) is not None:
        return own
    if name.partition(":")[0] == "local":
        from medground.models.local import open_local

        return open_local(name, settings)
    if name.startswith("planner:"):
        from medground.models.planner import open_planner_model

        return open_planner_model(name)
    provider, _, model = name.partition(":")
    if not provider or not model:
        raise ConfigError(f"unknown model {name!r}; {NAMES}")
    if provider not in _PROVIDERS and (near := get_close_matches(provider, _PROVIDERS, 1)):
        raise ConfigError(f"unknown model {name!r}; did you mean {near[0]}:{model}?")
    try:
        from medground.models.hosted import open_hosted
    except ImportError:
        raise ConfigError(f'model {name!r} needs the extra "models": pip install "medground[models]"') from None
    return open_hosted(name, settings)
