"""Text from standard input or from a file, as users type it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import BinaryIO, cast

_LINE_END = re.compile(r"\r\n?|\n")
_LINE_FORM = 'write the question alone, or {"question": "...", "context": "..."}'
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


def read_context(path: Path) -> str:
    """What a file, or standard input for `-`, gives with a question.

    Raises:
        UsageError: the file cannot be read, is not UTF-8, or is empty.
    """
    from medground.errors import UsageError

    name, text = _read(path, "name a text file")
    if not text.strip():
        raise UsageError(f"{name} is empty; give the text that the question is about, or leave --context out")
    return text


def read_questions(path: Path) -> list[tuple[int, str]]:
    """The questions of a file, or of standard input for `-`: one on each line, with the number of the line.

    Empty lines and lines that begin with `#` are passed over.

    Raises:
        UsageError: the file cannot be read, is not UTF-8, or has no question.
    """
    from medground.errors import UsageError

    name, text = _read(path, "name a file of questions")
    lines = ((number, line.strip()) for number, line in enumerate(_LINE_END.split(text), start=1))
    found = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if not found:
        raise UsageError(f"{name} has no question; write one on each line")
    return found


def with_context(line: str) -> tuple[str, str]:
    """The question and the context of a line: as it was typed, or `{"question": "...", "context": "..."}`.

    Raises:
        UsageError: the line begins like JSON, but is not such an object.
    """
    from medground.errors import UsageError

    if not line.startswith("{"):
        return line, ""
    try:
        content = json.loads(line)
    except ValueError as error:
        raise UsageError(f"this is not JSON ({error}); {_LINE_FORM}") from None
    if unknown := sorted(content.keys() - {"question", "context"}):
        raise UsageError(f"unknown key {unknown[0][:40]!r}; {_LINE_FORM}")
    question, context = content.get("question"), content.get("context", "")
    if not isinstance(question, str) or not isinstance(context, str):
        raise UsageError(f"question and context must be text; {_LINE_FORM}")
    return question, context


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


def _read(path: Path, advice: str) -> tuple[str, str]:
    """The name and the text of a file, or of standard input for `-`."""
    from medground.errors import UsageError

    if str(path) == STDIN:
        return "standard input", read_stdin()
    try:
        return str(path), _decoded(path.read_bytes(), str(path))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}; {advice}") from None


def _decoded(content: bytes, name: str) -> str:
    from medground.errors import UsageError

    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 (byte {error.start:,}); save it as UTF-8") from None
