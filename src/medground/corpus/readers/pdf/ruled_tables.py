"""Tables whose lines are drawn: the cells between the rules of a page, read row by row as those of other formats."""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from medground.corpus.readers.pdf.glyphs import Box, Glyph, Page, turned_box
from medground.corpus.readers.pdf.lines import Line, lines_of
from medground.corpus.readers.table_rows import Cell, heads_of
from medground.corpus.readers.table_rows import lines_of as sentences_of

if TYPE_CHECKING:
    from pypdfium2 import PdfObject

_THIN, _SHORTEST = 2.5, 6.0
"""Points: how wide a rule is at most, and how long at least."""
_NEAR = 2.5
"""Points between the ends of two rules that meet."""
_MOST = 1_000
"""Paths of a page with a table; a page with more is a drawing."""
_OF_RECTANGLE = (4, 5)
"""Segments of a path that is one."""
_LONGEST = 400
"""Characters of a cell; a frame with more holds running text."""


class Rule(NamedTuple):
    """A straight line: where it is, across its direction, and where it begins and ends."""

    at: float
    start: float
    end: float


Rules = Sequence[Rule]
Places = Sequence[float]
Within = Mapping[tuple[int, int], list[Glyph]]
"""What stands in each row and column."""


def rules_of(drawn: Sequence[PdfObject], quadrant: int) -> tuple[list[Rule], list[Rule]]:
    """The lines that are drawn across a page, from left to right, and down it, from the bottom up."""
    import pypdfium2.raw as pdfium

    paths = [one for one in drawn if one.type == pdfium.FPDF_PAGEOBJ_PATH and not one.level]
    across, down = list[Rule](), list[Rule]()
    for edge in (edge for path in paths for edge in _edges(path)) if len(paths) <= _MOST else ():
        left, bottom, right, top = turned_box(edge, quadrant)
        width, height = right - left, top - bottom
        if height <= _THIN and width >= _SHORTEST:
            across.append(Rule((bottom + top) / 2, left, right))
        elif width <= _THIN and height >= _SHORTEST:
            down.append(Rule((left + right) / 2, bottom, top))
    return across, down


def _edges(path: PdfObject) -> Iterator[Box]:
    """Left, bottom, right and top of a straight line, or of each edge of a rectangle whose outline is drawn."""
    import pypdfium2.raw as pdfium

    left, bottom, right, top = path.get_bounds()
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path.raw, fill, stroke)
    if min(right - left, top - bottom) <= _THIN:
        yield left, bottom, right, top
    elif stroke.value and pdfium.FPDFPath_CountSegments(path.raw) in _OF_RECTANGLE:
        yield from ((left, y, right, y) for y in (bottom, top))
        yield from ((x, bottom, x, top) for x in (left, right))


class Above(NamedTuple):
    """A table that may go on over the page: the lines between its columns, and its header."""

    page: int
    xs: Places
    head: Sequence[Sequence[Cell]]
    near: float = _NEAR
    """Points by which its columns may stand elsewhere there."""

    def over(self, page: int, xs: Places, rows: Sequence[Sequence[Cell]]) -> Sequence[Sequence[Cell]]:
        """The rows of a page's first table; below this header if they continue its columns without a header."""
        shifts = [abs((a - xs[0]) - (b - self.xs[0])) for a, b in zip(xs, self.xs, strict=False)]
        if page != self.page + 1 or len(xs) != len(self.xs) or max(shifts) > self.near:
            return rows
        again = [[cell.text for cell in row] for row in rows[: len(self.head)]]
        repeated = again == [[cell.text for cell in row] for row in self.head]
        return rows if repeated or heads_of(rows) else [*self.head, *rows]


class Table(NamedTuple):
    """A table that was found on a page: its rows, how many of them are the header as far as rules tell, the edges of
    its columns, its upper and lower edge, and the `id()` of its glyphs.
    """

    rows: Sequence[Sequence[Cell]]
    heads: int
    xs: Places
    top: float
    bottom: float
    glyphs: set[int]


def taken_out(
    page: Page, found: Iterable[Table], above: Above | None, near: float = _NEAR
) -> tuple[Page, list[list[Line]], Above | None]:
    """The page without the glyphs of these tables, the rows of each table, each as one line on its page, and the last
    of them; `above` is that of the page before.
    """
    tables: list[list[Line]] = []
    taken: set[int] = set()
    for table in found:
        if not taken.isdisjoint(table.glyphs):
            continue
        told = above.over(page.number, table.xs, table.rows) if above and not tables and not table.heads else table.rows
        heads = table.heads or len(told) - len(table.rows) or heads_of(told)
        height = table.top - table.bottom
        place = Line(page.number, table.xs[0], table.xs[-1], table.bottom + height / 4, height, "")
        if sentences := [replace(place, text=text) for text in sentences_of(told, heads)]:
            tables.append(sentences)
            above = Above(page.number, table.xs, told[:heads], near)
        if sentences or not table.rows:  # what was not understood is reported, and no part of it is read
            taken |= table.glyphs
    return replace(page, glyphs=[glyph for glyph in page.glyphs if id(glyph) not in taken]), tables, above


