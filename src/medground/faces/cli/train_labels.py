"""`medground train planner label`, `agreement` and `export`: labels made by hand, and the training set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from medground.faces.cli.terminal import page, say

JudgedFile = Annotated[Path, typer.Argument(help="File that judge wrote.", metavar="JUDGED")]


def label(
    explored: Annotated[Path, typer.Argument(help="File that explore wrote.", metavar="EXPLORED")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Sheet to write (CSV).")],
    samples: Annotated[int, typer.Option(min=1, help="Queries on the sheet.")] = 100,
    passages: Annotated[int | None, typer.Option(min=1, help="As many passages as the judge reads.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 0,
) -> None:
    """Write a sheet of randomly drawn queries to label by hand: yes or no in the column `supports`."""
    from medground.train.planning.agreement import write_sheet
    from medground.train.planning.values import Explored
    from medground.train.planning.work import read_work

    rows = write_sheet(read_work(explored, Explored)[1], out, samples=samples, seed=seed, passages=passages)
    say(f"{out}: {rows} queries; write yes or no in the column supports, then run medground train planner agreement")


def agreement(
    sheet: Annotated[Path, typer.Argument(help="The labelled sheet.", metavar="SHEET")],
    judged: JudgedFile,
) -> None:
    """Compare the judge with labels made by hand: Cohen's kappa, accuracy, precision, recall, F1."""
    from medground.train.planning.agreement import agreement as compared
    from medground.train.planning.values import Judged
    from medground.train.planning.work import read_work

    head, lines = read_work(judged, Judged)
    page(compared(sheet, lines).told(head.model))


def export(
    judged: JudgedFile,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Folder of the training set.")],
    labels: Annotated[
        Path | None, typer.Option(metavar="SHEET", help="Labels made by hand; the agreement is told before training.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for the choice of three queries.")] = 0,
) -> None:
    """Write prompts with positive plans, negative plans and pairs, as JSON Lines."""
    from medground.train.planning.export import export as write_set

    manifest = write_set(judged, out, seed=seed, labels=labels)
    counts = ", ".join(f"{number:,} {name}" for name, number in manifest.counts.items())
    say(f"{out}: {counts}, labelled by {manifest.labelled_by}")
    for reason, number in manifest.dropped.items():
        say(f"dropped     {number:,}  {reason}", err=True)
    for source in manifest.sources:
        say(f"licence     {source.name}: {source.licence}")
    if manifest.agreement:
        say(manifest.agreement)
