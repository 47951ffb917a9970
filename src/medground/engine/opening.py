"""Opening an engine: everything is checked before the first call that costs something; all problems come at once."""

import asyncio
import importlib.util
from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any, Generic, TypedDict, TypeVar

from medground.answering.rank.rerank import Reranker
from medground.answering.verify.critic import Critic
from medground.answering.verify.critics import check_critic
from medground.answering.verify.judges import OPERATOR, may_judge
from medground.corpus.embedder import Embedder
from medground.errors import ConfigError, MedgroundError, UsageError
from medground.home.registry import RECIPES, Group, added, given, joining, trust
from medground.home.settings import Settings
from medground.home.settings_groups import listed
from medground.models.base import Model
from medground.models.catalogue import shipped
from medground.models.registry import Models, open_models
from medground.recipes.base import Recipe, open_recipe
from medground.sources.base import Source, SourceDeclaration
from medground.values.query import Filters
from medground.values.question import Task, checked_list
from medground.values.research_plan import ResearchPlan
from medground.values.usage import Author


def operator_names() -> tuple[str, ...]:
    """All operators by name, for settings that give one to a model: of recipes, of tables, and those that join."""
    recipes = [*map(open_recipe, RECIPES), *added("recipes", Recipe).values()]
    declared = [operator.name for recipe in recipes for operator in recipe.operators]
    return tuple(sorted({"complete", "tabulate", "translate", *declared, *joining("medground.operators")}))


# What a fetched critic changes: without a language model, it judges where no setting names another.


def with_fetched(settings: Settings) -> Settings:
    """The settings with what was fetched; unchanged where a language model judges or nothing was fetched.

    A critic is a default only if it may judge (`verify.judges`). If `verify.critic` is set, that one is used.
    """
    model = settings.model
    if Author(model.default).is_model or Author(model.operators.get(OPERATOR, model.default)).is_model:
        return settings
    if "critic" in settings.verify.model_fields_set or importlib.util.find_spec("onnxruntime") is None:
        return settings
    for one in shipped().values():
        if one.find(settings.home / "models") is not None and may_judge(one.name, settings.verify):
            return settings.with_options({"verify.critic": one.name})
    return settings


class Objects(TypedDict, total=False):
    """What an engine uses in place of what its settings name: a name, a `module:NAME`, or an object.

    An object is known by its `name` in the whole process, where a later one takes its place, and is closed with the
    engine. `sources` are searched besides all others. `embedder` is the model of the corpora that were built with it.
    """

    sources: Sequence[str | Source | SourceDeclaration]
    recipe: str | Recipe
    model: str | Model
    reranker: str | Reranker
    critic: str | Critic
    embedder: str | Embedder


class AskOptions(TypedDict, total=False):
    """What `Engine.ask` takes besides the question and `on_step`, for calls that hand it on."""

    task: Task | None
    options: Sequence[str] | Mapping[str, str]
    context: str
    filters: Filters | None
    recipe: str | Recipe | None
    model: str | None
    settings: Mapping[str, Any] | None
    follow: str | None
    plan: ResearchPlan | None


_TAKEN: Mapping[str, tuple[Group, Any, str]] = {
    "sources": ("sources", Source | SourceDeclaration, "retrieval.sources"),
    "recipe": ("recipes", Recipe, "recipe.name"),
    "model": ("models", Model, "model.default"),
    "reranker": ("rerankers", Reranker, "retrieval.reranker"),
    "critic": ("critics", Critic, "verify.critic"),
    "embedder": ("embedders", Embedder, ""),
}


def with_objects(settings: Settings, objects: Mapping[str, Any]) -> Settings:
    """The settings that name these. Raises UsageError: an object is not what it is given as."""
    if unknown := objects.keys() - _TAKEN.keys():
        raise UsageError(f"an engine takes no {unknown.pop()!r}; it takes {', '.join(_TAKEN)}")
    named = {_TAKEN[key][2]: name_of(key, value) for key, value in objects.items() if key != "sources" and value}
    if sources := [name_of("sources", one) for one in checked_list(listed(objects.get("sources") or ()), "sources")]:
        named["retrieval.sources"] = (*settings.retrieval.sources, *sources)
    named.pop("", None)
    return settings.with_options(named) if named else settings


def name_of(argument: str, value: Any) -> Any:
    """The name of what a program gives, which may be an object; `module:NAME` may be loaded from now on.

    Raises UsageError: the object is not what it is given as.
    """
    group, kind, _ = _TAKEN[argument]
    if isinstance(value, str):
        trust(value)
        return value
    if isinstance(value, type) or not isinstance(value, kind):
        wanted = getattr(kind, "__name__", "Source")
        raise UsageError(f"{argument}: {value!r} is not a {wanted}; docs/integrations.md says what that has")
    is_open = isinstance(value, Source)
    given[group][value.name] = SourceDeclaration(name=value.name, open=lambda _: value) if is_open else value
    return value.name


T = TypeVar("T")


@dataclass(frozen=True)
class Setup:
    """What is needed to answer a question: settings, the recipe that they name, and the models."""

    settings: Settings
    recipe: Recipe
    models: Models


