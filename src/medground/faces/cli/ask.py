"""`medground ask`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli import complete
from medground.faces.cli.options import Preset, Quiet, Sets, SettingsFile, Where, load_settings
from medground.faces.cli.shown import Form, form_of, show_again, show_answer
from medground.faces.cli.typed import STDIN, read_stdin

if TYPE_CHECKING:
    from medground.answer import Answer
    from medground.settings import Settings

UNANSWERABLE = 3
"""Exit status of a question that nothing searched can answer, so that a script can tell."""


def ask(
    question: Annotated[
        str | None, typer.Argument(help="The question, in quotes; or - to read it from standard input.")
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", "-c", help="Corpus to search; repeatable.", autocompletion=complete.corpora),
    ] = None,
    pubmed: Annotated[
        str | None, typer.Option(metavar="live|URL", help="Also search PubMed; only PubMed if no corpus is named.")
    ] = None,
    source: Annotated[list[str] | None, typer.Option(help="Search this source too, by its name; repeatable.")] = None,
    recipe: Annotated[str | None, typer.Option(help="Recipe to use.", autocompletion=complete.recipes)] = None,
    model: Annotated[str | None, typer.Option(help="Language model to use; none by default.")] = None,
    task: Annotated[
        str | None, typer.Option(help="yes-no, yes-no-maybe, single-choice, multiple-choice, free; guessed by default.")
    ] = None,
    option: Annotated[list[str] | None, typer.Option(help="An answer option; repeat for A, B, C, ...")] = None,
    year_from: Annotated[int | None, typer.Option(help="Earliest year of publication.")] = None,
    year_to: Annotated[int | None, typer.Option(help="Latest year of publication.")] = None,
    where: Where = None,
    follow: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            autocompletion=complete.answers,
            help="Ask after this answer (or `last`): of its subject and documents.",
        ),
    ] = None,
    again: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            autocompletion=complete.answers,
            help="Ask the question of this answer again; tell what changed.",
        ),
    ] = None,
    from_: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Ask each line of a file (or -); run again to resume."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON; with --from, one line for each question.")] = False,
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
    from medground.errors import UsageError
    from medground.faces.cli.asking import ask_one, limits
    from medground.question import Question

    form = form_of(json=json, markdown=markdown)
    named: dict[str, object] = {
        "retrieval.corpora": tuple(corpus) if corpus else () if pubmed or source else None,
        "retrieval.pubmed": pubmed,
        "retrieval.sources": tuple(source) if source else None,
        "recipe.name": recipe,
        "model.default": model,
    }
    cache: dict[str, object] = {"model.cache": False if no_cache else None}
    filters = limits(year_from, year_to, where or [])
    _check(question, follow, again, from_)
    if again is not None:
        if sets or preset or settings or task or option or filters.as_query() or any(named.values()):
            raise UsageError("--again takes question and settings from the answer; leave the other options out")
        _again(again, load_settings(extra=cache), form, details=details, quiet=quiet)
        return
    if from_ is not None:
        from medground.faces.cli.ask_from import ask_from

        chosen = load_settings(sets, preset, settings, named | cache)
        ask_from(from_, chosen, form, task=task, options=option or [], filters=filters, details=details, quiet=quiet)
        return
    text = read_stdin() if question == STDIN else question or ""
    asked = Question.ask(text, task=task, options=option or [], filters=filters)  # type: ignore[arg-type]
    if follow is not None and not (preset or settings):
        chosen = _settings_after(follow, sets, named | cache)
    else:
        chosen = load_settings(sets, preset, settings, named | cache)
    _show(lambda: ask_one(asked, chosen, follow=follow, quiet=quiet), form, details=details)


def _check(question: str | None, follow: str | None, again: str | None, from_: Path | None) -> None:
    """Raises UsageError where there is no question, or more than one."""
    from medground.errors import UsageError

    given = [name for name, value in (("--again", again), ("--from", from_)) if value is not None]
    if question is None and not given:
        raise UsageError("there is no question; write one in quotes, or - to read it from standard input")
    if len(given) > 1 or (given and (question is not None or follow is not None)):
        raise UsageError(f"{given[0]} takes no other question; leave the question, --follow or the other option out")


def _settings_after(follow: str, sets: list[str] | None, named: dict[str, object]) -> Settings:
    """The settings of the answer that a question follows, as far as they are kept, and over them those of this call."""
    from medground.answers import Answers
    from medground.errors import UsageError
    from medground.kept_settings import settings_of
    from medground.layers import parse_options

    now = load_settings()
    former = Answers(now.home).read(follow)
    try:
        then = settings_of(former, now)
    except UsageError:  # of an earlier version, which kept none
        then = now
    return then.with_options(
        parse_options(sets or []) | {key: value for key, value in named.items() if value is not None}
    )


def _again(name: str, now: Settings, form: Form, *, details: bool, quiet: bool) -> None:
    from medground.faces.cli.asking import ask_again

    again = ask_again(name, now, quiet=quiet)
    show_again(again, form, details=details)
    _exit(again.answer)


def _show(answered: Callable[[], Answer], form: Form, *, details: bool) -> None:
    """Print an answer, also one that ends early because a budget ran out."""
    from medground.errors import BudgetExhausted

    try:
        answer = answered()
    except BudgetExhausted as spent:
        if spent.answer is not None:
            show_answer(spent.answer, form, details=details)
        raise
    show_answer(answer, form, details=details)
    _exit(answer)


def _exit(answer: Answer) -> None:
    if answer.decision.status == "unanswerable":
        raise typer.Exit(UNANSWERABLE)
