"""`medground eval report RUN...`: runs as Markdown and as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from medground.faces.cli.terminal import say


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run files over one data set.")],
    out: Annotated[Path, typer.Option(help="Folder for report.md and report.html.")],
    data: Annotated[
        Path | None, typer.Option(help="The set's file or folder, to add the best blind baseline as the first row.")
    ] = None,
) -> None:
    """Write a report on runs: accuracy, tests, statuses, classes, cost, and each question won or lost."""
    from medground.evaluate.report.content import read_report
    from medground.evaluate.report.files import write_report
    from medground.evaluate.results import items_of, read_result

    items = None if data is None else items_of(read_result(runs[0]), data)
    for path in write_report(read_report(runs, items), out):
        say(str(path))
