"""JSON Lines: one record per line. A broken line is skipped and reported with its number."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import Item
from medground.corpus.readers.files import LONGEST_RECORD, opened
from medground.document import Document
from medground.errors import BadDocument

Record = dict[str, Any]

TRIAL = 20
"""If this many records at the start of a file are all broken, the whole file is rejected."""

_LONGEST_LINE = 2 * LONGEST_RECORD
"""Maximum number of bytes read from a line; escapes and non-ASCII letters take more than one."""


def read_lines(path: Path, convert: Callable[[Record], Document]) -> Iterator[Item]:
    """One item per line that is not blank. `convert` raises ValueError for a record that it cannot use.

    Raises:
        BadDocument: the first `TRIAL` lines, or all of them, are broken, or the file is damaged.
    """
    found = (converted(partial(_parsed, line), convert, path, number) for number, line in _lines(path))
    yield from tried(found, path, "lines")


def tried(items: Iterable[Document | BadDocument], path: Path, what: str) -> Iterator[Item]:
    """These items, unless the first `TRIAL` of them, or all, are broken.

    Args:
        items: one for each record.
        path: their file.
        what: what they are in an error, such as `lines`.

    Raises:
        BadDocument: none of the first can be used.
    """
    broken: list[BadDocument] = []
    good = False
    for item in items:
        if good:
            yield item
        elif isinstance(item, BadDocument):
            broken.append(item)
            if len(broken) == TRIAL:
                break
        else:
            good = True
            yield from broken
            yield item
    if not good and broken:
        raise BadDocument(
            f"none of the first {len(broken)} {what} can be used; the first problem: {broken[0].reason}",
            file=str(path),
            position=broken[0].position,
        )


def converted(
    record: Callable[[], Record], convert: Callable[[Record], Document], path: Path, number: int
) -> Document | BadDocument:
    """The document of a record, or why there is none: `record` and `convert` raise ValueError."""
    try:
        return convert(record())
    except RecursionError:
        return BadDocument("the record is nested too deeply; flatten it", file=str(path), position=number)
    except ValueError as error:
        return BadDocument(str(error), file=str(path), position=number)


def parse(line: bytes) -> Record:
    """Parse the JSON object on a line.

    Raises:
        ValueError: the line is not a JSON object.
    """
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start} of the line") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg} at column {error.colno})") from error
    except RecursionError as error:
        raise ValueError("JSON nested too deeply") from error
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    return record


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Line numbers, counting from 1, and lines that are not blank; an overlong line is truncated."""
    with opened(path) as stream:
        number = 0
        while line := stream.readline(_LONGEST_LINE):
            number += 1
            rest = line
            while not rest.endswith(b"\n") and (rest := stream.readline(_LONGEST_LINE)):
                pass
            if line.strip():
                yield number, line


def _parsed(line: bytes) -> Record:
    if len(line) == _LONGEST_LINE:
        raise ValueError(f"the line has {_LONGEST_LINE:,} bytes or more; split the record")
    return parse(line)
