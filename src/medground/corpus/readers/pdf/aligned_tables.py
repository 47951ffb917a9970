"""Tables without vertical lines, as journals print them: columns are where the blanks of the rows lie over each other.

A table stands between rules across the page of one length, or beside its legend (`Table 2`) with blanks alone. PDF
readers for tables in general were tried on 19 small files: pdfplumber takes the whole page for a table, running text
too, where it goes by text (19 of 19), and finds none where it goes by lines; camelot's `stream`
takes paragraphs for tables as well. A legend and rules are what journals have. Of 322 cells under two levels of heads
in 16 files, pdfplumber's grids give 31 (by lines) and 27 (by text) with both heads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from medground.corpus.readers.pdf.glyphs import Page, turned_box
from medground.corpus.readers.pdf.heads import MOST_HEADS, Unplaced, has_figures, header_of, heads_above
from medground.corpus.readers.pdf.lines import Line, lines_of
from medground.corpus.readers.pdf.rows import BLANK, Row, Word, between, blanks_of, in_columns, rows_of_page, said_by
from medground.corpus.readers.pdf.ruled_tables import Above, Rule, Table, rules_of, said_in, taken_out
from medground.corpus.readers.table_rows import Cell

if TYPE_CHECKING:
    from pypdfium2 import PdfObject

_LEGEND = re.compile(
    r"(?i)\s*(?:supplementary |supp\.? )?table\s*(?:[SA]?\d{1,3}|[IVX]{1,4})\b(?:\s*[.:|(–—-]|\s*$|\s+[A-Z])"
)
_RULE = 60.0
"""Points: how long the rules of a table are at least."""
_MOST_RULES = 12
"""Rules of one length that are tried as the end of a table; a form has more."""
_SAME = 4.0
"""Points between the ends of two rules of one table."""
_JOINED = 1.5
"""Points between two pieces of one rule at most; the rules below two names over several columns stand farther apart."""
_LONGEST_CELL, _USUAL_CELL = 200, 32
"""Characters of a cell, and of most; running text has more."""
_APART = 4.0
"""In sizes: how far rows of a table without rules stand apart at most."""
_LEGEND_ROWS = 5
_TALL = 0.6
"""Share of a page's height between the rules of a table at most."""
_SHIFT = 20.0
"""Points: how far the blanks of a table move that goes on over the page."""
_AT_TOP = 4
"""Rows above a table that goes on at the top of a page."""


def without_aligned(
    page: Page, lines: Sequence[Line], drawn: Sequence[PdfObject], above: Above | None = None
) -> tuple[Page, list[list[Line]], Above | None]:
    """The page of these lines without such tables, their rows, and the last of them, as `taken_out`."""
    across = _whole(rules_of(drawn, page.quadrant)[0])
    long = [rule for rule in across if rule.end - rule.start >= _RULE]
    goes_on = above is not None and above.page == page.number - 1
    if not (goes_on or _frames_some(long, page) or any(_LEGEND.match(line.text) for line in lines)):
        return page, [], above
    rows = rows_of_page(page.glyphs)
    over = _at_top(rows, above) if above and goes_on else ()
    found = (_table(page, some, across) for some in (*_between_rules(rows, long), *_beside_legends(rows), *over))
    return taken_out(page, filter(None, found), above, _SHIFT)


def _frames_some(long: Sequence[Rule], page: Page) -> bool:
    """Whether rules may be those of a table, and not those of the running head and foot."""
    height = page.bounds[3] - page.bounds[1]
    return any(a.at - b.at < _TALL * height and abs(a.start - b.start) <= _SAME for a, b in pairwise(long))


def sideways_tables(page: Page, drawn: Sequence[PdfObject]) -> list[list[Line]]:
    """The rows of tables that are set in another direction than the text of a page, below what their legend says."""
    aside = page.sideways
    if aside is None:
        return []
    rest, tables, _ = without_aligned(aside, lines_of(aside), drawn)
    legends = [row.text for row in rows_of_page(rest.glyphs) if _LEGEND.match(row.text)]
    found: list[list[Line]] = []
    for number, lines in enumerate(tables):
        legend = [replace(lines[0], text=legends[number])] if number < len(legends) else []
        found.append([_turned(line, aside, page) for line in (*legend, *lines)])
    return found


def _turned(line: Line, aside: Page, page: Page) -> Line:
    """A line with its place as the rest of its page is turned."""
    box = aside.box(line.left, line.bottom, line.right, line.top)
    left, bottom, right, top = turned_box(box, page.quadrant)
    return replace(line, left=left, right=right, base=bottom + (top - bottom) / 4, size=top - bottom)


