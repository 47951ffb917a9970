"""Lines to blocks (lines that stand together), and blocks in the order in which a reader takes them."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from medground.corpus.readers.pdf.lines import Line
from medground.values.grouping import grouped

_LEADING = 1.3
"""Least distance of two lines, in sizes, where the document does not tell."""
_FARTHEST = 2.7
_TOGETHER = 1.18
"""How much farther than usual two lines of one block may stand apart."""
_INDENT = 3.5
_LEGEND = re.compile(r"(?i)(?:fig(?:ure|\.)?|table)\s+S?\d{1,3}[.:|]")
"""A legend begins a block, however near the labels of its figure are."""


@dataclass
class Block:
    """Lines that stand together, from top to bottom, all in one style: their page, edges, and the size of most of it.

    It is bold or italic if all of its lines are.
    """

    lines: list[Line]

    def __post_init__(self) -> None:
        lines, sizes = self.lines, Counter[float]()
        for line in lines:
            sizes[line.size] += len(line.text)
        self.page, self.top, self.bottom = lines[0].page, lines[0].top, lines[-1].bottom
        self.left, self.right = min(line.left for line in lines), max(line.right for line in lines)
        self.size: float = sizes.most_common(1)[0][0]
        self.bold, self.italic = all(line.bold for line in lines), all(line.italic for line in lines)
        self.text = " ".join(line.text for line in lines)


def leadings(pages: Sequence[Sequence[Line]]) -> dict[int, float]:
    """The usual distance of two lines, by their size in half points; for sizes that are rare, a multiple, at 0."""
    seen: dict[int, Counter[float]] = {}
    for lines in pages:
        ordered = sorted(lines, key=lambda line: -line.base)
        for at, line in enumerate(ordered):
            below = _nearest_below(ordered, at)
            if below is not None and abs(below.size - line.size) < 0.26:
                seen.setdefault(round(2 * line.size), Counter())[round(2 * (line.base - below.base)) / 2] += 1
    usual = {size: counts.most_common(1)[0][0] for size, counts in seen.items() if counts.total() >= 5}
    most = max(usual, key=lambda size: seen[size].total(), default=0)
    usual[0] = max(_LEADING, 2 * usual[most] / most) if most else _LEADING
    return usual


def blocks_of(lines: Sequence[Line], usual: Mapping[int, float]) -> list[Block]:
    """The blocks of a page, in reading order."""
    ordered = sorted(lines, key=lambda line: -line.base)
    reach: dict[int, float] = {}  # how far to the right lines go that begin at a left edge, in tens of points
    for line in lines:
        at = round(line.left / 10)
        reach[at] = max(reach.get(at, 0.0), line.right)
    below: dict[int, Line] = {}
    above: dict[int, Line] = {}
    for at, line in enumerate(ordered):
        following = _nearest_below(ordered, at)
        if following is not None and id(following) not in above and _together(line, following, usual, reach):
            below[id(line)] = following
            above[id(following)] = line
    blocks = []
    for line in ordered:
        if id(line) not in above:
            chain = [line]
            while (following := below.get(id(chain[-1]))) is not None:
                chain.append(following)
            blocks.append(Block(chain))
    return in_order(blocks)


def _nearest_below(ordered: Sequence[Line], at: int) -> Line | None:
    """The nearest line that begins below and shares some width; None if it is far, or beside another."""
    line = ordered[at]
    for other in ordered[at + 1 :]:
        distance = line.base - other.base
        if distance > _FARTHEST * max(line.size, other.size):
            return None
        if distance > 0.5 * min(line.size, other.size) and other.left < line.right and other.right > line.left:
            return other
    return None


def _together(line: Line, other: Line, usual: Mapping[int, float], reach: Mapping[int, float]) -> bool:
    size = max(line.size, other.size)
    same_weight = line.bold == other.bold or (line.bold and other.opening > 0)  # a heading that runs into its text
    if min(line.size, other.size) < 0.93 * size or not same_weight or line.italic != other.italic:
        return False
    if _LEGEND.match(other.text):
        return False
    leading = usual.get(round(2 * size)) or usual[0] * size
    if line.base - other.base > _TOGETHER * leading + 0.3:
        return False
    if line.bold and other.bold and abs(line.left - other.left) < 1:  # two headings, if the first had room for more
        word = other.width * len(other.text.split()[0]) / len(other.text)
        if line.right + word + size < reach[round(line.left / 10)]:
            return False
    centred = abs(line.left + line.right - other.left - other.right) < 2 * size
    flush = abs(line.left - other.left) < _INDENT * size
    return flush or centred


def in_order(blocks: Sequence[Block]) -> list[Block]:
    """Blocks in reading order.

    A block comes before one below it that shares some width, and before one to its right unless a third stands between
    them in height and shares some width with both (T. Breuel, High performance document layout analysis, 2003).
    """
    import numpy as np

    count = len(blocks)
    if count < 2:
        return list(blocks)
    left, top, bottom = (np.array([getattr(block, side) for block in blocks]) for side in ("left", "top", "bottom"))
    right = np.array(_full_right(blocks))
    middle = (top + bottom) / 2
    shares = (left[:, None] < right[None] - 1) & (right[:, None] > left[None] + 1)
    higher = middle[:, None] > middle[None]
    before = shares & higher
    beside = right[:, None] <= left[None] + 1
    for a in range(count):
        for b in np.flatnonzero(beside[a]):
            between = (
                shares[a] & shares[b] & (middle < max(middle[a], middle[b])) & (middle > min(middle[a], middle[b]))
            )
            before[a, b] = not between.any()
    return [blocks[at] for at in _sorted(before, [(-block.top, block.left) for block in blocks])]


def _full_right(blocks: Sequence[Block]) -> list[float]:
    """Right edges; a heading or another short block is as wide as the block that follows it in its column."""
    edges = []
    for block in blocks:
        below = (
            other
            for other in blocks
            if abs(other.left - block.left) < 0.5 * block.size and 0 <= block.bottom - other.top < 2 * block.size
        )
        following = max(below, key=lambda other: other.top, default=block)
        edges.append(max(block.right, following.right))
    return edges


def _sorted(before: object, place: Sequence[tuple[float, float]]) -> list[int]:
    """A topological order; of several that may come next, the one that follows what was just taken, or the highest."""
    import numpy as np

    matrix = np.asarray(before).copy()
    np.fill_diagonal(matrix, False)
    waiting = matrix.sum(axis=0)
    left = set(range(len(place)))
    done: list[int] = []
    while left:
        free = [at for at in left if waiting[at] == 0] or [min(left, key=lambda at: (waiting[at], place[at]))]
        following = [at for at in free if done and matrix[done[-1], at]]
        taken = min(following or free, key=lambda at: place[at])
        left.discard(taken)
        done.append(taken)
        waiting = waiting - matrix[taken]
    return done


# Running heads, running feet, page numbers and line numbers: what stands on many pages and belongs to none.

_EDGE = 0.14
"""Share of a page's height at its upper and lower edge where running heads and feet are."""
_FEW = 7
"""Pages of a document in which twice is often enough."""
_ROWS = 3
"""How many rows at an edge can be running heads or feet."""
_PAGE_NUMBER = re.compile(
    r"(?i)(?:page|p\.)?\s*\d{1,5}(?:\s*(?:of|/)\s*\d{1,5})?|[-\u2013]\s*\d{1,5}\s*[-\u2013]|[ivxl]{1,6}"
)
_DIGITS = re.compile(r"\d+")
_NUMBERED_LINES = 5

Bounds = tuple[float, float, float, float]
Place = tuple[str, int]


def furniture(pages: Sequence[list[Line]], bounds: Sequence[Bounds]) -> set[int]:
    """The `id()` of each line that is furniture; the bounds of a page are left, bottom, right, top."""
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
    farthest = math.inf if first is None else abs(first - inward[0].base) + 1
    outer = takewhile(lambda line: abs(line.base - inward[0].base) <= farthest, inward)
    return {id(line) for line in outer if id(line) in repeated}


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
    numbers_alone = [line for line in lines if line.text.isdecimal() and len(line.text) < 5]
    columns = grouped(((round(line.right / 4), round(line.size)), line) for line in numbers_alone)
    found: set[int] = set()
    for column in columns.values():
        numbers = [int(line.text) for line in sorted(column, key=lambda line: -line.base)]
        steps = Counter(after - before for before, after in pairwise(numbers))
        if len(numbers) >= _NUMBERED_LINES and steps:
            step, count = steps.most_common(1)[0]
            if step in (1, 2, 5, 10) and count >= 0.8 * (len(numbers) - 1):
                found |= {id(line) for line in column}
    return found
