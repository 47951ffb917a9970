"""Write `man/medground.1`, the manual page of the command line, from the commands themselves.

python scripts/man_page.py            # writes it
python scripts/man_page.py --check    # exits with 1 where it is not what the commands say
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

PLACE = Path(__file__).resolve().parent.parent / "man" / "medground.1"
WIDTH = 1_000
"""Characters in a line of help before it is wrapped: never."""
ENDS = """.SH EXIT STATUS
.TP
0
The command did what it was asked.
.TP
1
It failed, or found what it looks for, such as a fault in a text.
.TP
2
The command, its settings or its input must be changed; one line says how.
.TP
3
The question is unanswerable from what was searched (ask, research).
.TP
130
It was stopped with Ctrl\\-C. Finished work is kept; the same command resumes.
.SH FILES
.TP
~/.local/share/medground
The home folder on Linux: corpora, answers, models and traces. MEDGROUND_HOME names another.
.TP
medground.toml
Settings of the working folder; medground init writes one with every setting.
"""


def escaped(text: str) -> str:
    """Text that troff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line for line in text.split("\n"))


def paragraphs(text: str) -> str:
    """The paragraphs of a docstring."""
    found = (" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))
    return "\n.PP\n".join(escaped(part) for part in found if part)


def described(command: Any, words: list[str], parent: Any) -> Iterator[str]:
    """A command with its options, then those below it."""
    context = command.make_context(words[-1], [], parent=parent, resilient_parsing=True, terminal_width=WIDTH)
    if parent is not None:
        yield f".SS {escaped(' '.join([*words, *command.collect_usage_pieces(context)]))}"
        yield paragraphs(command.help or "")
    records = [param.get_help_record(context) for param in command.get_params(context)]
    for name, about in filter(None, records):
        if not name.endswith("--help"):
            yield f".TP\n\\fB{escaped(name)}\\fR\n{escaped(' '.join((about or '').split()))}"
    for name, inner in getattr(command, "commands", {}).items():
        yield from described(inner, [*words, name], context)


def man_page() -> str:
    """The page in the macros of `man`."""
    from medground.faces.cli.app import command_line

    root = typer.main.get_command(command_line())
    parts = [
        '.\\" Written by scripts/man_page.py from the commands.',
        ".TH MEDGROUND 1",
        ".SH NAME\nmedground \\- answer biomedical questions from the literature, and prove every sentence",
        ".SH SYNOPSIS\n.B medground\nCOMMAND [OPTIONS] [ARGUMENTS]",
        ".SH DESCRIPTION\nEach command prints its help with\n.B \\-h\nor\n.BR \\-\\-help .\nOptions of all of them:",
        *described(root, ["medground"], None),
    ]
    at = next(number for number, part in enumerate(parts) if part.startswith(".SS"))
    return "\n".join([*parts[:at], ".SH COMMANDS", *parts[at:], ENDS])


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say whether the file is what the commands say")
    page = man_page()
    if not parser.parse_args().check:
        PLACE.parent.mkdir(exist_ok=True)
        PLACE.write_text(page, encoding="utf-8")
        return 0
    if PLACE.is_file() and PLACE.read_text(encoding="utf-8") == page:
        return 0
    print(f"{PLACE.name} is not what the commands say; run: python scripts/man_page.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
