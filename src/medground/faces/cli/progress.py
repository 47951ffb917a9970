"""A progress bar on standard error, for the engine's `Progress`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from medground.progress import Progress, no_progress


@contextlib.contextmanager
def shown_progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Draw one progress bar per step; nothing before the first step, and nothing if `quiet`."""
    if quiet:
        yield no_progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )
    tasks: dict[str, TaskID] = {}

    def show(step: str, done: int, total: int | None) -> None:
        if not tasks:
            bars.start()
        if step not in tasks:
            tasks[step] = bars.add_task(step, total=total)
        bars.update(tasks[step], completed=done, total=total)

    try:
        yield show
    finally:
        if tasks:
            bars.stop()
