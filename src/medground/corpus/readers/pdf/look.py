"""How a document is set: the size of its running text, its column width, its headings; and what looks like what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from medground.corpus.readers.pdf.blocks import Block

NUMBERING = r"(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,4})[.):]?\s+)?"
ENDED = re.compile(r"[.!?:;][\])\u201d\u2019\"']*$")
KNOWN = re.compile(
    NUMBERING + r"(?:introduction|(?:(?:patients?|materials?|subjects|participants) and )?methods?|"
    r"materials|(?:results?|findings)(?: and discussion)?|discussion(?: and conclusions?)?|conclusions?|background|"
    r"limitations|(?:reference list|references|bibliography|literature cited)(?: and notes)?)\W*",
    re.I,
)
"""Headings that papers have."""
OPENING = re.compile(NUMBERING + r"(?:abstract|summary|introduction|background)\W*", re.I)
REFERENCES = re.compile(
    NUMBERING + r"(?:reference list|references|bibliography|literature cited)(?: and notes)?\W*", re.I
)
LEGEND = re.compile(
    r"(?:Supplementary |Additional )?(Fig(?:ure|\.)?|Table|TABLE|FIGURE|FIG\.?|Scheme|Box)\s+"
    r"(S?\d{1,3}[A-Z]?|[IVX]{1,4})\b(.?)"
)

Style = tuple[float, bool, bool]
"""Size, to half a point; bold; italic."""


@dataclass(frozen=True)
class Layout:
    """How most of a document is set.

    Attributes:
        size: size of its running text.
        running: all sizes that much prose is set in.
        width: width of a column.
        main: style of its main headings.
    """

    size: float
    running: frozenset[float]
    width: float
    main: frozenset[Style]

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Layout:
        """The layout of a document."""
        sizes, widths = Counter[float](), []
        ends = [at for at, block in enumerate(blocks) if at and REFERENCES.fullmatch(block.text)]
        for block in blocks[: ends[-1] if ends else len(blocks)]:
            if len(block.lines) > 2 and not is_tabular(block):
                sizes[half(block.size)] += len(block.text)
        size = sizes.most_common(1)[0][0] if sizes else max((half(b.size) for b in blocks), default=10.0)
        widths = [line.width for b in blocks if half(b.size) == size and len(b.lines) > 2 for line in b.lines]
        running = frozenset(s for s, count in sizes.items() if count > 0.12 * sizes.total()) | {size}
        main = Counter(style(b) for b in blocks if KNOWN.fullmatch(b.text) and style(b) != (size, False, False))
        often = {one for one, count in main.items() if count == max(main.values())}
        return cls(size, running, median(widths) if widths else 1.0, frozenset(often))

    def runs(self, block: Block) -> bool:
        """Whether a block is set in a size of running text."""
        return half(block.size) in self.running

    def is_heading(self, block: Block) -> bool:
        """Whether a block is set as a heading: short, no sentence, larger, bold, italic or in capitals."""
        text, words = block.text, block.text.split()
        if not words or len(words) > 22 or len(block.lines) > 3 or not re.search(r"[^\W\d_]{3}", text):
            return False
        if LEGEND.match(text) or block.lines[0].gaps > 1:
            return False
        if KNOWN.fullmatch(text) or OPENING.fullmatch(text):
            return style(block) != (self.size, False, False) or len(words) < 5
        begins = re.match(r"[A-Z0-9\u2018\u201c(\u0391-\u03a9]|[a-z][A-Z]|p\d", text)
        if block.size < 0.97 * self.size or text[-1] in ".,;" or not begins:
            return False
        larger = block.size > 1.06 * self.size
        return larger or block.bold or block.italic or (text.isupper() and len(text) > 4)

    def is_prose(self, block: Block, rows: set[int]) -> bool:
        """Whether a block is running prose: letters, in lines that fill a column; `rows` are those of `rows_of`."""
        if id(block) in rows or is_tabular(block):
            return False
        letters = sum(c.isalpha() or c.isspace() for c in block.text)
        if letters < 0.6 * len(block.text):
            return False
        if len(block.lines) == 1:
            return len(block.text.split()) > 5
        full = [line for line in block.lines[:-1] if line.width > 0.55 * self.width]
        return 2 * len(full) >= len(block.lines) - 1


def rows_of(blocks: Sequence[Block], layout: Layout) -> set[int]:
    """The `id()` of blocks that stand in rows with others, as the cells of a table or the labels of a figure do."""
    by_page: dict[int, list[tuple[float, float, float]]] = {}
    for block in blocks:
        for line in block.lines:
            if line.width < 0.5 * layout.width:
                by_page.setdefault(block.page, []).append((line.base, line.left, line.right))
    found = set()
    for block in blocks:
        narrow = by_page.get(block.page, [])
        beside = [
            any(
                abs(base - line.base) < 1.5 and (left >= line.right or right <= line.left)
                for base, left, right in narrow
            )
            for line in block.lines
            if line.width < 0.5 * layout.width
        ]
        if 2 * sum(beside) > len(block.lines):
            found.add(id(block))
    return found


def is_tabular(block: Block) -> bool:
    """Whether most lines of a block have gaps between cells."""
    return sum(line.gaps > 0 for line in block.lines) > 0.5 * len(block.lines)


def style(block: Block) -> Style:
    """The style of a block."""
    return half(block.size), block.bold, block.italic


def half(size: float) -> float:
    """A size to half a point."""
    return round(2 * size) / 2
