"""How long work tells how far it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called often; must be cheap. `total` is None when it is not known."""

    def __call__(self, step: str, done: int, total: int | None, /) -> None:
        """Say that `done` of `total` units of a step are done."""
        ...


def no_progress(step: str, done: int, total: int | None) -> None:
    """Tell nobody."""
