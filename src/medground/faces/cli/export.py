"""`medground export ID`: a kept answer for a reference manager or a word processor."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from medground.faces.cli import complete
from medground.faces.cli.options import AnswerName
from medground.faces.cli.report_file import write_file

_FORMATS = "ris, bibtex, csl-json, markdown, docx"


def export(
    name: AnswerName,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            autocompletion=complete.formats,
            help=f"{_FORMATS}; by default what FILE ends with.",
        ),
    ] = None,
    style: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="Citation style for markdown and docx: a name or a CSL file."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file; what it holds is replaced.")
    ] = None,
) -> None:
    """Print a kept answer in another format.

    ris, bibtex and csl-json hold the references that it quotes, with the quotes as notes; markdown and docx hold the
    whole answer, with its references in a citation style.
    """
    from medground.answers import Answers
    from medground.errors import UsageError
    from medground.export import STYLE, format_of
    from medground.export import export as exported
    from medground.settings import Settings

    chosen = form or (format_of(output) if output is not None else "markdown")
    if style is not None and chosen not in ("markdown", "docx"):
        raise UsageError(f"{chosen} has no citation style; leave --style out, or use --format markdown or docx")
    if chosen == "docx" and output is None and sys.stdout.isatty():
        raise UsageError("a Word document cannot be shown in a terminal; give --output FILE")
    answer = Answers(Settings.load().home).read(name)
    if answer.schema_version < "1.4":
        hint = f"run medground ask --again {answer.trace_id} for one that has them"
        typer.echo(f"medground: this answer was stored before authors were kept; {hint}", err=True)
    content = exported(answer, chosen, style=style or STYLE)  # type: ignore[arg-type]
    if output is None:
        typer.echo(content, nl=False)
    else:
        write_file(output, content)
