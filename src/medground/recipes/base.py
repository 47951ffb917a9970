"""A recipe: its declaration, its algorithm and its check.

What a recipe, its planner and its steps raise is what the run raises that they ask: `SourceUnavailable` where no source
could be searched or a document can no longer be fetched, `ModelFailed` where a model gave no usable output, and
`BudgetExhausted` where a limit was reached. Only what else a function raises is said beside it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module

from medground.answering.conclude.compose import so_far
from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.errors import MedgroundError, UsageError
from medground.home.registry import RECIPES, recipe_names
from medground.home.settings import Settings
from medground.sources.base import Source
from medground.values.answer import Answer
from medground.values.question import Question

SoFar = Callable[[Run, str], Awaitable[Answer]]
"""What there is when a run ends early, and why it ended: it asks no source, and no model but word statistics."""

Check = Callable[[Settings, Sequence[Source]], Iterator[MedgroundError]]
"""Yields problems with the settings or the sources. It may load a model, and blocks while it does.
It is called twice: without sources before they are opened, then with all of them."""


def no_problems(settings: Settings, sources: Sequence[Source]) -> Iterator[MedgroundError]:
    """The check of a recipe without needs of its own."""
    return iter(())


async def first_quotes(run: Run, stopped: str) -> Answer:
    """The answer of a run that ended early, of a recipe without one of its own."""
    return so_far(run, stopped)


@dataclass(frozen=True, kw_only=True)
class Recipe(Declaration):
    """One way to answer a question. Its file reads like the paper's algorithm and ends with its declaration.

    Attributes:
        run: the algorithm.
        check: finds problems with settings and sources before the first call that costs something.
        so_far: makes the answer of a run that ends early.
    """

    run: Callable[[Question, Run], Awaitable[Answer]]
    check: Check = no_problems
    so_far: SoFar = first_quotes


def open_recipe(name: str) -> Recipe:
    """Load the recipe called `name`.

    Raises:
        UsageError: no recipe has this name.
    """
    if name not in RECIPES:
        raise UsageError(f"unknown recipe {name!r}; choose one of {', '.join(recipe_names())}")
    module, _, constant = RECIPES[name].partition(":")
    recipe: Recipe = getattr(import_module(module), constant)
    return recipe
