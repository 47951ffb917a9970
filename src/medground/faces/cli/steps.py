"""The steps of a run as one live line on standard error."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

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
        if sys.stderr.isatty() and not quiet:
            from rich.console import Console

            self._live = Console(stderr=True, highlight=False).status("", spinner="line")

    def __call__(self, step: Step) -> None:
        """Show a step."""
        from medground.steps import Kept, ResearchBegun

        if isinstance(step, ResearchBegun):
            self.research = step.id
        if isinstance(step, Kept) and step.stopped:
            self.kept = step.trace_id
        elif self._live is not None:
            from medground.wording.steps import in_words

            if words := in_words(step):
                self._live.update(words)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
