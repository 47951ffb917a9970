"""Tables as sentences: each row with its name, and each value with the name of its column, so that it can be quoted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

MOST_CELLS = 50_000
_MOST_SPAN = 1_000
_SHORT = 80
_LETTER = re.compile(r"[^\W\d_]")
_NUMBER = re.compile(r"\W*\d")


@dataclass(frozen=True, eq=False)
class Cell:
    """A cell as it is written: its text without marks of footnotes, what these say, and how far it reaches."""

    text: str
    is_head: bool = False
    is_indented: bool = False
    rows: int = 1
    columns: int = 1
    notes: tuple[str, ...] = ()


def lines_of(rows: Sequence[Sequence[Cell]], heads: int | None = None) -> Iterator[str]:
    """`Gout flare | Tolnaprix (n=204): 41 (20.1%) | Placebo (n=199): 77 (38.7%)` of each row below the header.

    Args:
        rows: the cells in the order in which they are written; one that spans others stands once.
        heads: how many rows are the header; None where that is to be seen from the cells.
    """
    grid = _spread(rows)
    heads = _heads(grid, heads)
    grouped = len(grid) > heads and _alone(grid[heads]) is not None
    names: list[str] = []
    group = under = ""
    for number, row in enumerate(grid):
        said = [cell for cell in dict.fromkeys(row) if cell.text]
        if number < heads or (len(said) > 1 and all(cell.is_head for cell in said)):
            before = names if 0 < number < heads else [""] * len(row)
            names = [_name(*pair) for pair in zip_longest(before, row, fillvalue="")]
        elif (alone := _alone(row)) is not None:
            below = grid[number + 1 : number + 2]
            is_over = bool(below) and below[0][0].is_indented  # it ends where the rows are indented no longer
            if (grouped or len(set(row)) == 1) and not is_over:
                group, under = alone, ""
            else:
                under = alone if is_over else ""
            if not below or alone not in (group, under):
                yield alone
        elif said:
            under = under if row[0].is_indented else ""
            yield _line(row, names, [group, under])


def heads_of(rows: Sequence[Sequence[Cell]]) -> int:
    """How many rows from the top are the header, as far as that is to be seen from the cells."""
    return _heads(_spread(rows), None)


def _name(above: str, cell: Cell | str) -> str:
    """The name of a column below another name; with a footnote that is short, since two may differ in nothing else."""
    if isinstance(cell, str):
        return above
    told = [note for note in cell.notes if len(note) <= _SHORT]
    name = f"{cell.text} ({'; '.join(told)})" if cell.text and told else cell.text
    return ", ".join(filter(None, dict.fromkeys((above, name))))


def _alone(row: Sequence[Cell]) -> str | None:
    """The text of a row that has only one, over the rows below it."""
    said = {cell for cell in row if cell.text}
    return said.pop().text if len(said) == 1 and len(row) > 1 and row[0].text else None


def _line(row: Sequence[Cell], names: Sequence[str], above: Sequence[str]) -> str:
    """One row; its name is in its first cell, and in those after it that have no name of their own."""
    names = [*names, *[""] * (len(row) - len(names))]
    first = next((at for at, name in enumerate(names) if name != names[0]), 1)  # columns below the first name
    begins = (
        at
        for at, cell in enumerate(row)
        if (at >= first and names[at]) or (_NUMBER.match(cell.text) and (at >= first or not _LETTER.search(cell.text)))
    )
    own = next(begins, 0 if names[0] else 1)
    labels, values = row[:own], []
    for cell, name in dict(reversed([*zip(row[own:], names[own:], strict=False)])).items():
        if cell.text and cell not in labels:
            values.append(f"{name}: {cell.text}" if name and name != cell.text else cell.text)
    head = ", ".join(filter(None, dict.fromkeys([*above, *(cell.text for cell in labels)])))
    line = " | ".join(filter(None, [head, *reversed(values)]))
    notes = dict.fromkeys(note for cell in row for note in cell.notes)
    return f"{line} ({'; '.join(notes)})" if notes else line


def _spread(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """The rows with a cell in every column: one that spans several stands in each."""
    grid: list[list[Cell]] = []
    hanging: dict[int, tuple[Cell, int]] = {}  # cells of rows above, and how many more rows they reach
    total = 0
    for row in rows:
        line: list[Cell] = []
        waiting = list(row)
        while waiting or len(line) in hanging:
            at = len(line)
            if at in hanging:
                cell, left = hanging.pop(at)
                line.append(cell)
                if left > 1:
                    hanging[at] = (cell, left - 1)
                continue
            cell = waiting.pop(0)
            for column in range(at, at + min(max(cell.columns, 1), _MOST_SPAN)):
                line.append(cell)
                if cell.rows > 1:
                    hanging[column] = (cell, min(cell.rows, _MOST_SPAN) - 1)
        total += len(line)
        if total > MOST_CELLS:
            raise ValueError(f"a table has more than {MOST_CELLS:,} cells; split it")
        if line:
            grid.append(line)
    return grid


def _heads(grid: Sequence[Sequence[Cell]], told: int | None) -> int:
    """How many rows from the top are a header: as told, or rows of header cells, or one without numbers above some; and
    rows below it that name the parts of a column."""
    heads = told or next((n for n, row in enumerate(grid) if not all(c.is_head for c in row if c.text)), len(grid))
    if not heads and len(grid) > 1:
        named = len({cell for cell in grid[0] if cell.text}) > bool(grid[0][0].text) and not _has_number(grid[0])
        heads = int(named and any(_has_number(row[1:]) for row in grid[1:]))
    while 0 < heads < len(grid) - 1 and not _has_number(grid[heads]) and _has_number(grid[heads + 1]):
        over = grid[heads - 1]
        parts = [(above, cell) for above, cell in zip(over, grid[heads], strict=False) if over.count(above) > 1]
        if not parts or not all(cell.text for _, cell in parts) or len({cell for _, cell in parts}) < 2:
            break
        heads += 1
    return heads


def _has_number(row: Sequence[Cell]) -> bool:
    return any(_NUMBER.match(cell.text) for cell in row)