def drawn_tables(page: Page, drawn: Sequence[PdfObject]) -> Iterator[Table]:
    """The tables of a page whose lines are drawn."""
    for across, down in sorted(_grids(*rules_of(drawn, page.quadrant)), key=lambda grid: -max(grid[0]).at):
        xs, ys = _places(down, across), _places(across, down)
        is_empty = (len(xs) - 1) * (len(ys) - 1) > 2 * len(page.glyphs)
        if is_empty or min(len(xs), len(ys)) < 3:
            continue
        within: dict[tuple[int, int], list[Glyph]] = defaultdict(list)
        for glyph in page.glyphs:
            at = bisect_right(xs, (glyph.left + glyph.right) / 2), bisect_right(ys, glyph.base + 0.2 * glyph.style.size)
            if 0 < at[0] < len(xs) and 0 < at[1] < len(ys) and not glyph.style.hidden:
                within[len(ys) - 1 - at[1], at[0] - 1].append(glyph)
        rows = _cells(page, (xs, ys[::-1]), (across, down), within)
        cells = [cell for row in rows for cell in row]
        filled = [cell for cell in cells if cell.text]
        if 2 * len(filled) >= len(cells) and max((len(cell.text) for cell in filled), default=_LONGEST) < _LONGEST:
            glyphs = {id(glyph) for some in within.values() for glyph in some}
            yield Table(rows, 0, xs, ys[-1], ys[0], glyphs)


def _grids(across: Rules, down: Rules) -> Iterator[tuple[list[Rule], list[Rule]]]:
    """Rules that meet, together."""
    left = set(range(len(across))) if len(down) > 1 else set()
    while left:
        rows, columns, fresh = {left.pop()}, set[int](), True
        while fresh:
            crossing = {n for n, d in enumerate(down) if any(_meet(across[m], d) for m in rows)}
            met = {m for m in left if any(_meet(across[m], down[n]) for n in crossing - columns)}
            fresh, columns, rows, left = bool(met), columns | crossing, rows | met, left - met
        yield [across[m] for m in rows], [down[n] for n in columns]


def _meet(across: Rule, down: Rule) -> bool:
    inside = across.start - _NEAR <= down.at <= across.end + _NEAR
    return inside and down.start - _NEAR <= across.at <= down.end + _NEAR


def _places(rules: Rules, others: Rules) -> list[float]:
    """Distinct places of rules, and of the ends of the others, in order; those of one rule in pieces are one."""
    found: list[float] = []
    for value in sorted([*(rule.at for rule in rules), *(end for rule in others for end in rule[1:])]):
        if not found or value - found[-1] > _NEAR:
            found.append(value)
    return found


def _cells(page: Page, places: tuple[Places, Places], rules: tuple[Rules, Rules], within: Within) -> list[list[Cell]]:
    """The cells of each row, from the top; one that no rule parts from its neighbours spans them."""
    (xs, ys), (across, down) = places, rules

    def parted(rules: Rules, at: float, middle: float) -> bool:
        return any(abs(rule.at - at) <= _NEAR and rule.start <= middle <= rule.end for rule in rules)

    taken: set[tuple[int, int]] = set()
    rows: list[list[Cell]] = []
    for top in range(len(ys) - 1):
        rows.append([])
        for first in range(len(xs) - 1):
            if (top, first) in taken:
                continue
            right, bottom = first + 1, top + 1
            while right < len(xs) - 1 and not parted(down, xs[right], (ys[top] + ys[top + 1]) / 2):
                right += 1
            while bottom < len(ys) - 1 and not parted(across, ys[bottom], (xs[first] + xs[first + 1]) / 2):
                bottom += 1
            own = [(row, column) for row in range(top, bottom) for column in range(first, right)]
            taken.update(own)
            text, is_bold = said_in(page, [glyph for at in own for glyph in within.get(at, ())])
            rows[-1].append(Cell(text, is_head=bool(text) and is_bold, rows=bottom - top, columns=right - first))
    return rows


def said_in(page: Page, glyphs: list[Glyph]) -> tuple[str, bool]:
    """What a cell says, and whether all of it is bold."""
    lines = sorted(lines_of(replace(page, glyphs=glyphs)), key=lambda line: (-line.base, line.left))
    return " ".join(line.text for line in lines), all(line.bold for line in lines)
