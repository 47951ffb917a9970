"""Asking a recipe: by word statistics, or with a model that replies as the test says."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from medground.answering.run import Run
from medground.corpus.library import Library
from medground.recipes.base import open_recipe
from medground.sources.corpus import CorpusSource
from medground.values.answer import Answer

MakeRun = Callable[..., Run]


class Asks:
    """Asks one recipe. `model` is the last model, and `seen` the operators and inputs that it was asked."""

    def __init__(self, scripted_model: Any, answered: Callable[..., tuple[Answer, Run]]) -> None:
        self._scripted, self._answered = scripted_model, answered
        self.model: Any = None

    def __call__(
        self, replies: Mapping[str, Any] | None = None, *where: Any, by_model: Sequence[str] | None = None, **more: Any
    ) -> tuple[Answer, Run]:
        """The answer and its run. The operators that have replies are the model's, unless others are named."""
        if replies is None:
            return self._answered(*where, **more)
        self.model = self._scripted(replies)
        return self._answered(*where, model=self.model, by_model=list(by_model or replies), **more)

    @property
    def seen(self) -> list[tuple[str, Any]]:
        """Operator and input of each call of the last model, in order."""
        found: list[tuple[str, Any]] = self.model.seen
        return found

    def values(self, operator: str) -> list[Any]:
        """The inputs of an operator, in order."""
        return [value for name, value in self.seen if name == operator]


def asks(
    scripted_model: Any,
    make_run: MakeRun,
    named: str,
    searched: Library | Callable[[], Sequence[Any]],
    question: str,
    **defaults: Any,
) -> Asks:
    """Asks a recipe about the one corpus of a library, or about sources made for each call, with options as given."""

    def answered(
        text: str = question, *, recipe: str = named, sources: Any = None, options: Any = None, **more: Any
    ) -> tuple[Answer, Run]:
        opened, chosen = open_recipe(recipe), {"recipe.name": recipe, **defaults, **(options or {})}
        with ExitStack() as stack:
            if sources is None and isinstance(searched, Library):
                sources = [CorpusSource(stack.enter_context(searched.open(*searched.list())))]
            run = make_run(text, searched() if sources is None else sources, options=chosen, recipe=opened, **more)
            return asyncio.run(opened.run(run.question, run)), run

    return Asks(scripted_model, answered)
