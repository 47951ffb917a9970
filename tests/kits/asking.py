"""Asking a recipe: by word statistics, or with a model that replies as the test says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from medground.answering.run import Run
from medground.values.answer import Answer


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
