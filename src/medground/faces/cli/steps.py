"""The steps of a run as one live line on standard error."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from medground.faces.cli.terminal import begin, console, is_terminal
from medground.text.clean import one_line

if TYPE_CHECKING:
    from rich.status import Status

    from medground.steps import Step


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
        from medground.steps import Kept, ResearchBegun

        if isinstance(step, ResearchBegun):
            self.research = step.id
        if isinstance(step, Kept) and step.stopped:
            self.kept = step.trace_id
        elif self._live is not None:
            from rich.text import Text

            from medground.wording.steps import in_words

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
