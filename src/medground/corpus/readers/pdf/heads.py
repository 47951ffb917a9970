"""The header of a table without vertical lines: which rows it is, and over which columns each of its names stands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from medground.corpus.readers.pdf.rows import Row, Word, said_by
from medground.corpus.readers.pdf.ruled_tables import Rule
from medground.corpus.readers.table_rows import Cell

MOST_HEADS = 5
_BELOW = 1.6
"""In sizes: how far below a name over several columns its rule is at most."""
_INDENT = 3.0
"""In sizes: how far the name of a row may be indented."""
_ALIKE = 0.3
"""Of the distance of two columns: by how much less names may stand in another way over their columns."""
_LETTER = re.compile(r"[^\W\d_]")
_VALUE = re.compile(r"\W*\d")
_INTERVAL = re.compile(r"\(?\d\d ?% ?[A-Z]")
"""The name of a column of confidence intervals."""
_YEAR = re.compile(r"(?:19|20)\d\d")


class Unplaced(Exception):
    """The columns of a name are not to be seen."""


Columns = tuple[int, int]
"""Those that a name stands over: the first, and the one after the last."""
Edges = Sequence[tuple[float, float]]
"""The left and the right edge of what stands in each column."""


def heads_above(rows: Sequence[Row]) -> int:
    """How many rows are the header, where no rule tells it: those above the first with a name and figures."""
    left = min(row.words[0].left for row in rows)
    columns = max(len(row.phrases) for row in rows)
    is_named = [row.words[0].left < left + _INDENT * row.size for row in rows]
    values = [[said_by(phrase) for phrase in row.phrases[named:]] for row, named in zip(rows, is_named, strict=True)]
    has_units = any(_VALUE.match(value) and _LETTER.search(value) for value in values[-1])
    heads = 0
    is_full = False  # each column has its name
    for named, own in zip(is_named[: MOST_HEADS + 1], values, strict=False):
        figures = [value for value in own if is_figure(value)]
        is_data = any(not _LETTER.search(value) for value in figures) or (named and has_units and len(figures) > 1)
        if is_data or (named and is_full):
            break
        heads += 1
        is_full = is_full or len(own) + 1 >= columns
    else:
        return 0
    while heads and is_named[heads - 1] and not values[heads - 1]:  # the name of the group below it
        heads -= 1
    return heads


def has_figures(row: Row) -> bool:
    """Whether a row has values, and not the names of columns alone."""
    return any(is_figure(said_by(phrase)) for phrase in row.phrases)


def is_figure(value: str) -> bool:
    """Whether a figure is written so, and no year or piece of a name of two lines (`= 38)`)."""
    return (
        bool(_VALUE.match(value))
        and not _INTERVAL.match(value)
        and not _YEAR.fullmatch(value)
        and value.count("(") == value.count(")")
    )


def header_of(
    rows: Sequence[Row], texts: Sequence[Sequence[str]], columns: Edges, inner: Sequence[Rule]
) -> list[list[Cell]]:
    """The cells of a header.

    Args:
        rows: those of the header.
        texts: what each of them says in each column, if each of its names stood over one.
        columns: the left and the right edge of what stands in each column.
        inner: the rules between the rows, other than those from edge to edge.

    Raises Unplaced: it is not to be seen over which columns a name stands.
    """
    levels: list[dict[Columns, str]] = []
    for at, (row, said) in enumerate(zip(rows, texts, strict=True)):
        is_ruled = at > 0 and any(row.base < rule.at < rows[at - 1].base for rule in inner)
        if at == len(rows) - 1 or sum(map(bool, said[1:])) == len(columns) - 1:
            names = {(column, column + 1): text for column, text in enumerate(said) if text}
        elif levels and not (is_ruled or said[0]) and len(row.phrases) < len(levels[-1]):  # second lines of some names
            names = {_above(phrase, [*levels[-1]], columns): said_by(phrase) for phrase in row.phrases}
        else:
            names = {under: said_by(words) for under, words in _spans(row, texts[-1], columns, inner)}
        if levels and names and names.keys() <= levels[-1].keys() and not is_ruled:  # names of several lines
            levels[-1] |= {span: f"{levels[-1][span]} {name}" for span, name in names.items()}
        else:
            levels.append(names)
    return [_cells(names, len(columns)) for names in levels]


def _cells(names: Mapping[Columns, str], columns: int) -> list[Cell]:
    starts = {first: Cell(text, columns=end - first) for (first, end), text in names.items()}
    covered = {at for first, end in names for at in range(first + 1, end)}
    return [starts.get(at, Cell("")) for at in range(columns) if at not in covered]


def _spans(
    row: Row, below: Sequence[str], columns: Edges, inner: Sequence[Rule]
) -> Iterator[tuple[Columns, Sequence[Word]]]:
    """The names of a row over several columns: as far as the rule below each, else by what stands below all of them."""
    left, is_ruled = row.words, False
    for rule in (rule for rule in inner if 0 < row.base - rule.at < _BELOW * row.size):
        own = [word for word in left if rule.start <= (word.left + word.right) / 2 <= rule.end]
        under = [at for at, edges in enumerate(columns) if rule.start <= sum(edges) / 2 <= rule.end]
        if own and under:
            yield (under[0], under[-1] + 1), own
            left, is_ruled = [word for word in left if word not in own], True
    several: list[Sequence[Word]] = []
    for phrase in replace(row, words=left).phrases:
        middle = (phrase[0].left + phrase[-1].right) / 2
        nearest = min(range(len(columns)), key=lambda at: abs(sum(columns[at]) / 2 - middle))
        nearest = 0 if middle < columns[1][0] else nearest
        if is_ruled or not (nearest and below[nearest]):
            yield (nearest, nearest + 1), phrase
        else:
            several.append(phrase)
    runs = _side_by_side(several, below, columns) if several else []
    if len(runs) < len(several):
        raise Unplaced
    yield from zip(runs, several, strict=True)


def _above(phrase: Sequence[Word], spans: Sequence[Columns], columns: Edges) -> Columns:
    """That of the spans of columns whose middle is nearest."""
    middle = phrase[0].left + phrase[-1].right
    return min(spans, key=lambda span: abs(columns[span[0]][0] + columns[span[1] - 1][1] - middle))


def _side_by_side(heads: Sequence[Sequence[Word]], below: Sequence[str], columns: Edges) -> list[Columns]:
    """The columns of each name, as many for each: below which the same names stand, or else over which all of them
    stand alike, by their middle or their left edge. Empty if they do not."""
    pitch = (columns[-1][0] - columns[1][0]) / max(len(columns) - 2, 1)
    found: list[tuple[bool, float, list[Columns]]] = []
    for each in range((len(columns) - 1) // len(heads), 0, -1):
        for first in range(1, len(columns) - each * len(heads) + 1):
            runs = [(start, start + each) for start in range(first, first + each * len(heads), each)]
            repeats = min(each, len(heads)) > 1 and len({tuple(below[start:end]) for start, end in runs}) == 1
            under = [(columns[start][0], columns[end - 1][1]) for start, end in runs]
            middles = [(h[0].left + h[-1].right - sum(edges)) / 2 for h, edges in zip(heads, under, strict=True)]
            lefts = [h[0].left - edges[0] for h, edges in zip(heads, under, strict=True)]
            cost, spread = min((abs(sum(off)) / len(off), max(off) - min(off)) for off in (middles, lefts))
            if repeats or spread < _ALIKE * pitch:
                found.append((not repeats, cost, runs))
    return min(found, default=(True, 0.0, []), key=lambda one: one[:2])[2]
