"""The parts of a printed page as values, so that terminal, plain text, Markdown and HTML show the same content."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

Style = Literal["plain", "strong", "italic", "dim", "good", "caution", "bad", "mark"]

Kind = Literal["title", "decision", "heading", "subheading", "paragraph", "item", "note", "table", "picture"]
"""`decision`: the decision, then its reason. `paragraph`: its lines after the first are indented. `item`: an entry of a
list. `note`: a line of a compact list. `table`: its `rows`. `picture`: its lines are the caption."""


@dataclass(frozen=True)
class Span:
    """Text in one style. White space only separates words.

    Args:
        text: the text, cleaned of control characters, not escaped.
        style: how it looks where the output has styles.
        url: where it leads: a web address, or `#name` for an anchor of the same page.
        anchor: a name that other spans can lead to.
    """

    text: str
    style: Style = "plain"
    url: str = ""
    anchor: str = ""


Line = tuple[Span, ...]


@dataclass(frozen=True)
class Picture:
    """An image, for outputs that can show one. Its content is checked: it can neither run nor load anything.

    Args:
        content: the bytes of the file.
        media_type: `image/svg+xml` or `image/png`.
    """

    content: bytes
    media_type: str

    @property
    def address(self) -> str:
        """The whole image as an address."""
        return f"data:{self.media_type};base64,{b64encode(self.content).decode()}"


@dataclass(frozen=True)
class Block:
    """Lines that belong together.

    Args:
        kind: what the block is.
        lines: each starts on a line of its own, and may be wrapped.
        marker: what is printed before an item, such as `1.` or `-`.
        rows: the rows of a table, each with as many cells; the first is its head.
        picture: the image of a picture.
    """

    kind: Kind
    lines: tuple[Line, ...]
    marker: str = ""
    rows: tuple[tuple[Line, ...], ...] = ()
    picture: Picture | None = None

    @property
    def text(self) -> str:
        """Its lines without styles."""
        return " ".join("".join(span.text for span in one) for one in self.lines)


def line(text: str, style: Style = "plain") -> Line:
    """A line in one style."""
    return (Span(text, style),)


def mapped(block: Block, change: Callable[[Span], Span]) -> Block:
    """A block with each of its spans changed."""

    def changed(lines: tuple[Line, ...]) -> tuple[Line, ...]:
        return tuple(tuple(map(change, line)) for line in lines)

    return replace(block, lines=changed(block.lines), rows=tuple(map(changed, block.rows)))


def heading(text: str) -> Block:
    """A heading."""
    return Block("heading", (line(text),))


def subheading(text: str) -> Block:
    """A heading below a heading."""
    return Block("subheading", (line(text),))


def note(text: str, style: Style = "plain") -> Block:
    """A note of one line."""
    return Block("note", (line(text, style),))


def spaced(block: Block, before: Block | None) -> bool:
    """Whether an empty line separates a block from the one before it."""
    if before is None or before.kind in ("heading", "subheading"):
        return False
    return block.kind not in ("item", "note") or (before.kind != block.kind and block.kind == "note")
