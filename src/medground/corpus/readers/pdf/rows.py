"""The rows of a page as words, and where the blanks of several rows lie over each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from medground.corpus.readers.pdf.glyphs import Glyph

_SPACE, BLANK, _GAP = 0.2, 0.45, 0.8
"""In sizes: between two words; between two columns in all rows; and in one of them at least."""
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

    def between(self, left: float, right: float) -> Row:
        """The part of it whose words lie between two edges."""
        return replace(self, words=[word for word in self.words if left <= (word.left + word.right) / 2 <= right])


def said_by(words: Sequence[Word]) -> str:
    return " ".join("".join(glyph.text for glyph in word.glyphs).strip() for word in words)


def rows_of_page(glyphs: Sequence[Glyph]) -> list[Row]:
    """The rows of a page from the top; a raised or lowered glyph stands in the row beside it."""
    rows: list[Row] = []
    shown = (glyph for glyph in glyphs if not glyph.style.hidden)
    for glyph in sorted(shown, key=lambda glyph: -glyph.base):
        size = glyph.style.size
        for row in rows[-2:]:
            if row.base - glyph.base < (0.3 if size > 0.9 * row.size else 0.6) * max(size, row.size):
                row.words.append(Word(glyph.left, glyph.right, [glyph]))
                if size > 1.1 * row.size:
                    row.base, row.size = glyph.base, size
                break
        else:
            if glyph.text.strip():
                rows.append(Row(glyph.base, size, [Word(glyph.left, glyph.right, [glyph])]))
    return [replace(row, words=_words(row)) for row in rows]


def _words(row: Row) -> list[Word]:
    """The glyphs of a row in words; a blank that the file has belongs to the word before it."""
    words: list[Word] = []
    is_apart = True
    for glyph in sorted(row.words, key=lambda one: one.left):
        if not glyph.glyphs[0].text.strip():
            is_apart = True
            if words:
                words[-1].glyphs.extend(glyph.glyphs)
        elif is_apart or glyph.left - words[-1].right >= _SPACE * row.size:
            words.append(glyph)
            is_apart = False
        else:
            last = words[-1]
            words[-1] = Word(last.left, max(last.right, glyph.right), last.glyphs + glyph.glyphs)
    return words


def blanks_of(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Where blanks of the rows lie over each other, from left to right."""
    size = median(row.size for row in rows)
    wide = [row for row in rows if len(row.phrases) > 1]
    allowed = int(_COVERED * len(wide))
    edges = sorted({edge for row in wide for word in row.words for edge in (word.left, word.right)})
    found: list[tuple[float, float]] = []
    for left, right in pairwise(edges):
        middle = (left + right) / 2
        if sum(any(word.left < middle < word.right for word in row.words) for row in wide) > allowed:
            continue
        if found and found[-1][1] == left:
            found[-1] = (found[-1][0], right)
        else:
            found.append((left, right))
    return [blank for blank in found if blank[1] - blank[0] >= BLANK * size and _parts_some(wide, blank)]


def _parts_some(rows: Sequence[Row], blank: tuple[float, float]) -> bool:
    """Whether one of the rows has words on both sides of a blank, and its own is wide there."""
    middle = (blank[0] + blank[1]) / 2
    gaps = ((before, after, row) for row in rows for before, after in pairwise(row.words))
    return any(a.right <= middle <= b.left and b.left - a.right >= _GAP * row.size for a, b, row in gaps)


def in_columns(row: Row, blanks: Sequence[tuple[float, float]]) -> list[list[Word]]:
    """The words of a row by column; those that go over a blank stand in the first of their columns."""
    columns: list[list[Word]] = [[] for _ in range(len(blanks) + 1)]
    for number, word in enumerate(row.words):
        own = sum(word.left > (blank[0] + blank[1]) / 2 for blank in blanks)
        before = row.words[number - 1] if number else None
        joins = before is not None and word.left - before.right < BLANK * row.size
        last = next((at for at in range(len(columns) - 1, -1, -1) if columns[at]), own)
        columns[last if joins else own].append(word)
    return columns
