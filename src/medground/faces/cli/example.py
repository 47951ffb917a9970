"""`medground example`: papers, questions and records to try the commands with, all made up."""

from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from medground.errors import UsageError
from medground.faces.cli.answers import write_with_folder
from medground.faces.cli.terminal import say

Example = StrEnum("Example", "PAPERS QUESTIONS KB MEDLINE")
"""What can be written; each is the name of its folder."""


def example(names: Annotated[list[Example], typer.Argument(help="What to write.", metavar="NAME...")]) -> None:
    """Write made-up files to try the commands with, each to a folder of its name: papers, questions, kb, medline."""
    for name in names:
        for file in (resources.files("medground.data") / "examples" / name).iterdir():
            place, content = Path(name, file.name), file.read_bytes()
            if place.exists() and place.read_bytes() != content:
                raise UsageError(f"{place} is there already and was not changed; go to another folder")
            write_with_folder(place, content)
            say(f"wrote {place}")
