"""Legends of figures and tables: where one begins, and whether it goes on."""

from __future__ import annotations

import re

from medground.corpus.readers.pdf.blocks import Block
from medground.corpus.readers.pdf.look import LEGEND, Layout, half, is_tabular


def legend_name(block: Block, layout: Layout, *, unfinished: bool) -> str:
    """The name of a figure or table whose legend begins here; `unfinished`: the text before is in mid-sentence."""
    found = LEGEND.match(block.text)
    if found is None:
        return ""
    kind = "Figure" if found[1].lower().startswith("fig") else found[1].capitalize()
    rest = block.text[found.end() :].lstrip()
    set_apart = block.lines[0].bold or block.lines[0].opening > 3 or half(block.size) != layout.size
    if unfinished and not set_apart:
        return ""
    if found[3] in (".", ":", "|", "\u2013", "\u2014") or not rest or set_apart:
        return f"{kind} {found[2]}" if set_apart or not re.match(r"[a-z(]", rest) else ""
    return f"{kind} {found[2]}" if rest[0].isupper() and len(block.lines) < 8 else ""


def continues_legend(legend: Block, block: Block, layout: Layout) -> bool:
    """Whether a legend goes on in another style: its first words or its title are bold."""
    close = 0 < legend.bottom - block.top < 0.9 * layout.size and legend.page == block.page
    same = abs(legend.size - block.size) < 0.3 and abs(legend.left - block.left) < 2 * layout.size
    plain = (legend.bold and not block.bold) or (legend.italic and not block.italic)
    wordy = len(block.text.split()) > 3 and not is_tabular(block)
    return close and same and plain and wordy
