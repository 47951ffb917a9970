"""`medground plugin new`: a package of the user's own, as CONTRIBUTING.md shows it, with a test of each part."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from medground.errors import UsageError
from medground.faces.cli import options as by
from medground.faces.cli.answers import write_with_folder
from medground.faces.cli.terminal import say
from medground.home.registry import RECIPES
from medground.wording.templates import printed

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
plugin_app = by.group("Start a package of your own sources, recipes, readers, data sets and critics.")


class Part(StrEnum):
    """What a package adds; each is the name of its module."""

    SOURCE = "source"
    RECIPE = "recipe"
    READER = "reader"
    DATASET = "dataset"
    CRITIC = "critic"


@plugin_app.command("new")
def new(
    name: Annotated[str, typer.Argument(help="Its name, such as `my-notes`.", metavar="NAME")],
    part: Annotated[
        list[Part] | None, typer.Option("--part", help="A part that it adds; repeat it; by default all.")
    ] = None,
) -> None:
    """Write the package medground-NAME to a folder of that name: a working example of each part, with its test."""
    check_free(name)
    folder = Path(f"medground-{name}")
    if folder.exists():
        raise UsageError(f"{folder} is there already and was not changed; choose another name")
    parts = [one.value for one in Part if one in (part or Part)]
    word = name.replace("-", "_")
    modules = [*parts, *(["operator"] if Part.RECIPE in parts else [])]
    files = {"pyproject.toml": "pyproject.toml", "tests/conftest.py": "conftest.py"}
    files |= {f"src/medground_{word}/{one}.py": f"{one}.py" for one in modules}
    files |= {f"tests/test_{one}.py": f"test_{one}.py" for one in parts}
    write_with_folder(folder / "src" / f"medground_{word}" / "__init__.py", "")
    for place, template in files.items():
        lines = printed("medground.faces.cli", f"plugin/{template}", plugin=name, word=word, parts=parts)
        write_with_folder(folder / place, "\n".join([*lines, ""]))
    say(f"wrote {folder}: {', '.join(modules)}, and their tests")
    say(f"next: pip install -e './{folder}[test]' && pytest {folder}", err=True)


def check_free(name: str) -> None:
    """Raises UsageError: the name is not one that a package can have, or Medground has something of this name."""
    from medground.corpus.readers.every import READERS
    from medground.home.settings import Settings

    if not _NAME.fullmatch(name):
        raise UsageError(f"{name[:40]!r} cannot be the name of a package; use a-z, 0-9 and -, such as my-notes")
    suffixes = {suffix[1:] for reader in READERS.values() for suffix in reader.suffixes}
    if name in {*RECIPES, *READERS, *Settings.model_fields} | suffixes:
        raise UsageError(f"Medground has something named {name!r} itself; choose another name")
