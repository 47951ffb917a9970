"""Text from standard input or from a file, as users type it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import BinaryIO, cast

_LINE_END = re.compile(r"\r\n?|\n")
STDIN = "-"
"""Stands for standard input where a question or a file is expected."""


def read_stdin() -> str:
    """All of standard input.

    Raises:
        UsageError: it is not UTF-8.
    """
    return _decoded(standard_input().read(), "standard input")


def standard_input() -> BinaryIO:
    """Standard input as bytes."""
    return cast("BinaryIO", sys.stdin.buffer)


def read_questions(path: Path) -> list[tuple[int, str]]:
    """The questions of a file, or of standard input for `-`: one on each line, with the number of the line.

    Empty lines and lines that begin with `#` are passed over.

    Raises:
        UsageError: the file cannot be read, is not UTF-8, or has no question.
    """
    from medground.errors import UsageError

    if str(path) == STDIN:
        name, text = "standard input", read_stdin()
    else:
        try:
            name, text = str(path), _decoded(path.read_bytes(), str(path))
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror or error}; name a file of questions") from None
    lines = ((number, line.strip()) for number, line in enumerate(_LINE_END.split(text), start=1))
    found = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if not found:
        raise UsageError(f"{name} has no question; write one on each line")
    return found


def received(paths: list[Path], corpus: Path) -> list[Path]:
    """The paths, with what comes from standard input stored in the folder of the corpus in place of `-`.

    Raises:
        UsageError: standard input is named twice, or is empty.
    """
    from medground.corpus.incoming import receive
    from medground.errors import UsageError

    if sum(str(path) == STDIN for path in paths) > 1:
        raise UsageError("- is given twice; standard input can be read once")
    return [receive(standard_input(), corpus) if str(path) == STDIN else path for path in paths]


def _decoded(content: bytes, name: str) -> str:
    from medground.errors import UsageError

    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 (byte {error.start:,}); save it as UTF-8") from None
