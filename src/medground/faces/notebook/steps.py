"""The steps of a question in a notebook, in words, as they happen."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from medground.errors import ConfigError
from medground.steps import Kept, Step
from medground.wording.steps import in_words
from medground.wording.templates import template

_PAUSE = 0.1
"""Seconds between two updates: a notebook that is sent every step falls behind."""
_LINES = 6


class ShownSteps:
    """Shows each step below the cell that made this object; hand it over as `on_step`.

    It needs no widgets: one output is replaced in place. Where no notebook is running it shows nothing.

    Args:
        clock: seconds since any moment.

    Raises:
        ConfigError: IPython is not installed.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        try:
            from IPython import get_ipython
        except ImportError:
            raise ConfigError("a notebook needs IPython; run pip install jupyterlab, or use medground.ask") from None
        self._in_notebook = get_ipython() is not None
        self._context = copy_context()  # steps come from the engine's thread; the cell is known in this one
        self._clock = clock
        self._shown_at = float("-inf")
        self._lines: list[str] = []
        self._done = False
        self._progress = ""
        self._handle: Any = None

    def __call__(self, step: Step) -> None:
        """Show a step."""
        self._done = isinstance(step, Kept)
        self._add(in_words(step), at_once=self._done)

    def progress(self, step: str, done: int, total: int | None) -> None:
        """Show the progress of a long piece of work, such as building the starter corpus."""
        if self._progress == step:
            self._lines.pop()
        self._add(f"{step}: {done:,} of {total:,}" if total else step, at_once=False)
        self._progress = step

    def _add(self, words: str, *, at_once: bool) -> None:
        self._progress = ""
        if words:
            self._lines.append(words[:1].upper() + words[1:])
        now = self._clock()
        if self._in_notebook and self._lines and (at_once or now - self._shown_at >= _PAUSE):
            self._shown_at = now
            self._context.run(self._show)

    def _show(self) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(self, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(self)

    def __repr__(self) -> str:
        return "\n".join(self._lines[-_LINES:])

    def _repr_html_(self) -> str:
        """The last steps; all of them, folded, when the question is answered."""
        lines = self._lines if self._done else self._lines[-_LINES:]
        return template(__package__, "steps.html").render(lines=lines, done=self._done)
