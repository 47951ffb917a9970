"""A progress bar on standard error, for the engine's `Progress`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from medground.faces.cli.terminal import bars, begin
from medground.text.clean import one_line

if TYPE_CHECKING:
    from medground.progress import Progress


@contextlib.contextmanager
def shown_progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Draw one progress bar per step; nothing before the first step, and nothing if `quiet`."""
    if quiet:
        yield lambda step, done, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn

    words = TextColumn("{task.description}", markup=False)
    drawn = bars(words, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    tasks: dict[str, TaskID] = {}

    def show(step: str, done: int, total: int | None) -> None:
        if not tasks:
            begin(drawn)
        if step not in tasks:
            tasks[step] = drawn.add_task(one_line(step), total=total)
        drawn.update(tasks[step], completed=done, total=total)

    try:
        yield show
    finally:
        if tasks:
            drawn.stop()
