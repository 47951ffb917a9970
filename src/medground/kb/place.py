"""The line of a TOML file at which a value stands, for messages: `tomllib` does not tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEADER = re.compile(r"\s*\[\[?\s*([^\]]+?)\s*\]\]?")


def line_of(text: str, place: Sequence[str | int]) -> int:
    """The line, from 1, of the innermost part of a place that can be found; the last table named, if not its key.

    Args:
        text: the file.
        place: keys and numbers of tables, such as `("sources", 1, "inputs", 0, "path")`.
    """
    lines = text.splitlines()
    start, end = 0, len(lines)
    names: list[str] = []
    for at, part in enumerate(place):
        if isinstance(part, int):
            continue
        names.append(part)
        number = place[at + 1] if at + 1 < len(place) and isinstance(place[at + 1], int) else None
        found = _table(lines, ".".join(names), number, start, end) if number is not None else None
        if found is not None:
            start, end = found
            continue
        key = _key(lines, part, start, end)
        if key is not None:
            start = key
    return min(start, max(len(lines) - 1, 0)) + 1


def _table(lines: Sequence[str], name: str, number: int | str | None, start: int, end: int) -> tuple[int, int] | None:
    """First line of the numbered table of an array, and the line after its last; subtables belong to it."""
    heads = [at for at in range(start, end) if (head := _HEADER.match(lines[at])) and head[1] == name]
    if not isinstance(number, int) or number >= len(heads):
        return None
    later = [
        at
        for at in range(heads[number] + 1, end)
        if (head := _HEADER.match(lines[at])) and not head[1].startswith(f"{name}.")
    ]
    return heads[number], later[0] if later else end


def _key(lines: Sequence[str], name: str, start: int, end: int) -> int | None:
    """The first line that sets a key, at its beginning or in a table on one line."""
    sets = re.compile(rf"(?:^|[{{,])\s*[\"']?{re.escape(name)}[\"']?\s*[=.]")
    return next((at for at in range(start, end) if sets.search(lines[at].partition("#")[0])), None)
