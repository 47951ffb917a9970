"""`medground eval report RUN...`: runs as Markdown and as one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from medground.evaluate.base import Item


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Files of runs of one data set.")],
    out: Annotated[Path, typer.Option(help="Folder for report.md and report.html.")],
    data: Annotated[
        Path | None, typer.Option(help="The set's file or folder: the best blind baseline becomes the first row.")
    ] = None,
) -> None:
    """Write what runs come to: accuracy, tests, statuses, classes, cost, and each question won or lost."""
    from medground.evaluate.report import read_report, write_report

    items = None if data is None else _items(runs[0], data)
    for path in write_report(read_report(runs, items), out):
        typer.echo(str(path))


def _items(run: Path, data: Path) -> list[Item]:
    """The items of the set that a run is over; a part of a set that an experiment took is read from its whole."""
    from medground.evaluate.datasets import open_dataset
    from medground.evaluate.runs import read_run

    header, _ = read_run(run)
    dataset = open_dataset(header.dataset.partition(" ")[0])
    return list(dataset.read(dataset.find(data), header.split))
