"""`medground ask`."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.options import Preset, Quiet, Sets, SettingsFile, Where, load_settings

if TYPE_CHECKING:
    from medground.answer import Answer
    from medground.settings import Settings


UNANSWERABLE = 3
"""Exit status of a question that nothing searched can answer, so that a script can tell."""


class Form(StrEnum):
    """How an answer is printed."""

    terminal = "terminal"
    json = "json"
    markdown = "markdown"


def ask(
    question: Annotated[str, typer.Argument(help="The question, in quotes.")],
    corpus: Annotated[list[str] | None, typer.Option("--corpus", "-c", help="Corpus to search; repeatable.")] = None,
    pubmed: Annotated[
        str | None, typer.Option(metavar="live|URL", help="Also search PubMed; only PubMed if no corpus is named.")
    ] = None,
    source: Annotated[list[str] | None, typer.Option(help="Search this source too, by its name; repeatable.")] = None,
    recipe: Annotated[str | None, typer.Option(help="Recipe to use.")] = None,
    model: Annotated[str | None, typer.Option(help="Language model to use; none by default.")] = None,
    task: Annotated[
        str | None, typer.Option(help="yes-no, yes-no-maybe, single-choice, multiple-choice, free; guessed by default.")
    ] = None,
    option: Annotated[list[str] | None, typer.Option(help="An answer option; repeat for A, B, C, ...")] = None,
    year_from: Annotated[int | None, typer.Option(help="Earliest year of publication.")] = None,
    year_to: Annotated[int | None, typer.Option(help="Latest year of publication.")] = None,
    where: Where = None,
    json: Annotated[bool, typer.Option("--json", help="Print the whole answer as JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a report in Markdown.")] = False,
    details: Annotated[
        bool, typer.Option("--details", help="Also show labels, offsets, queries, hashes and the trace.")
    ] = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Do not reuse stored model calls.")] = False,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Answer a question, with its evidence and the verdict on each sentence.

    The exit status is 0 with an answer, an estimate or evidence that no judge has assessed, and 3 if the question is
    unanswerable.
    """
    from medground.errors import BudgetExhausted

    form = form_of(json=json, markdown=markdown)
    extra: dict[str, object] = {
        "retrieval.corpora": tuple(corpus) if corpus else () if pubmed or source else None,
        "retrieval.pubmed": pubmed,
        "retrieval.sources": tuple(source) if source else None,
        "recipe.name": recipe,
        "model.default": model,
        "model.cache": False if no_cache else None,
    }
    chosen = load_settings(sets, preset, settings, extra)
    try:
        answer = _answer(question, task, option or [], (year_from, year_to), where or [], chosen, quiet=quiet)
    except BudgetExhausted as spent:
        if spent.answer is not None:
            show_answer(spent.answer, form, details=details)
        raise
    show_answer(answer, form, details=details)
    if answer.decision.status == "unanswerable":
        raise typer.Exit(UNANSWERABLE)


def _answer(
    text: str,
    task: str | None,
    options: list[str],
    years: tuple[int | None, int | None],
    where: list[str],
    settings: Settings,
    *,
    quiet: bool,
) -> Answer:
    from pydantic import ValidationError

    from medground.blocking import BlockingEngine
    from medground.errors import Stopped, UsageError
    from medground.faces.cli.progress import shown_progress
    from medground.faces.cli.steps import StepLine
    from medground.query import Filters
    from medground.question import Question
    from medground.where import parse_where

    try:
        filters = parse_where(where, Filters(year_from=years[0], year_to=years[1]))
    except ValidationError as error:
        raise UsageError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None
    question = Question.ask(text, task=task, options=options, filters=filters)  # type: ignore[arg-type]
    with shown_progress(quiet=quiet) as progress:
        engine = BlockingEngine(settings, progress=progress)
    with engine, StepLine(quiet=quiet) as line:
        try:
            return engine.ask(question, on_step=line)
        except KeyboardInterrupt:
            if not line.kept:
                raise
            raise Stopped(f"stopped; what was found is kept, see it with medground show {line.kept}") from None


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
    from medground.wording.encoding import encodable_json

    encoding = sys.stdout.encoding or "utf-8"
    if form is Form.json:
        typer.echo(encodable_json(answer.model_dump_json(indent=2), encoding))
    elif form is Form.markdown:
        from medground.wording.markdown import as_markdown

        typer.echo(as_markdown(answer, details=details, encoding=encoding))
    else:
        from medground.faces.cli.render import render

        render(answer, details=details)
