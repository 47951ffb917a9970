"""The rows of a page as words, and where the blanks of several rows lie over each other."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from medground.corpus.readers.pdf.glyphs import Glyph
from medground.values.grouping import grouped

_SPACE, BLANK, _GAP = 0.2, 0.45, 0.8
"""In sizes: between two words; between two columns in all rows; and in one of them at least."""
_BLANKS = 0.05
"""Share of blanks among the characters of a page that has them between words; some files leave them out."""
_COVERED = 0.2
"""Share of rows that may go over the blank between two columns: heads over several, names of groups."""


class Word(NamedTuple):
    """A word of a row, with its edges."""

    left: float
    right: float
    glyphs: list[Glyph]


@dataclass
class Row:
    """What stands on one height of a page, from left to right."""

    base: float
    size: float
    words: list[Word]
    has_blanks: bool
    """Whether its page has blanks between words, and not only distances."""

    @property
    def text(self) -> str:
        """What it says."""
        return said_by(self.words)

    @property
    def phrases(self) -> list[list[Word]]:
        """The words in as many pieces as wide blanks make of them."""
        pieces = [self.words[:1]] if self.words else []
        for before, word in pairwise(self.words):
            if word.left - before.right >= _GAP * self.size:
                pieces.append([])
            pieces[-1].append(word)
        return pieces


def between(rows: Sequence[Row], left: float, right: float) -> list[Row]:
    """The parts of rows whose words lie between two edges."""
    parts = (replace(row, words=[w for w in row.words if left <= (w.left + w.right) / 2 <= right]) for row in rows)
    return [part for part in parts if part.words]


def said_by(words: Sequence[Word]) -> str:
    return " ".join("".join(glyph.text for glyph in word.glyphs).strip() for word in words)


def rows_of_page(glyphs: Sequence[Glyph]) -> list[Row]:
    """The rows of a page from the top; a raised or lowered glyph stands in the row beside it."""
    levels = grouped((round(glyph.base, 1), glyph) for glyph in glyphs if not glyph.style.hidden)
    rows: list[tuple[float, float, list[Glyph]]] = []
    for base in sorted(levels, reverse=True):
        size = max(glyph.style.size for glyph in levels[base])
        for at in range(len(rows) - 1, max(len(rows) - 3, -1), -1):
            above, largest, own = rows[at]
            is_same = size > 0.9 * largest
            if above - base < (0.3 if is_same else 0.6) * max(size, largest) and (
                is_same or _lefts(own).isdisjoint(_lefts(levels[base]))  # else rows beside a larger text
            ):
                rows[at] = (base, size, own) if size > 1.1 * largest else rows[at]
                own += levels[base]
                break
        else:
            rows.append((base, size, levels[base]))
    has_blanks = sum(glyph.text.isspace() for glyph in glyphs) > _BLANKS * len(glyphs)
    found = (Row(base, size, _words(own, size), has_blanks) for base, size, own in rows)
    return [row for row in found if row.words]


def _lefts(glyphs: Sequence[Glyph]) -> set[int]:
    return {round(glyph.left) for glyph in glyphs}


def _words(glyphs: list[Glyph], size: float) -> list[Word]:
    """The glyphs of a row in words; a blank that the file has belongs to the word before it."""
    words: list[Word] = []
    letters: list[Glyph] = []
    left = right = 0.0
    is_apart = True
    for glyph in sorted(glyphs, key=lambda glyph: glyph.left):
        if not glyph.text.strip():
            is_apart = True
            if not letters:
                continue
        elif is_apart or glyph.left - right >= _SPACE * size:
            if letters:
                words.append(Word(left, right, letters))
            letters, left, right, is_apart = [], glyph.left, glyph.right, False
        else:
            right = max(right, glyph.right)
        letters.append(glyph)
    if letters:
        words.append(Word(left, right, letters))
    return words


def blanks_of(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Where blanks of the rows lie over each other, from left to right."""
    size = median(row.size for row in rows)
    wide = [row for row in rows if len(row.phrases) > 1]
    allowed = int(_COVERED * len(wide))
    covering = Counter[float]()
    for word in (word for row in wide for word in row.words):
        covering[word.left] += 1
        covering[word.right] -= 1
    parts: list[list[tuple[int, float, float]]] = [[]]  # how many rows go over each, from where to where
    covered = 0
    for left, right in pairwise(sorted(covering)):
        covered += covering[left]
        if covered > allowed:
            parts.append([])
        else:
            parts[-1].append((covered, left, right))
    found = [(part[0][1], part[-1][2]) for part in parts if part]
    least = [_least_covered(part) for part in parts if part]
    narrow = BLANK * size
    parting = [
        inner if inner[1] - inner[0] >= narrow else outer
        for inner, outer in zip(least, found, strict=True)
        if outer[1] - outer[0] >= narrow and _parts_some(wide, outer)
    ]
    columns = [*zip(*(in_columns(row, parting) for row in wide), strict=True)]
    return [blank for blank, column in zip(parting, columns[1:], strict=False) if any(column)]


def _least_covered(part: Sequence[tuple[int, float, float]]) -> tuple[float, float]:
    """The widest of the pieces of a blank that the fewest rows go over."""
    least = min(part)[0]
    return max(
        ((left, right) for covered, left, right in part if covered == least), key=lambda edges: edges[1] - edges[0]
    )


def _parts_some(rows: Sequence[Row], blank: tuple[float, float]) -> bool:
    """Whether one of the rows has words on both sides of a blank, and its own is wide there."""
    middle = (blank[0] + blank[1]) / 2
    gaps = ((before, after, row) for row in rows for before, after in pairwise(row.words))
    return any(a.right <= middle <= b.left and b.left - a.right >= _GAP * row.size for a, b, row in gaps)


def in_columns(row: Row, blanks: Sequence[tuple[float, float]]) -> list[list[Word]]:
    """The words of a row by column; those that go over a blank stand in the first of their columns."""
    columns: list[list[Word]] = [[] for _ in range(len(blanks) + 1)]
    for number, word in enumerate(row.words):
        own = sum(word.left + word.right > blank[0] + blank[1] for blank in blanks)
        before = row.words[number - 1] if number else None
        joins = before is not None and word.left - before.right < BLANK * row.size
        if before and row.has_blanks:  # else these are two cells, however close
            joins = joins and before.glyphs[-1].text.isspace()
        last = next((at for at in range(len(columns) - 1, -1, -1) if columns[at]), own)
        columns[last if joins else own].append(word)
    return columns
