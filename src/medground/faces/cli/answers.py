"""An answer on a terminal. Text of documents is never read as markup."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

from typer import Exit, Option

from medground.errors import MedgroundError, UsageError
from medground.faces.cli import terminal
from medground.faces.cli.options import AnswerName, JsonLines, Markdown, PrintJson, ToFile, formats, home_folder
from medground.faces.cli.terminal import encoding, is_terminal, page, put, say, say_data, say_json
from medground.home.files import tables, write_whole

if TYPE_CHECKING:
    from rich.console import Console

    from medground.values.answer import Answer
    from medground.wording.blocks import Block
    from medground.wording.changes import AskedAgain
    from medground.wording.export import Format

_STYLES: Mapping[str, str] = tables("wording", "words")["terminal"]


def render(answer: Answer, console: Console | None = None, *, details: bool = False) -> None:
    """Print an answer, wrapped to the width of the terminal and in characters that it can show.

    `console`: where to print; standard output when not given.
    """
    from medground.wording.layout import layout

    render_blocks([block for block in layout(answer, details=details) if block.kind != "title"], console)  # just typed


def render_blocks(blocks: Sequence[Block], console: Console | None = None) -> None:
    """Print blocks as `render` does."""
    from rich.text import Text

    from medground.wording.blocks import mapped
    from medground.wording.encoding import encodable_blocks
    from medground.wording.layout import cleaned
    from medground.wording.text import printed_lines

    out = console or terminal.console()
    clean = [mapped(block, cleaned) for block in blocks]
    for row in printed_lines(encodable_blocks(clean, out.encoding), out.width):
        out.print(Text.assemble(*((span.text, _STYLES[span.style]) for span in row)), soft_wrap=True)


def render_title(question: str) -> None:
    """Print a question as the title of its answer."""
    from medground.wording.blocks import Block, line

    render_blocks([Block("title", (line(question),))])


# Answers: printed, written to a file, listed, shown again and exported.


UNANSWERABLE = 3
"""Exit status of a question that no source searched can answer, for scripts."""


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
    """The form that options ask for. Raises UsageError: two forms are asked for."""
    if json and markdown:
        raise UsageError("choose one of --json and --markdown")
    return Form.json if json else Form.markdown if markdown else Form.terminal


def show_answer(answer: Answer, form: Form, *, details: bool) -> None:
    """Print an answer on standard output."""
    if form is Form.json:
        say_json(answer.model_dump_json(indent=2))
    elif form is Form.markdown:
        from medground.wording.markup import as_markdown

        page(as_markdown(answer, details=details, encoding=encoding()))
    else:
        render(answer, details=details)


def finish(work: Callable[[], Answer], shown: Shown, file: Path | None = None) -> None:
    """Show an answer or write it to a file, also one that ends early; say how to go on where it is not finished."""
    try:
        answer = work()
    except MedgroundError as error:
        early = getattr(error, "answer", None)
        if early is not None:
            _deliver(early, shown, file)
        if error.research is not None:
            say(f"medground: resume it with: medground research --resume {error.research}", err=True)
        raise
    _deliver(answer, shown, file)
    check_answered(answer)


def check_answered(answer: Answer) -> None:
    """Exit with `UNANSWERABLE` where no source searched can answer."""
    if answer.decision.status == "unanswerable":
        raise Exit(UNANSWERABLE)


def _deliver(answer: Answer, shown: Shown, file: Path | None) -> None:
    if file is None:
        show_answer(answer, shown.form, details=shown.details)
    else:
        write_report(file, answer, details=shown.details)
        if not shown.quiet:
            say(f"the report is in {file}", err=True)


def show_again(again: AskedAgain, form: Form, *, details: bool) -> None:
    """Print an answer, and what changed since its question was asked before."""
    from medground.wording.changes import changes_page

    if form is Form.json:
        say_json(again.model_dump_json(indent=2))
        return
    show_answer(again.answer, form, details=details)
    say("")
    if form is Form.markdown:
        from medground.wording.markup import blocks_as_markdown

        page(blocks_as_markdown(changes_page(again), encoding=encoding()))
    else:
        render_blocks(changes_page(again))


_FORMS = {".md": "markdown", ".html": "html", ".docx": "docx", ".pdf": "pdf", ".json": "json"}


def check_report(path: Path) -> None:
    """Check that a report can be written, before anything is searched for it.

    Raises UsageError: its ending names no form, or it cannot be written there.
    """
    if path.suffix.lower() not in _FORMS:
        raise UsageError(f"cannot write a report as {path.name}; end the name with {', '.join(_FORMS)}")
    check_folder(path)
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"cannot write {path}; name another file")


def write_report(path: Path, answer: Answer, *, details: bool = False) -> None:
    """Write a report, whole or not at all.

    Raises UsageError: the file cannot be written; ConfigError: an extra that the form needs is missing.
    """
    from medground.home.kept_files import Attachments
    from medground.wording.export import export

    if (form := _FORMS[path.suffix.lower()]) == "json":
        content = answer.model_dump_json(indent=2).encode()
    else:
        content = export(answer, cast("Format", form), files=Attachments(home_folder()).read, details=details)
    write_file(path, content)


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file, whole or not at all. Raises UsageError: it cannot be written, or its folder is missing."""
    check_folder(path)
    write_with_folder(path, content)


