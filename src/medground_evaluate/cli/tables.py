"""Figures and small tables as the command line prints them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medground.language.clean import one_line


def percent(value: float | None) -> str:
    """A share in percent; `-` for None."""
    return "-" if value is None else f"{value:.1%}"


def number(value: float | None, decimals: int = 3) -> str:
    """A number with some decimals; `-` for None."""
    return "-" if value is None else f"{value:.{decimals}f}"


def aligned(rows: Sequence[Sequence[str]], *, indent: str = "", right: bool = False) -> Iterator[str]:
    """Lines of a table, two spaces between columns; with `right` all columns but the first are flush right."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        sides = ["<", *((">" if right else "<") for _ in row[1:])]
        padded = (f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True))
        yield (indent + "  ".join(padded)).rstrip()
