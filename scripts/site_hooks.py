"""Hooks of mkdocs.yml: the pages of the site that are made from the program itself, so that they are never stale.

`reference/cli.md` is the help of every command, `reference/settings.md` the file that `medground init` writes. The
change log and the guide for contributors stand at the top of the checkout, and the site shows them too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
COPIED = {"contributing.md": ROOT / "CONTRIBUTING.md", "changes.md": ROOT / "CHANGELOG.md"}
WIDTH = 100
"""Columns of the help texts."""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that are made here."""
    made = {"reference/cli.md": command_line(), "reference/settings.md": all_settings()}
    made |= {name: place.read_text(encoding="utf-8") for name, place in COPIED.items()}
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def command_line() -> str:
    """The page of the command line: the help of each command, in the order of `medground --help`."""
    import typer

    from medground.faces.cli.app import command_line

    parts = [
        "# Command line",
        "The help of every command, as `--help` prints it. A command exits with 0 if it did what it was asked, with 2 "
        "after a mistake in the command, with 1 after a failure and with 130 after Ctrl-C; `medground ask` exits with "
        "3 if the question is unanswerable.",
    ]
    for words, text in _helped(typer.main.get_command(command_line()), ["medground"], None):
        level = "#" * min(len(words) + (len(words) == 1), 3)
        parts.append(f"{level} {' '.join(words)}\n\n```text\n{text.strip()}\n```")
    return "\n\n".join(parts) + "\n"


def all_settings() -> str:
    """The page of the settings: the file that `medground init` writes."""
    from medground.home.settings import settings_file

    head = (
        "# All settings\n\nThe file that `medground init` writes: every setting with its default. "
        "[Settings](../settings.md) says where else a setting can come from.\n"
    )
    return f"{head}\n```toml\n{settings_file().strip()}\n```\n"


def _helped(command: Any, words: list[str], parent: Any) -> Iterator[tuple[list[str], str]]:
    """Each command with its help, depth first."""
    context = command.make_context(
        words[-1], [], parent=parent, resilient_parsing=True, terminal_width=WIDTH, max_content_width=WIDTH
    )
    yield words, command.get_help(context)
    for name, inner in getattr(command, "commands", {}).items():
        if not inner.hidden:
            yield from _helped(inner, [*words, name], context)


# The program comes from this checkout, and its help does not depend on who builds the site.
sys.path.insert(0, str(ROOT / "src"))
os.environ["COLUMNS"] = str(WIDTH)