def write_with_folder(path: Path, content: str | bytes) -> None:
    """Write a file, and make its folder where that is missing. Raises UsageError: it cannot be written."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}; name another file") from None


def check_folder(path: Path) -> None:
    """Raises UsageError where the folder of a file is missing: a slip in its name makes none."""
    if not path.parent.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {path.parent}; make it, or name another file")


def history(
    limit: Annotated[int, Option(min=1, help="Maximum number of questions to show.")] = 20, json: JsonLines = False
) -> None:
    """List recent questions, latest first."""
    from medground.engine.answers import Answers

    found = list(islice(Answers(home_folder()).history(), limit))
    for past in found:
        if json:
            say_json(past.model_dump_json())
            continue
        if past.problem:
            say(f"{past.trace_id}  {past.created:%Y-%m-%d %H:%M}", f"    {past.question}", f"    {past.problem}")
            continue
        decision = past.value if past.status == "decided" and past.value else past.status
        given = " (with a context)" if past.context else ""
        stopped = ", stopped early" if past.stopped else ""
        say(f"{past.trace_id}  {past.created:%Y-%m-%d %H:%M}  {past.recipe}")
        say(f"    {past.question}{given}", f"    {decision[:100]}{stopped}")
    if unreadable := sum(past.problem is not None for past in found):
        say(f"{unreadable} of these cannot be read by this version of Medground; their files are kept", err=True)
    if not found:
        say("no answers have been saved yet; ask a question with medground ask", err=True)


def show(
    name: AnswerName,
    json: Annotated[bool, Option("--json", help="Print the whole answer as JSON.")] = False,
    markdown: Markdown = False,
    details: Annotated[bool, Option("--details", help="Show labels, offsets, hashes and the trace too.")] = False,
) -> None:
    """Print an earlier answer."""
    from medground.engine.answers import Answers

    show_answer(Answers(home_folder()).read(name), form_of(json=json, markdown=markdown), details=details)


def table(
    name: AnswerName,
    column: Annotated[list[str] | None, Option(metavar="NAME", help="A column, such as dose; repeatable.")] = None,
    json: PrintJson = False,
) -> None:
    """Print the studies of a saved answer: a row each, with what it says in each column.

    Without columns, a question that compares two things has one for each of them.
    """
    from medground.answering.evidence_table import in_words
    from medground.engine.answers import Answers
    from medground.engine.blocking import BlockingEngine
    from medground.home.kept_files import settings_of
    from medground.home.settings import Settings

    now = Settings.load()
    with BlockingEngine(settings_of(Answers(now.home).read(name), now)) as engine:
        made = engine.table(name, column or ())
        if not column and made.compared:
            made = engine.table(name, made.compared)
    if json:
        say_data(made)
        return
    for row in made.rows:
        say(f"{row.title} ({', '.join(filter(None, (str(row.year or ''), row.design, row.document_id)))})")
        for title, cell in zip(made.columns, row.cells, strict=True):
            say(f"  {title}: {' '.join(in_words(cell).split())}")


_FORMATS = "ris, bibtex, csl-json, markdown, docx, html, pdf"
_BINARY = {"docx": "a Word document", "pdf": "a PDF"}


def export(
    name: AnswerName,
    form: Annotated[
        str | None,
        Option("--format", metavar="FORMAT", autocompletion=formats, help=f"{_FORMATS}; by default from FILE's name."),
    ] = None,
    style: Annotated[
        str | None,
        Option(metavar="NAME|FILE", help="Citation style for markdown, docx, html and pdf: a name or a CSL file."),
    ] = None,
    output: ToFile = None,
) -> None:
    """Print a saved answer in another format.

    ris, bibtex and csl-json have the references that it quotes, with the quotes as notes; markdown, docx, html and pdf
    have the whole answer, with its references in a citation style and, except in markdown, the pictures of a report.
    """
    from medground.engine.answers import Answers
    from medground.home.kept_files import Attachments
    from medground.wording.export import STYLE, Pages, format_of
    from medground.wording.export import export as exported

    chosen = form or (format_of(output) if output is not None else "markdown")
    if style is not None and chosen not in get_args(Pages):
        whole = ", ".join(get_args(Pages))
        raise UsageError(f"{chosen} has no citation style; leave --style out, or choose a --format of {whole}")
    if chosen in _BINARY and output is None and is_terminal():
        raise UsageError(f"{_BINARY[chosen]} cannot be shown in a terminal; give --out FILE")
    home = home_folder()
    answer = Answers(home).read(name)
    content = exported(answer, chosen, style=style or STYLE, files=Attachments(home).read)  # type: ignore[arg-type]
    if output is None:
        put(content)
    else:
        write_file(output, content)
