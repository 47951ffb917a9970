"""The steps of a run as one live line on standard error."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from medground.steps import OnStep, Step


@contextlib.contextmanager
def shown_steps(*, quiet: bool = False) -> Iterator[OnStep]:
    """A listener that shows the current step on a terminal, and always says where an unfinished answer is kept.

    Nothing is drawn when `quiet`, or when standard error is not a terminal.
    """
    from rich.console import Console

    from medground.steps import Kept
    from medground.wording.steps import in_words

    console = Console(stderr=True, highlight=False)
    live = console.status("", spinner="line") if sys.stderr.isatty() and not quiet else None
    kept: list[str] = []

    def show(step: Step) -> None:
        words = in_words(step)
        if isinstance(step, Kept) and step.stopped:
            kept.append(f"medground: {words}; see it with medground show {step.trace_id}")
        elif live is not None and words:
            live.update(words)

    with live or contextlib.nullcontext():
        try:
            yield show
        finally:
            if live is not None:
                live.stop()
            for line in kept:
                typer.echo(line, err=True)
