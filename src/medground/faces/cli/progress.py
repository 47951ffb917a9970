"""Progress on standard error: bars for long work, and the steps of a run as one live line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Self

from medground.faces.cli.terminal import bars, begin, console, is_terminal
from medground.language.clean import one_line

if TYPE_CHECKING:
    from rich.status import Status

    from medground.values.steps import Progress, Step


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


class StepLine:
    """Shows the current step on a terminal; draws nothing if `quiet` or if standard error is not a terminal.

    Attributes:
        kept: trace id of a partial answer that was kept; empty if there is none.
        research: id of the research that can be gone on with; empty for another question.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.kept = ""
        self.research = ""
        self._live: Status | None = None
        if is_terminal(err=True) and not quiet:
            self._live = console(err=True).status("", spinner="line")

    def __call__(self, step: Step) -> None:
        """Show a step."""
        from medground.values.steps import Kept, ResearchBegun

        if isinstance(step, ResearchBegun):
            self.research = step.id
        if isinstance(step, Kept) and step.stopped:
            self.kept = step.trace_id
        elif self._live is not None:
            from rich.text import Text

            from medground.wording.progress import in_words

            if words := in_words(step):
                self._live.update(Text(one_line(words)))

    def __enter__(self) -> Self:
        if self._live is not None:
            begin(self._live)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
