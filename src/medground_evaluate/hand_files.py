"""Files that people write, as JSON Lines: what is wrong with one is reported with its line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from medground.errors import BadDocument

M = TypeVar("M", bound=BaseModel)


def text_of(path: Path) -> str:
    """The text of a file.

    Raises:
        BadDocument: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise BadDocument(f"cannot be read: {reason}", file=str(path)) from None


def values_in(text: str, path: Path, kind: type[M], *, may_be_cut: bool = False) -> Iterator[tuple[int, M]]:
    """The values in the text of a file called `path`, each with its line; `may_be_cut` leaves out a truncated last one.

    Raises:
        BadDocument: a line is not such a value.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield number, kind.model_validate(json.loads(line))
            except json.JSONDecodeError:
                if may_be_cut and number == len(lines):
                    return
                raise BadDocument("this line is not JSON", file=str(path), position=number) from None
            except RecursionError:
                raise BadDocument("this line is nested too deeply", file=str(path), position=number) from None
            except ValidationError as error:
                raise BadDocument(problem_of(error), file=str(path), position=number) from None


def problem_of(error: ValidationError) -> str:
    """The first problem of a value, in one line."""
    first = error.errors(include_url=False, include_context=False)[0]
    where, message = ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
    if first["type"] == "missing":
        return f"{where} is missing"
    shown = json.dumps(first["input"], default=str)[:60]
    return f"{where} is {shown}: {message[:1].lower()}{message[1:]}" if where else message
