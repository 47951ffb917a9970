"""The layout of an answer as lines of a given width: plain text, and the lines that a terminal colours."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from rich.cells import cell_len as columns

from medground.language.pattern import lazy_pattern
from medground.values.answer import Answer
from medground.wording.blocks import Block, Line, Span, spaced
from medground.wording.layout import layout

WIDTH = 100
_INDENT = 4
_WIDE = "\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
"""Scripts without spaces, whose lines may break between any two characters."""
_PIECE = lazy_pattern(rf"\s+|[{_WIDE}]|[^\s{_WIDE}]+")
_PIECE_OF_ADDRESS = lazy_pattern(r"\s+|\S+")

Word = tuple[bool, list[Span]]
"""Whether a space comes before it, and its pieces, which stay on one line."""


def as_text(answer: Answer, *, details: bool = False, width: int = WIDTH) -> str:
    """An answer as plain text without a final newline.

    `width`: columns of a line; a word or an address that is longer stays whole.
    """
    return blocks_as_text(layout(answer, details=details), width)


def blocks_as_text(blocks: Iterable[Block], width: int = WIDTH) -> str:
    """Blocks as plain text without a final newline."""
    return "\n".join("".join(span.text for span in line) for line in printed_lines(blocks, width))


def printed_lines(blocks: Iterable[Block], width: int) -> Iterator[Line]:
    """The lines of blocks, wrapped to a width in columns; an empty line between blocks."""
    before: Block | None = None
    for block in blocks:
        if block.kind == "picture":  # its caption says nothing by itself
            continue
        if before is not None and spaced(block, before):
            yield ()
        yield from _printed(block, width)
        before = block


def _printed(block: Block, width: int) -> Iterator[Line]:
    if block.kind == "table":
        yield from _table(block)
        return
    indent = len(block.marker) + 1 if block.marker else _INDENT if block.kind in ("paragraph", "note") else 0
    hang = min(indent, width // 8)
    for number, line in enumerate(block.lines):
        strong = block.kind in ("title", "heading", "subheading") or (block.kind == "decision" and number == 0)
        spans = tuple(replace(span, style="strong") for span in line) if strong else line
        marked = number == 0 and bool(block.marker)
        first = f"{block.marker} " if marked else " " * hang if number or block.marker else ""
        rest = " " * (0 if block.kind == "paragraph" and not number else hang)
        for row, wrapped in enumerate(wrap(spans, width - len(first), width - len(rest))):
            before = rest if row else first
            yield (Span(before), *wrapped) if before else wrapped


def _table(block: Block) -> Iterator[Line]:
    """The rows of a table in columns, numbers to the right; the head is strong."""
    texts = [["".join(span.text for span in cell) for cell in row] for row in block.rows]
    widths = [max(map(columns, column)) for column in zip(*texts, strict=True)]
    for number, row in enumerate(texts):
        cells = (
            " " * (width - columns(cell)) + cell if cell.isdigit() else cell + " " * (width - columns(cell))
            for cell, width in zip(row, widths, strict=True)
        )
        yield (Span("  ".join(cells).rstrip(), "plain" if number else "strong"),)


def wrap(line: Line, first: int, rest: int) -> Iterator[Line]:
    """A line as rows of at most `first` and then `rest` columns. No word is broken, so an address stays whole."""
    row: list[Span] = []
    used, room = 0, first
    for space, word in _words(line):
        size = sum(columns(span.text) for span in word)
        if row and used + space + size > room:
            yield _joined(row)
            row, used, room = [], 0, rest
        elif row and space:
            row.append(Span(" ", row[-1].style if row[-1].style == word[0].style else "plain"))
            used += 1
        row += word
        used += size
    yield _joined(row)


def _words(line: Line) -> list[Word]:
    words: list[Word] = []
    space = fresh = True
    for span in line:
        if span.style == "mark" and words and words[-1][1][-1].style != "mark":  # a mark stays with the word before it
            words[-1][1].extend([Span(" ")] * space)
            space = fresh = False
        pieces = (_PIECE_OF_ADDRESS if span.url else _PIECE).findall(span.text)
        for piece in pieces:
            if piece.isspace():
                space = fresh = True
                continue
            wide = len(piece) == 1 and columns(piece) == 2
            if fresh or wide or not words:
                words.append((space, []))
            words[-1][1].append(replace(span, text=piece))
            space, fresh = False, wide
    return words


def _joined(row: list[Span]) -> Line:
    """A row with neighbours of the same style as one span."""
    same = groupby(row, key=lambda span: (span.style, span.url, span.anchor))
    return tuple(
        Span("".join(span.text for span in spans), style=style, url=url, anchor=anchor)
        for (style, url, anchor), spans in same
    )
