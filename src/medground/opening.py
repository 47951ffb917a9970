"""Opening an engine: everything is checked before the first call that costs something; all problems come at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from medground.errors import ConfigError, MedgroundError
from medground.fetched import with_fetched
from medground.models.open import open_models
from medground.models.registry import Models
from medground.recipes.base import Recipe, open_recipe
from medground.settings import Settings
from medground.sources.base import Source
from medground.verify.critics.open import check_critic

T = TypeVar("T")


@dataclass(frozen=True)
class Setup:
    """What is needed to answer a question: settings, the recipe that they name, and the models."""

    settings: Settings
    recipe: Recipe
    models: Models


async def set_up(settings: Settings, models: Models | None = None) -> Setup:
    """Open what the settings name apart from the sources; `models` are those that are already open.

    Raises:
        UsageError: an unknown recipe.
        ConfigError: a missing key or extra, an unknown model, a reranker or critic that cannot be loaded.
    """
    problems: list[MedgroundError] = []
    used = with_fetched(settings)
    recipe = _tried(problems, lambda: open_recipe(settings.recipe.name))
    opened = models or _tried(problems, lambda: open_models_of(settings))
    await asyncio.to_thread(_tried, problems, lambda: check_critic(used.verify.critic, used.home / "models"))
    if recipe is not None:
        problems += await _problems(recipe, used, ())
    if recipe is None or opened is None or problems:
        if models is None and opened is not None:
            await opened.close()
        raise one_report(problems)
    return Setup(settings, recipe, opened)


async def check_sources(setup: Setup, sources: Sequence[Source]) -> None:
    """Let the recipe check the sources.

    Raises:
        MedgroundError: what the recipe finds wrong with them.
    """
    if problems := await _problems(setup.recipe, with_fetched(setup.settings), sources):
        raise one_report(problems)


def one_report(problems: Sequence[MedgroundError]) -> MedgroundError:
    """Several problems as one error."""
    if len(problems) == 1:
        return problems[0]
    return ConfigError("; ".join(str(problem) for problem in problems))


async def _problems(recipe: Recipe, settings: Settings, sources: Sequence[Source]) -> list[MedgroundError]:
    return await asyncio.to_thread(lambda: list(recipe.check(settings, sources)))


def open_models_of(settings: Settings) -> Models:
    """The models that settings name, with those that their recipe implies.

    Raises:
        ConfigError: an operator or model is unknown, or a key or extra is missing.
    """
    settings = settings.model_copy(update={"model": settings.served})
    if not settings.model.operators:
        return open_models(settings, ())
    from medground.operators.catalogue import operator_names  # it loads every recipe

    return open_models(settings, operator_names())


def _tried(problems: list[MedgroundError], step: Callable[[], T]) -> T | None:
    try:
        return step()
    except MedgroundError as error:
        problems.append(error)
        return None


class Closable(Protocol):
    """What an `Opening` can open."""

    async def close(self) -> None:
        """Free what it holds."""
        ...


C = TypeVar("C", bound=Closable)


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

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._opened is not None:
            await self._opened.close()
