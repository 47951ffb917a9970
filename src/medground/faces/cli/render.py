"""An answer on a terminal. Text of documents is never read as markup."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from medground.faces.cli import terminal
from medground.values.answer import Answer
from medground.wording.blocks import Block, line, mapped
from medground.wording.encoding import encodable_blocks
from medground.wording.layout import cleaned, layout
from medground.wording.text import printed_lines

_STYLES = {
    "plain": "",
    "strong": "bold",
    "italic": "italic",
    "dim": "dim",
    "good": "green",
    "caution": "yellow",
    "bad": "red",
    "mark": "cyan",
}


def render(answer: Answer, console: Console | None = None, *, details: bool = False) -> None:
    """Print an answer, wrapped to the width of the terminal and in characters that it can show.

    Args:
        console: where to print; standard output when not given.
    """
    render_blocks([block for block in layout(answer, details=details) if block.kind != "title"], console)  # just typed


def render_blocks(blocks: Sequence[Block], console: Console | None = None) -> None:
    """Print blocks as `render` does."""
    out = console or terminal.console()
    clean = [mapped(block, cleaned) for block in blocks]
    for row in printed_lines(encodable_blocks(clean, out.encoding), out.width):
        out.print(Text.assemble(*((span.text, _STYLES[span.style]) for span in row)), soft_wrap=True)


def render_title(question: str) -> None:
    """Print a question as the title of its answer."""
    render_blocks([Block("title", (line(question),))])
