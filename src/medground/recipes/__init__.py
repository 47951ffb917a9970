"""Recipes by name. A recipe is one async function from a question and a run to an answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module

from medground.answer import Answer
from medground.errors import UsageError
from medground.question import Question
from medground.run import Run

Recipe = Callable[[Question, Run], Awaitable[Answer]]

_PLACES = {
    "ground": "medground.recipes.ground:ground",
    "model-only": "medground.recipes.baselines:model_only",
    "pubmed-reasoner": "medground.recipes.pubmed_reasoner:pubmed_reasoner",
    "rag": "medground.recipes.baselines:rag",
    "reason-and-verify": "medground.recipes.reason_and_verify:reason_and_verify",
    "self-medrag": "medground.recipes.self_medrag:self_medrag",
    "self-reflection": "medground.recipes.baselines:self_reflection",
}


def recipe_names() -> list[str]:
    """All recipes."""
    return sorted(_PLACES)


def open_recipe(name: str) -> Recipe:
    """The recipe called `name`.

    Raises:
        UsageError: there is none.
    """
    if name not in _PLACES:
        raise UsageError(f"unknown recipe {name!r}; there are: {', '.join(recipe_names())}")
    module, _, function = _PLACES[name].partition(":")
    recipe: Recipe = getattr(import_module(module), function)
    return recipe
