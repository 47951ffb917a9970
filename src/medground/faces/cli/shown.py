"""Answers on standard output, in the form that options ask for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from medground.faces.cli.terminal import encoding, page, say, say_json

if TYPE_CHECKING:
    from medground.answer import Answer
    from medground.wording.changes import AskedAgain


class Form(StrEnum):
    """How an answer is printed."""

    terminal = "terminal"
    json = "json"
    markdown = "markdown"


@dataclass(frozen=True)
class Shown:
    """How answers are shown: in which form, with details or not, and whether progress is shown."""

    form: Form
    details: bool = False
    quiet: bool = False


def form_of(*, json: bool, markdown: bool) -> Form:
    """The form that options ask for.

    Raises:
        UsageError: two forms are asked for.
    """
    from medground.errors import UsageError

    if json and markdown:
        raise UsageError("choose one of --json and --markdown")
    return Form.json if json else Form.markdown if markdown else Form.terminal


def show_answer(answer: Answer, form: Form, *, details: bool) -> None:
    """Print an answer on standard output."""
    if form is Form.json:
        say_json(answer.model_dump_json(indent=2))
    elif form is Form.markdown:
        from medground.wording.markdown import as_markdown

        page(as_markdown(answer, details=details, encoding=encoding()))
    else:
        from medground.faces.cli.render import render

        render(answer, details=details)


def show_again(again: AskedAgain, form: Form, *, details: bool) -> None:
    """Print an answer, and what changed since its question was asked before."""
    from medground.wording.changes import changes_page

    if form is Form.json:
        say_json(again.model_dump_json(indent=2))
        return
    show_answer(again.answer, form, details=details)
    say("")
    if form is Form.markdown:
        from medground.wording.markdown import blocks_as_markdown

        page(blocks_as_markdown(changes_page(again), encoding=encoding()))
    else:
        from medground.faces.cli.render import render_blocks

        render_blocks(changes_page(again))
