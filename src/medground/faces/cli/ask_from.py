"""`medground ask --from FILE`: many questions, one answer after the other, resumed after a kill."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from medground.faces.cli.shown import Form, Shown, show_answer
from medground.faces.cli.terminal import say
from medground.faces.cli.typed import read_questions, with_context

if TYPE_CHECKING:
    from medground.errors import MedgroundError
    from medground.faces.cli.asking import Kind
    from medground.outcome import Outcome
    from medground.question import Question
    from medground.settings import Settings

FAILED, MISTAKEN = 1, 2
"""Exit status where a question could not be answered: something failed; or every failure is a mistake of the call."""


def ask_from(path: Path, kind: Kind, settings: Settings, shown: Shown) -> None:
    """Ask each line of a file; every question is checked before the first is asked.

    Raises what `Engine.open` and `Engine.ask_each` raise.
    """
    from medground.faces.cli.asking import opened
    from medground.faces.cli.progress import shown_progress

    questions = _questions(path, kind)
    failed: list[MedgroundError] = []
    with opened(settings, quiet=shown.quiet) as engine, shown_progress(quiet=shown.quiet) as progress:
        progress("questions", 0, len(questions))
        for number, outcome in enumerate(engine.ask_each(questions), start=1):
            failed += [outcome.error] if outcome.error is not None else []
            _show(outcome, shown, first=number == 1)
            progress("questions", number, len(questions))
    if failed:
        raise typer.Exit(_told(failed, len(questions)))


def _told(failed: list[MedgroundError], questions: int) -> int:
    """Say how many questions failed and what to do; the exit status."""
    from medground.errors import UserMistake

    mistaken = all(isinstance(error, UserMistake) for error in failed)
    what = "change the command as the errors say" if mistaken else "run the same command again"
    say(f"medground: {len(failed):,} of {questions:,} questions failed; {what}", err=True)
    return MISTAKEN if mistaken else FAILED


def _questions(path: Path, kind: Kind) -> list[Question]:
    from medground.errors import UsageError
    from medground.risk.first import notice_first

    found = []
    for number, line in read_questions(path):
        with notice_first(line):
            try:
                found.append(kind.question(*with_context(line)))
            except UsageError as error:
                raise UsageError(f"line {number}: {error}") from None
    return found


def _show(outcome: Outcome, shown: Shown, *, first: bool) -> None:
    if shown.form is Form.json:
        say(_line(outcome))
        return
    if not first:
        say(*(["", "---", ""] if shown.form is Form.markdown else [""]))
    if shown.form is Form.terminal or outcome.answer is None:
        from medground.faces.cli.render import render_title

        render_title(outcome.question)
    if outcome.answer is not None:
        show_answer(outcome.answer, shown.form, details=shown.details)
    if (error := outcome.error) is not None:
        if error.notice is not None and outcome.answer is None:
            say(error.notice.sentence)
        say(" ".join(f"{outcome.question[:80]}: {error}".split()), err=True)


def _line(outcome: Outcome) -> str:
    """An outcome as one line of JSON: `question`, `answer`, and `error` with its type, message and notice."""
    error = outcome.error
    content: dict[str, object] = {
        "question": outcome.question,
        "answer": None if outcome.answer is None else outcome.answer.model_dump(mode="json"),
        "error": None,
    }
    if error is not None:
        notice = None if error.notice is None else error.notice.sentence
        content["error"] = {"type": type(error).__name__, "message": str(error), "notice": notice}
    return json_module.dumps(content, ensure_ascii=True)
