"""`medground config show`, `medground init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from medground.faces.cli.options import Preset, Sets, SettingsFile, load_settings
from medground.faces.cli.terminal import say, say_data
from medground.layers import FILE_NAME

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
    chosen = load_settings(sets, preset, settings)
    content = chosen.shown()
    if json:
        say_data(content)
        return
    for group, value in content.items():
        if isinstance(value, dict):
            for key, inner in value.items():
                say(f"{group}.{key} = {inner}")
        else:
            say(f"{group} = {value}")
    say(f"# hash {chosen.hash}")


def init(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write it.")] = Path(
        FILE_NAME
    ),
) -> None:
    """Write a settings file that shows every setting with its default. Never overwrites a file."""
    from medground.errors import UsageError
    from medground.settings_file import settings_file

    text = settings_file()
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{output} exists already and is left as it is; name another file with --output") from None
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror or error}; name another file") from None
    say(f"wrote {output}; every line shows a default, remove a # to change it")
