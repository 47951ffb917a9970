"""The progress line of an evaluation: progress, accuracy so far, cost, time left."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from medground.faces.cli.terminal import bars, begin

if TYPE_CHECKING:
    from medground.evaluate.runner import Watch
    from medground.evaluate.tally import Tally


@contextlib.contextmanager
def shown_run(*, quiet: bool = False) -> Iterator[Watch]:
    """A watch that draws one line on standard error; it draws nothing when `quiet`."""
    if quiet:
        yield lambda tally: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    drawn = bars(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        # With a local model a question takes minutes, so the speed is averaged over many questions.
        TimeRemainingColumn(),
        speed_estimate_period=3600.0,
        refresh_per_second=2,
    )
    tasks: list[TaskID] = []

    def show(tally: Tally) -> None:
        if not tasks:  # questions answered before this start say nothing about the speed
            begin(drawn)
            tasks.append(drawn.add_task("", total=tally.items, completed=tally.lines))
        drawn.update(tasks[0], description=describe(tally), completed=tally.lines)

    try:
        yield show
    finally:
        if tasks:
            drawn.stop()


def describe(tally: Tally) -> str:
    """Accuracy and cost so far, such as `accuracy 61.7%  12,345 tokens  $0.02`."""
    right = "" if tally.accuracy is None else f"accuracy {tally.accuracy:.1%}"
    price = "price unknown" if tally.price is None else f"${tally.price:.2f}"
    return "  ".join(part for part in (right, f"{tally.input_tokens + tally.output_tokens:,} tokens", price) if part)
