"""Running heads, running feet, page numbers and line numbers: what stands on many pages and belongs to none."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from medground.corpus.readers.pdf.lines import Line

_EDGE = 0.14
"""Share of a page's height at its upper and lower edge where running heads and feet are."""
_FEW = 7
"""Pages of a document in which twice is often enough."""
_ROWS = 3
"""How many rows at an edge can be running heads or feet."""
_PAGE_NUMBER = re.compile(
    r"(?:page|p\.)?\s*\d{1,5}(?:\s*(?:of|/)\s*\d{1,5})?|[-\u2013]\s*\d{1,5}\s*[-\u2013]|[ivxl]{1,6}", re.I
)
_DIGITS = re.compile(r"\d+")
_NUMBERED_LINES = 5

Bounds = tuple[float, float, float, float]
Place = tuple[str, int]


def furniture(pages: Sequence[list[Line]], bounds: Sequence[Bounds]) -> set[int]:
    """The `id()` of each line that is furniture.

    Args:
        pages: the lines of each page.
        bounds: left, bottom, right, top of each page.
    """
    seen: dict[Place, set[int]] = defaultdict(set)
    edges = [list(_edge(lines, bound)) for lines, bound in zip(pages, bounds, strict=True)]
    for number, lines in enumerate(edges):
        for line in lines:
            for key in _keys(line):
                seen[key].add(number)
    found: set[int] = set()
    for lines, bound in zip(edges, bounds, strict=True):
        repeated = {
            id(line)
            for line in lines
            if _PAGE_NUMBER.fullmatch(line.text) or _repeats(seen[_keys(line)[1]], len(pages))
        }
        middle = (bound[1] + bound[3]) / 2
        found |= _outermost(sorted((ln for ln in lines if ln.base > middle), key=lambda ln: -ln.base), repeated)
        found |= _outermost(sorted((ln for ln in lines if ln.base <= middle), key=lambda ln: ln.base), repeated)
    for lines in pages:
        found |= _line_numbers(lines)
    return found


def _outermost(inward: Sequence[Line], repeated: set[int]) -> set[int]:
    """The repeated lines with nothing but such lines between them and the edge of the page."""
    first = next((line.base for line in inward if id(line) not in repeated), None)
    outer = inward if first is None else takewhile(lambda line: _reaches(line, first, inward[0]), inward)
    return {id(line) for line in outer if id(line) in repeated}


def _reaches(line: Line, first: float, edge: Line) -> bool:
    return abs(line.base - edge.base) <= abs(first - edge.base) + 1


def _edge(lines: Sequence[Line], bounds: Bounds) -> Iterator[Line]:
    _, bottom, _, top = bounds
    margin = _EDGE * (top - bottom)
    rows = sorted({round(line.base) for line in lines})
    outer = {*rows[:_ROWS], *rows[-_ROWS:]}
    near = (line for line in lines if line.base > top - margin or line.base < bottom + margin)
    return (line for line in near if round(line.base) in outer)


def _keys(line: Line) -> tuple[Place, Place, Place]:
    """What a line says without its numbers, where it stands: a little too low, right, a little too high."""
    said, at = _DIGITS.sub("#", line.text.casefold()), round(line.base / 4)
    return (said, at - 1), (said, at), (said, at + 1)


def _repeats(numbers: set[int], pages: int) -> bool:
    """On several pages near each other: heads of left and right pages differ, as do those of a volume's articles."""
    near = sum(after - before <= 2 for before, after in pairwise(sorted(numbers)))
    return near >= 2 or (near == 1 and pages <= _FEW)


def _line_numbers(lines: Sequence[Line]) -> set[int]:
    """Numbers that count the lines at the edge of a column."""
    columns: dict[tuple[int, int], list[Line]] = defaultdict(list)
    for line in lines:
        if line.text.isdecimal() and len(line.text) < 5:
            columns[round(line.right / 4), round(line.size)].append(line)
    found: set[int] = set()
    for column in columns.values():
        numbers = [int(line.text) for line in sorted(column, key=lambda line: -line.base)]
        steps = Counter(after - before for before, after in pairwise(numbers))
        if len(numbers) >= _NUMBERED_LINES and steps:
            step, count = steps.most_common(1)[0]
            if step in (1, 2, 5, 10) and count >= 0.8 * (len(numbers) - 1):
                found |= {id(line) for line in column}
    return found
