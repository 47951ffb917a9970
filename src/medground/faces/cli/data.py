"""`medground data`: list the evaluation data sets and check their files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.terminal import say

if TYPE_CHECKING:
    from medground.evaluate.base import DataSetInfo
    from medground.evaluate.datasets.check import FileCheck

data_app = typer.Typer(help="List the evaluation data sets, and check their files.", no_args_is_help=True)

_SEEN = {
    "whole": "",
    "part": "loader tested on a part of the set only",
    "form": "loader not tested on the set, but written for its published format",
}


@data_app.command("list")
def list_sets() -> None:
    """List every data set: tasks, sizes, licence, date limit, and how to obtain it. Downloads nothing."""
    from medground.evaluate.datasets.registry import dataset_names, open_dataset

    for name in dataset_names():
        _show(open_dataset(name).info)


@data_app.command("check")
def check(
    path: Annotated[Path, typer.Argument(help="A data set's file, or its folder.")],
    name: Annotated[str | None, typer.Option("--set", metavar="SET", help="Check it as this set.")] = None,
) -> None:
    """Identify the set of a file, read every question, and compare the file with the known release."""
    from medground.evaluate.datasets.check import check_file, recognised
    from medground.evaluate.datasets.registry import open_dataset

    for dataset in [open_dataset(name)] if name else recognised(path):
        _report(check_file(dataset, path))


def _show(info: DataSetInfo) -> None:
    sizes = ", ".join(f"{split} {size:,}" for split, size in info.sizes.items() if size) or "size depends on the file"
    say(f"{info.name}  {info.title}")
    say(f"    {', '.join(info.tasks)}; {sizes}; licence: {info.licence}")
    if info.date_limit:
        say(f"    evidence up to {info.date_limit}")
    say(f"    source: {info.obtain}")
    if _SEEN[info.seen]:
        say(f"    {_SEEN[info.seen]}")


def _report(found: FileCheck) -> None:
    sizes = ", ".join(f"{split} {size:,}" for split, size in found.sizes.items())
    tasks = ", ".join(f"{task} {count:,}" for task, count in found.tasks.items())
    say(f"{found.info.name}: {sum(found.sizes.values()):,} questions ({sizes}); {tasks}")
    if found.with_context:
        say(f"    {found.with_context:,} with their own documents (--with-context)")
    if found.missing:
        say(f"    fewer than published: {', '.join(found.missing)}")
    release = "the known release" if found.known else "no known release for this file name"
    say(f"    sha256 {found.hash}, {release}")
    say(f"    {found.path}")
