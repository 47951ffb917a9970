"""A recipe: its declaration, its algorithm and its check; and how all of them fuse and filter what they found.

What a recipe, its planner and its steps raise is what the run raises that they ask: `SourceUnavailable` where no source
could be searched or a document can no longer be fetched, `ModelFailed` where a model gave no usable output, and
`BudgetExhausted` where a limit was reached. Only what else a function raises is said beside it.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from medground.answering.conclude.compose import so_far
from medground.answering.declaration import Declaration
from medground.answering.rank.fuse import as_one, fuse
from medground.answering.read.readable import readable, texts
from medground.answering.run import Run
from medground.errors import MedgroundError
from medground.home.registry import find, unknown
from medground.home.settings import Settings
from medground.sources.base import Source
from medground.values.answer import Answer
from medground.values.document import Hit
from medground.values.lookup import Found, Lookup, Ranking
from medground.values.question import Question

SoFar = Callable[[Run, str], Awaitable[Answer]]
"""What there is when a run ends early, and why it ended: it asks no source, and no model but word statistics."""

Check = Callable[[Settings, Sequence[Source]], Iterator[MedgroundError]]
"""Yields problems with the settings or the sources. It may load a model, and blocks while it does.
It is called twice: without sources before they are opened, then with all of them."""


def fused(found: Iterable[Found], run: Run) -> Ranking:
    """The hits of all rankings, fused by their ranks; what several corpora found for one lookup is one ranking."""
    by_lookup: dict[Lookup, list[Ranking]] = {}
    for one in found:
        by_lookup.setdefault(one.lookup, []).extend(one.rankings)
    rankings = [ranking for some in by_lookup.values() for ranking in as_one(some)]
    return fuse(rankings, k=run.settings.retrieval.fusion_k)


async def readable_texts(hits: Sequence[Hit], run: Run) -> list[Hit]:
    """The texts that may be read, without retracted papers unless the settings read them as published."""
    return await readable(texts(hits), run, retractions=run.settings.recipe.retractions)


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
    check: Check = lambda settings, sources: iter(())
    so_far: SoFar = first_quotes


def open_recipe(name: str) -> Recipe:
    """Load the recipe called `name`. Raises UsageError: no recipe has this name; ConfigError: it cannot be loaded."""
    if (recipe := find("recipes", name, Recipe)) is None:
        raise unknown("recipes", name)
    return recipe
