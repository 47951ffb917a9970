"""`medground export ID`: a kept answer for a reference manager or a reader."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from medground.faces.cli.complete import formats
from medground.faces.cli.options import AnswerName, home_folder
from medground.faces.cli.report_file import write_file
from medground.faces.cli.terminal import is_terminal, put, say

_FORMATS = "ris, bibtex, csl-json, markdown, docx, html, pdf"
_BINARY = {"docx": "a Word document", "pdf": "a PDF"}


def export(
    name: AnswerName,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            autocompletion=formats,
            help=f"{_FORMATS}; by default what FILE ends with.",
        ),
    ] = None,
    style: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE", help="Citation style for markdown, docx, html and pdf: a name or a CSL file."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file; what it holds is replaced.")
    ] = None,
) -> None:
    """Print a kept answer in another format.

    ris, bibtex and csl-json hold the references that it quotes, with the quotes as notes; markdown, docx, html and pdf
    hold the whole answer, with its references in a citation style and, except in markdown, the pictures of a report.
    """
    from medground.answers import Answers
    from medground.errors import UsageError
    from medground.export import STYLE, Pages, format_of
    from medground.export import export as exported
    from medground.kept_attachments import Attachments

    chosen = form or (format_of(output) if output is not None else "markdown")
    if style is not None and chosen not in get_args(Pages):
        whole = ", ".join(get_args(Pages))
        raise UsageError(f"{chosen} has no citation style; leave --style out, or choose a --format of {whole}")
    if chosen in _BINARY and output is None and is_terminal():
        raise UsageError(f"{_BINARY[chosen]} cannot be shown in a terminal; give --output FILE")
    home = home_folder()
    answer = Answers(home).read(name)
    if answer.schema_version < "1.4":
        hint = f"run medground ask --again {answer.trace_id} for one that has them"
        say(f"medground: this answer was stored before authors were kept; {hint}", err=True)
    content = exported(answer, chosen, style=style or STYLE, files=Attachments(home).read)  # type: ignore[arg-type]
    if output is None:
        put(content)
    else:
        write_file(output, content)
