"""`medground ask`: one question, one after an answer, one again, or many from a file; and `verify`: a claim."""

from __future__ import annotations

import json as json_module
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from medground.errors import MedgroundError, UsageError, UserMistake
from medground.faces.cli import answers
from medground.faces.cli import options as by
from medground.faces.cli.asking import (
    STDIN,
    ask_again,
    ask_one,
    limits,
    opened,
    read_context,
    read_questions,
    read_stdin,
    with_context,
)
from medground.faces.cli.options import KnowledgeBase, Preset, Quiet, Sets, SettingsFile, Where, load_settings
from medground.faces.cli.progress import shown_progress
from medground.faces.cli.terminal import say, say_data
from medground.home.layers import parse_options
from medground.wording.templates import printed

if TYPE_CHECKING:
    from medground.engine.unfinished import Outcome
    from medground.home.settings import Settings
    from medground.values.question import Question


_QUESTIONS_AT_ONCE = 8


def ask_from(path: Path, asked: Callable[..., Question], settings: Settings, shown: answers.Shown) -> None:
    """Ask each line of a file; every question is checked before the first is asked.

    Raises what `Engine.open` and `Engine.ask_each` raise.
    """
    questions = _questions(path, asked)
    failed: list[MedgroundError] = []
    with opened(settings, quiet=shown.quiet) as engine, shown_progress(quiet=shown.quiet) as progress:
        progress("questions", 0, len(questions))
        for number, outcome in enumerate(engine.ask_each(questions, concurrency=_QUESTIONS_AT_ONCE), start=1):
            failed += [outcome.error] if outcome.error is not None else []
            _show(outcome, shown, first=number == 1)
            progress("questions", number, len(questions))
    if failed:
        mistaken = all(isinstance(error, UserMistake) for error in failed)
        what = "change the command as the errors say" if mistaken else "run the same command again"
        say(f"medground: {len(failed):,} of {len(questions):,} questions failed; {what}", err=True)
        raise typer.Exit(2 if mistaken else 1)


def _questions(path: Path, asked: Callable[..., Question]) -> list[Question]:
    from medground.language.risk.notices import notice_first

    found = []
    for number, line in read_questions(path):
        with notice_first(line):
            try:
                text, context = with_context(line)
                found.append(asked(text, **({"context": context} if context else {})))
            except UsageError as error:
                raise UsageError(f"line {number}: {error.told('terminal')}") from None
    return found


def _show(outcome: Outcome, shown: answers.Shown, *, first: bool) -> None:
    if shown.form is answers.Form.json:
        say(_line(outcome))
        return
    if not first:
        say(*(["", "---", ""] if shown.form is answers.Form.markdown else [""]))
    if shown.form is answers.Form.terminal or outcome.answer is None:
        answers.render_title(outcome.question)
    if outcome.answer is not None:
        answers.show_answer(outcome.answer, shown.form, details=shown.details)
    if (error := outcome.error) is not None:
        if error.notice is not None and outcome.answer is None:
            say(error.notice.sentence)
        say(" ".join(f"{outcome.question[:80]}: {error.told('terminal')}".split()), err=True)


def _line(outcome: Outcome) -> str:
    """An outcome as one line of JSON: `question`, `answer`, and `error` with its type, message and notice."""
    answer, error = outcome.answer, None
    if (failure := outcome.error) is not None:
        notice = None if failure.notice is None else failure.notice.sentence
        error = {"type": type(failure).__name__, "message": str(failure), "notice": notice}
    content = {"question": outcome.question, "answer": answer and answer.model_dump(mode="json"), "error": error}
    return json_module.dumps(content, ensure_ascii=True)