def _at_top(rows: Sequence[Row], above: Above) -> Iterator[list[Row]]:
    """The rows at the top of a page that have as many columns as the table at the end of the page before."""
    for strip in _strips(rows):
        for at in range(min(_AT_TOP, len(strip))):
            found = [*strip[at : at + 1], *_run(strip, at, 1)]
            if _is_tabular(found) and len(blanks_of(found)) == len(above.xs) - 2:
                yield found
                return


def _whole(across: Sequence[Rule]) -> list[Rule]:
    """The rules with pieces that follow each other joined."""
    found: list[Rule] = []
    for rule in sorted(across, key=lambda rule: (-round(rule.at), rule.start)):
        before = found[-1] if found else None
        if before and abs(before.at - rule.at) <= 1 and rule.start - before.end <= _JOINED:
            found[-1] = Rule(before.at, before.start, max(before.end, rule.end))
        else:
            found.append(rule)
    return found


def _between_rules(rows: Sequence[Row], long: Sequence[Rule]) -> Iterator[list[Row]]:
    """The rows between rules of one length; most that make a table first."""
    left = [*long]
    while left:
        first = left.pop(0)
        same = [one for one in left if abs(one.start - first.start) + abs(one.end - first.end) <= 2 * _SAME]
        left = [one for one in left if one not in same]
        places = [first.at, *(one.at for one in same)]
        at = 0
        while at < len(places) - 1:
            ends = range(len(places) - 1, at, -1)[: _MOST_RULES if at else None]
            pieces = ((end, _inside(rows, first, places[at], places[end])) for end in ends)
            end, piece = next(((end, piece) for end, piece in pieces if _is_tabular(piece)), (at + 1, []))
            piece += _below(piece, between(rows, first.start - _SAME, first.end + _SAME)) if piece else []
            if any(map(has_figures, piece)):  # else the rules frame a header alone
                yield piece
            at = end


def _below(piece: Sequence[Row], rows: Sequence[Row]) -> list[Row]:
    """The rows that go on closely below the last rule of a table: it frames the header, or ends on the next page."""
    strip = [row for row in rows if row.base <= piece[-1].base]
    found = _run(strip, 0, 1)
    between_them = strip[1 : strip.index(found[0])] if found else []
    is_near = all(a.base - b.base <= _APART * b.size for a, b in pairwise([piece[-1], *between_them, *found[:1]]))
    whole = [*between_them, *found]
    return whole if found and len(between_them) < 2 and is_near and _is_tabular([*piece, *whole]) else []


def _inside(rows: Sequence[Row], rule: Rule, top: float, bottom: float) -> list[Row]:
    return between([row for row in rows if bottom < row.base < top], rule.start - _SAME, rule.end + _SAME)


