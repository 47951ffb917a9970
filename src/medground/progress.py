"""Progress reports of long tasks."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called often, so it must be cheap. `total` is None if it is unknown."""

    def __call__(self, step: str, done: int, total: int | None, /) -> None:
        """Report that `done` of `total` units of a step are done."""
        ...


def no_progress(step: str, done: int, total: int | None) -> None:
    """Report nothing."""