def ask(
    question: by.QuestionText = None,
    corpus: by.Corpora = None,
    kb: KnowledgeBase = None,
    pubmed: by.PubMed = None,
    source: by.SourceNames = None,
    recipe: by.RecipeName = None,
    model: by.ModelName = None,
    task: by.TaskName = None,
    option: by.Choices = None,
    context: by.Context = None,
    year_from: by.YearFrom = None,
    year_to: by.YearTo = None,
    where: Where = None,
    follow: by.Follow = None,
    again: by.Again = None,
    from_: by.FromFile = None,
    json: by.Json = False,
    markdown: by.Markdown = False,
    details: by.Details = False,
    no_cache: by.NoCache = False,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Answer a question, with its evidence and the verdict on each sentence.

    The exit status is 0 with an answer or evidence that no judge has assessed, and 3 if the question is unanswerable.
    """
    from medground.language.risk.notices import notice_first
    from medground.values.question import Question

    _check(question, follow, again, from_, context)
    text = read_stdin() if question == STDIN else question or ""
    case = read_context(context) if context is not None else ""
    with notice_first(text, case):
        shown = answers.Shown(answers.form_of(json=json, markdown=markdown), details=details, quiet=quiet)
        named = by.named(corpus, kb, pubmed, source) | {"recipe.name": recipe, "model.default": model}
        filters = limits(year_from, year_to, where or [])
        changed = bool(
            sets or preset or settings or task or option or case or filters.as_query() or any(named.values())
        )
        named |= {"model.cache": False if no_cache else None}
        if again is not None:
            _ask_again(again, shown, changed=changed, no_cache=no_cache)
            return
        if follow is not None and not (preset or settings):
            chosen = _settings_after(follow, sets, named)
        else:
            chosen = load_settings(sets, preset, settings, named)
        kind: dict[str, Any] = {"task": task, "options": tuple(option or ()), "filters": filters, "context": case}
        asked: Callable[..., Question] = partial(Question.ask, **kind)
        if from_ is not None:
            ask_from(from_, asked, chosen, shown)
        else:
            answers.finish(lambda: ask_one(asked(text), chosen, follow=follow, quiet=quiet), shown)


def _check(
    question: str | None, follow: str | None, again: str | None, from_: Path | None, context: Path | None
) -> None:
    """Raises UsageError where there is no question or more than one, or where standard input is read twice."""
    given = [name for name, value in (("--again", again), ("--from", from_)) if value is not None]
    if question is None and not given:
        raise UsageError("no question given; write one in quotes, or - to read it from standard input")
    if len(given) > 1 or (given and (question is not None or follow is not None)):
        raise UsageError(f"{given[0]} takes no other question; leave the question, --follow or the other option out")
    if [question, str(context), str(from_)].count(STDIN) > 1:
        raise UsageError("- is given twice; standard input can only be read once")


def _settings_after(follow: str, sets: list[str] | None, named: dict[str, object]) -> Settings:
    """The settings of the former answer where they are kept, overridden by those of this call."""
    from medground.engine.answers import Answers
    from medground.home.kept_files import settings_of

    now = load_settings()
    former = Answers(now.home).read(follow)
    try:
        then = settings_of(former, now)
    except UsageError:  # they could not be kept, or were removed
        then = now
    return then.with_options(
        parse_options(sets or []) | {key: value for key, value in named.items() if value is not None}
    )


def _ask_again(name: str, shown: answers.Shown, *, changed: bool, no_cache: bool) -> None:
    """Print the answer to a kept question as it is now, and what changed.

    Raises UsageError: another question, or other settings, are asked for.
    """
    if changed:
        raise UsageError("--again takes question and settings from the answer; leave the other options out")
    again = ask_again(name, load_settings(extra={"model.cache": False if no_cache else None}), quiet=shown.quiet)
    answers.show_again(again, shown.form, details=shown.details)
    answers.check_answered(again.answer)


def verify(
    claim: Annotated[str, typer.Argument(help="The claim, in quotes.")],
    corpus: by.Corpora = None,
    kb: by.KnowledgeBase = None,
    pubmed: by.PubMed = None,
    source: by.SourceNames = None,
    model: Annotated[str | None, typer.Option(help="Model that judges; word statistics without one.")] = None,
    json: by.PrintJson = False,
    sets: by.Sets = None,
    preset: by.Preset = None,
    settings: by.SettingsFile = None,
    quiet: by.Quiet = False,
) -> None:
    """Compare a claim with the literature: a verdict for each statement, and the quotes that decided it."""
    from medground.answering.captions import verdict
    from medground.language.risk.notices import notice_first

    extra = by.named(corpus, kb, pubmed, source) | {"model.default": model}
    with notice_first(claim):
        chosen = by.load_settings(sets, preset, settings, extra)
        with opened(chosen, quiet=quiet) as engine:
            checked = engine.verify(claim)
    if json:
        say_data(checked)
        return
    documents, quotes = ({one.id: one for one in held} for held in (checked.documents, checked.evidence))
    say(*printed(__package__, "claim", checked=checked, documents=documents, quotes=quotes, verdict=verdict))