def _beside_legends(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """The rows next to a legend that have blanks, below it or else above, over the page or in a column of it."""
    for strip in _strips(rows):
        for at, row in enumerate(strip):
            if not _LEGEND.match(row.text):
                continue
            for step in (1, -1):
                if _is_tabular(found := _run(strip, at, step)):
                    yield found
                    break


def _strips(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """The rows over the whole width of a page, then by column if a blank in its middle parts most of them."""
    left = min((row.words[0].left for row in rows), default=0.0)
    right = max((row.words[-1].right for row in rows), default=0.0)
    centres = [left + (right - left) * part / 100 for part in range(42, 59, 2)]
    covered = [sum(any(w.left < x < w.right for w in row.words) for row in rows) for x in centres]
    middle = centres[covered.index(min(covered))]
    yield between(rows, left - 1, right + 1)
    if 3 * min(covered) < len(rows):
        yield between(rows, left - 1, middle)
        yield between(rows, middle, right + 1)


def _run(rows: Sequence[Row], at: int, step: int) -> list[Row]:
    """The rows from a legend on that follow each other closely and have blanks, or stand between such rows."""
    found: list[Row] = []
    waiting: list[Row] = []
    before = rows[at]
    for row in rows[at + step :: step]:
        apart = abs(before.base - row.base) > _APART * max(row.size, before.size)
        if (
            (apart and found)
            or len(waiting) > (1 if found else _LEGEND_ROWS)
            or (not found and _LEGEND.match(row.text))
        ):
            break
        if len(row.phrases) > 1 and max(len(said_by(phrase)) for phrase in row.phrases) <= 2 * _USUAL_CELL:
            found += [*(waiting if found else []), row]
            waiting = []
        else:
            waiting.append(row)
        before = row
    return found[::step]


def _is_tabular(rows: Sequence[Row]) -> bool:
    """Whether rows have columns of short cells, as running text has none."""
    if len(rows) < 2 or not (blanks := blanks_of(rows)):
        return False
    divided = [in_columns(row, blanks) for row in rows]
    columns = [[len(said_by(piece)) for piece in column if piece] for column in zip(*divided, strict=True)]
    lengths = [length for column in columns for length in column]
    several = sum(sum(map(bool, pieces)) > 1 for pieces in divided)
    is_short = max(lengths) <= _LONGEST_CELL and sum(lengths) / len(lengths) <= _USUAL_CELL
    beside = any(column and sum(column) / len(column) > _USUAL_CELL for column in columns[1:])  # text of the page
    return is_short and not beside and 2 * several >= len(rows)


def _table(page: Page, rows: Sequence[Row], across: Sequence[Rule]) -> Table | None:
    """The table of these rows, without rows where its header is not understood; None if they make only one."""
    left = min(row.words[0].left for row in rows)
    right = max(row.words[-1].right for row in rows)
    inner = [
        rule for rule in across if rows[-1].base < rule.at < rows[0].base and rule.start < right and rule.end > left
    ]
    full = [rule for rule in inner if rule.end - rule.start >= 0.9 * (right - left)]
    heads = sum(row.base > max(rule.at for rule in full) for row in rows) if full else heads_above(rows)
    heads = heads if heads < len(rows) and heads <= MOST_HEADS else 0
    blanks = blanks_of(rows[max(heads - 1, 0) :]) or blanks_of(rows)
    names = [edge for _, edge in blanks[:1]]  # how far names reach, and a header, differs from page to page
    right = max(row.words[-1].right for row in rows[heads:])
    xs = [left, *names, *((a + b) / 2 for a, b in blanks[1:]), right]
    divided = [in_columns(row, blanks) for row in rows]
    said = [[_text(page, piece) for piece in pieces] for pieces in divided]
    named = [[piece for piece in column if piece] for column in zip(*divided[max(heads - 1, 0) :], strict=True)]
    edges = [(min(p[0].left for p in column), max(p[-1].right for p in column)) for column in named]
    top, bottom = rows[0].base + rows[0].size, rows[-1].base - rows[-1].size / 4
    glyphs = {id(glyph) for row in rows for word in row.words for glyph in word.glyphs}
    try:
        cells = header_of(rows[:heads], said[:heads], edges, [rule for rule in inner if rule not in full])
    except Unplaced:
        return Table([], 0, xs, top, bottom, glyphs)
    heads_told = len(cells)
    pitch = median([a.base - b.base for a, b in pairwise(rows)])
    for number, (row, pieces, texts) in enumerate(zip(rows, divided, said, strict=True)):
        if number < heads:
            continue
        is_tight = number > heads and rows[number - 1].base - row.base < 0.8 * pitch
        is_rest = number > heads and not any(texts[1:]) and (texts[0][:1].islower() or texts[0].startswith("("))
        if cells and (is_rest or (is_tight and not texts[0])):
            cells[-1] = [
                replace(cell, text=f"{cell.text} {text}".strip()) for cell, text in zip(cells[-1], texts, strict=False)
            ]
            continue
        is_indented = bool(pieces[0]) and pieces[0][0].left > left + BLANK * row.size
        cells.append(_cells(pieces, texts, xs, is_indented=is_indented))
    return Table(cells, heads_told, xs, top, bottom, glyphs) if len(cells) > 1 else None


def _text(page: Page, words: Sequence[Word]) -> str:
    return said_in(page, [glyph for word in words for glyph in word.glyphs])[0]


def _cells(
    pieces: Sequence[Sequence[Word]], texts: Sequence[str], xs: Sequence[float], *, is_indented: bool
) -> list[Cell]:
    """The cells of a row; words that go over the columns after their own span them."""
    cells: list[Cell] = []
    at = 0
    while at < len(texts):
        last = sum(x < pieces[at][-1].right for x in xs[1:-1]) if pieces[at] else at
        reach = next((n for n in range(1, last - at + 1) if texts[at + n]), max(1, last - at + 1))
        cells.append(Cell(texts[at], is_indented=is_indented and not at, columns=reach))
        at += reach
    return cells
