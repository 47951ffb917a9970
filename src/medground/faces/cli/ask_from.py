"""`medground ask --from FILE`: many questions, one answer after the other, resumed after a kill."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from medground.faces.cli.shown import Form, show_answer
from medground.faces.cli.typed import read_questions

if TYPE_CHECKING:
    from medground.outcome import Outcome
    from medground.query import Filters
    from medground.question import Question
    from medground.settings import Settings

FAILED = 1
"""Exit status where a question could not be answered because something failed."""


def ask_from(
    path: Path,
    settings: Settings,
    form: Form,
    *,
    task: str | None,
    options: Sequence[str],
    filters: Filters,
    details: bool,
    quiet: bool,
) -> None:
    """Ask each line of a file; every question is checked before the first is asked.

    Raises what `Engine.open` and `Engine.ask_each` raise.
    """
    from medground.faces.cli.asking import opened
    from medground.faces.cli.progress import shown_progress

    questions = _questions(path, task, options, filters)
    failed = 0
    with opened(settings, quiet=quiet) as engine, shown_progress(quiet=quiet) as progress:
        progress("questions", 0, len(questions))
        for number, outcome in enumerate(engine.ask_each(questions), start=1):
            failed += outcome.error is not None
            _show(outcome, form, details=details, first=number == 1)
            progress("questions", number, len(questions))
    if failed:
        typer.echo(
            f"medground: {failed:,} of {len(questions):,} questions failed; run the same command again", err=True
        )
        raise typer.Exit(FAILED)


def _questions(path: Path, task: str | None, options: Sequence[str], filters: Filters) -> list[Question]:
    from medground.errors import UsageError
    from medground.question import Question

    found = []
    for number, line in read_questions(path):
        try:
            found.append(Question.ask(line, task=task, options=options, filters=filters))  # type: ignore[arg-type]
        except UsageError as error:
            raise UsageError(f"line {number}: {error}") from None
    return found


def _show(outcome: Outcome, form: Form, *, details: bool, first: bool) -> None:
    if form is Form.json:
        typer.echo(_line(outcome))
        sys.stdout.flush()  # a program that reads this gets each answer as it comes
        return
    if not first:
        typer.echo("\n---\n" if form is Form.markdown else "")
    if form is Form.terminal or outcome.answer is None:
        from medground.faces.cli.render import render_title

        render_title(outcome.question)
    if outcome.answer is not None:
        show_answer(outcome.answer, form, details=details)
    if outcome.error is not None:
        typer.echo(" ".join(f"{outcome.question[:80]}: {outcome.error}".split()), err=True)


def _line(outcome: Outcome) -> str:
    """An outcome as one line of JSON: `question`, `answer`, and `error` with its type and message."""
    error = outcome.error
    content = {
        "question": outcome.question,
        "answer": None if outcome.answer is None else outcome.answer.model_dump(mode="json"),
        "error": None if error is None else {"type": type(error).__name__, "message": str(error)},
    }
    return json_module.dumps(content, ensure_ascii=True)
