"""`medground config show`."""

from __future__ import annotations

from typing import Annotated

import typer

from medground.faces.cli.options import Preset, Sets, SettingsFile, load_settings

config_app = typer.Typer(help="Show settings.", no_args_is_help=True)


@config_app.callback()
def _group() -> None:
    """Show settings."""


@config_app.command("show")
def show(
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Print the settings that these options produce. Secrets are hidden; the last line is the hash."""
    from json import dumps

    chosen = load_settings(sets, preset, settings)
    content = chosen.shown()
    if json:
        typer.echo(dumps(content, indent=2, ensure_ascii=False))
        return
    for group, value in content.items():
        if isinstance(value, dict):
            for key, inner in value.items():
                typer.echo(f"{group}.{key} = {inner}")
        else:
            typer.echo(f"{group} = {value}")
    typer.echo(f"# hash {chosen.hash}")