async def set_up(settings: Settings, models: Models | None = None) -> Setup:
    """Open what the settings name apart from the sources; `models` are those that are already open.

    Raises UsageError: an unknown recipe; ConfigError: a missing key or extra, an unknown model, a reranker or critic
    that cannot be loaded.
    """
    problems: list[MedgroundError] = []
    used = with_fetched(settings)
    recipe = _tried(problems, lambda: open_recipe(settings.recipe.name))
    opened = models or _tried(problems, lambda: open_models_of(settings))
    await asyncio.to_thread(_tried, problems, lambda: check_critic(used.verify.critic, used.home / "models"))
    if recipe is not None:
        problems += [*await _problems(recipe, used, ()), *_prompt_problems(recipe, settings)]
    if recipe is None or opened is None or problems:
        if models is None and opened is not None:
            await opened.close()
        raise one_report(problems)
    return Setup(settings, recipe, opened)


async def check_sources(setup: Setup, sources: Sequence[Source]) -> None:
    """Let the recipe check the sources. Raises MedgroundError: what the recipe finds wrong with them."""
    if problems := await _problems(setup.recipe, with_fetched(setup.settings), sources):
        raise one_report(problems)


def one_report(problems: Sequence[MedgroundError]) -> MedgroundError:
    """Several problems as one error."""
    if len(problems) == 1:
        return problems[0]
    return ConfigError("; ".join(dict.fromkeys(str(one.args[0]) for one in problems)))


async def _problems(recipe: Recipe, settings: Settings, sources: Sequence[Source]) -> list[MedgroundError]:
    return await asyncio.to_thread(lambda: list(recipe.check(settings, sources)))


def _prompt_problems(recipe: Recipe, settings: Settings) -> Iterator[MedgroundError]:
    """What is wrong with the user's own prompts for operators of this recipe."""
    own = settings.prompts if any(operator.instructions for operator in settings.operators.values()) else {}
    for one in recipe.operators:
        if one.name in own:
            try:
                replace(one, asked=settings.operators[one.name]).with_prompt(own[one.name])
            except ConfigError as error:
                yield error


def open_models_of(settings: Settings) -> Models:
    """The models that settings name, with those that their recipe implies.

    Raises ConfigError: an operator or model is unknown, or a key or extra is missing.
    """
    settings = settings.replace(model=settings.served)
    return open_models(settings, operator_names() if settings.model.operators or settings.operators else ())


def _tried(problems: list[MedgroundError], step: Callable[[], T]) -> T | None:
    try:
        return step()
    except MedgroundError as error:
        problems.append(error)
        return None


C = TypeVar("C", bound=AbstractAsyncContextManager[Any])


class Opening(Generic[C]):
    """Something that is opened by `await` or by `async with`.

    `engine = await Engine.open()`, or `async with Engine.open() as engine`; `make()` is the coroutine behind both.
    """

    def __init__(self, make: Callable[[], Coroutine[Any, Any, C]]) -> None:
        self.make = make
        self._opened: C | None = None

    def __await__(self) -> Generator[Any, None, C]:
        return self.make().__await__()

    async def __aenter__(self) -> C:
        self._opened = await self.make()
        return self._opened

    async def __aexit__(self, *raised: object) -> None:
        if self._opened is not None:
            await self._opened.__aexit__(None, None, None)


# What answers single questions of an open engine that name another recipe, model or setting.

_FIXED = ("corpora", "sources", "pubmed", "email", "dense", "replay", "record")
"""Settings of retrieval that are used once, when the sources are opened."""


class Setups:
    """Opens each further model once, and closes all of them with the engine."""

    def __init__(self) -> None:
        self._models: list[tuple[object, Models]] = []
        self._opening = asyncio.Lock()
        self._closed = False

    async def changed(self, own: Setup, changes: Mapping[str, Any], sources: Sequence[Source]) -> Setup:
        """The engine's own setup with some settings changed, checked against its sources.

        Raises ConfigError: an unknown setting, or a model, reranker or critic that cannot be used; UsageError: an
        unknown recipe, a setting that is fixed once an engine is open, or the engine was closed.
        """
        chosen = own.settings.with_options(changes)
        fixed = _fixed(own.settings)
        for name, value in _fixed(chosen).items():
            if value != fixed[name]:
                raise UsageError(f"{name} is fixed once an engine is open; open another engine for it")
        asked = _of_models(chosen)
        if asked == _of_models(own.settings):
            return await _checked(chosen, own.models, sources)
        async with self._opening:  # questions that ask for the same model open it once
            opened = next((models for settings, models in self._models if settings == asked), None)
            setup = await _checked(chosen, opened, sources)
            if self._closed:
                await setup.models.close()
                raise UsageError("this engine is closed; open another one with Engine.open")
            if opened is None:
                self._models.append((asked, setup.models))
        return setup

    async def close(self) -> None:
        """Close every model that was opened here. Safe to call twice."""
        self._closed = True
        for _, models in self._models:
            await models.close()


async def _checked(settings: Settings, models: Models | None, sources: Sequence[Source]) -> Setup:
    """What answers with these settings, checked; new models are closed where the check fails."""
    setup = await set_up(settings, models)
    try:
        await check_sources(setup, sources)
    except BaseException:
        if models is None:
            await setup.models.close()
        raise
    return setup


def _of_models(settings: Settings) -> object:
    """What decides which models are opened, and how."""
    return settings.served, settings.models, settings.operators, settings.keys


def _fixed(settings: Settings) -> dict[str, object]:
    """What is used once, when the engine is opened."""
    sections: dict[str, object] = {kind.section: settings.section(kind) for kind in settings.source_sections()}
    of_retrieval = {f"retrieval.{name}": getattr(settings.retrieval, name) for name in _FIXED}
    keys = settings.keys
    of_sources = (keys.ncbi, keys.sciencedirect, keys.brave)
    return {**of_retrieval, **sections, "keys": of_sources, "home": settings.home}
