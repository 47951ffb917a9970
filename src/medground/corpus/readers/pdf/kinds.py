"""What each block of a PDF is: front matter, heading, running text, legend, table, reference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from medground.corpus.readers.pdf.bibliography import begins_references, ends_references, is_citation
from medground.corpus.readers.pdf.blocks import Block
from medground.corpus.readers.pdf.legends import continues_legend, legend_name
from medground.corpus.readers.pdf.look import (
    ENDED,
    KNOWN,
    NUMBERING,
    OPENING,
    REFERENCES,
    Layout,
    is_tabular,
    rows_of,
    style,
)

Kind = Literal["front", "heading", "text", "legend", "keywords", "left out"]

_ABSTRACT = re.compile(r"(?:structured )?(?:abstract|summary)\b", re.I)
_KEYWORDS = re.compile(r"key\s?-?words?(?: and phrases)?\b", re.I)
_IMPRINT = re.compile(
    r"©|\(c\) \d{4}|copyright|correspond|e-?mail|\S@\S+\.\w|received|accepted|doi|licen[cs]e|open access|"
    r"university|department|hospital|equal contribut|citation|https?://",
    re.I,
)
_LIST_ITEM = re.compile(r"(?:[\u2022\u2023\u25aa\u25cf\u25e6\u00b7*\u2013-]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+\S")
_PARAGRAPH = 35
"""More words than this are a real paragraph."""
_TITLE = 1.2
"""How much larger than the text a title is, at least, where no front matter comes before it."""


@dataclass(frozen=True)
class Part:
    """A block and what it is; `label` is the text of a heading, or the name of a legend (`Table 2`)."""

    kind: Kind
    block: Block
    label: str = ""
    main: bool = False


def parts_of(blocks: Sequence[Block]) -> list[Part]:
    """What each block is, in order."""
    layout = Layout.of(blocks)
    rows = rows_of(blocks, layout)
    start = _start(blocks, layout, rows)
    parts = [Part("front", block) for block in blocks[:start]]
    for at, block in enumerate(blocks[start:], start=start + 1):
        parts.append(_part(block, parts, layout, rows, blocks[at:]))
    return parts


def _start(blocks: Sequence[Block], layout: Layout, rows: set[int]) -> int:
    """Where the front matter ends: at the abstract, the introduction, or the first real paragraph."""
    for at, block in enumerate(blocks):
        if block.page > 2:
            break
        if OPENING.fullmatch(block.text) or (_ABSTRACT.match(block.text) and block.lines[0].opening):
            return at
    for at, block in enumerate(blocks):
        long = len(block.text.split()) > _PARAGRAPH and layout.runs(block)
        of_paper = block.page > 1 or not _IMPRINT.search(block.text[:300])
        if long and of_paper and layout.is_prose(block, rows):
            opened = (
                at > 1 and layout.is_heading(blocks[at - 1]) and not _is_title(blocks[at - 1], blocks[: at - 1], layout)
            )
            return at - 1 if opened else at
    return 0


def _is_title(heading: Block, before: Sequence[Block], layout: Layout) -> bool:
    """Whether a heading above the first paragraph is the title, as in a letter: larger than all before it."""
    largest = max((block.size for block in before if block.page == heading.page), default=0.0)
    return heading.size >= max(_TITLE * layout.size, 1.02 * largest)


def _part(block: Block, before: Sequence[Part], layout: Layout, rows: set[int], after: Sequence[Block]) -> Part:
    last = before[-1] if before else None
    in_references = last is not None and last.kind == "left out" and last.label == "references"
    if in_references and not ends_references(block, after, layout):
        return Part("left out", block, "references")
    text = next((part for part in reversed(before) if part.kind in ("text", "heading")), None)
    unfinished = text is not None and text.kind == "text" and not ENDED.search(text.block.text)
    if name := legend_name(block, layout, unfinished=unfinished):
        return Part("legend", block, name)
    if last is not None and last.kind == "legend" and continues_legend(last.block, block, layout):
        return Part("legend", block, last.label)
    if layout.is_heading(block) and (style(block) in layout.main or not _in_table(block, last, rows)):
        return _heading(block, layout)
    if _KEYWORDS.match(block.text):
        return Part("keywords", block)
    if begins_references(block, after):
        return Part("left out", block, "references")
    if is_citation(block):
        return Part("left out", block, "citation")
    return _plain(block, last, layout, rows, in_abstract=_in_abstract(before))


def _heading(block: Block, layout: Layout) -> Part:
    if REFERENCES.fullmatch(block.text):
        return Part("left out", block, "references")
    label = re.sub(f"^{NUMBERING}", "", block.text).strip(" .:")
    return Part("heading", block, label or block.text, main=style(block) in layout.main or not layout.main)


def _plain(block: Block, last: Part | None, layout: Layout, rows: set[int], *, in_abstract: bool) -> Part:
    """Running text, or what stands beside it: cells of a table, labels of a figure, small print."""
    prose, running = layout.is_prose(block, rows), layout.runs(block)
    left_out = Part("left out", block, "table" if _in_table(block, last, rows) else "")
    if last is not None and last.kind == "left out" and last.label == "table" and not (prose and running):
        return Part("left out", block, "table")
    if block.page == 1 and not running and not in_abstract:
        return left_out
    if prose and (running or in_abstract):
        return Part("text", block)
    if not running and not in_abstract:
        return left_out
    if block.text.replace(" ", "").isdecimal() or id(block) in rows or left_out.label:
        return left_out
    continued = last is not None and last.kind == "text" and not ENDED.search(last.block.text)
    words = len(re.findall(r"[^\W\d]{2,}", block.text))
    if continued or ENDED.search(block.text) or _LIST_ITEM.match(block.text) or words > 3:
        return Part("text", block)
    return left_out


def _in_table(block: Block, last: Part | None, rows: set[int]) -> bool:
    """Whether a block is part of the table whose legend or cells come before it."""
    if last is None or last.block.page != block.page or KNOWN.fullmatch(block.text):
        return False
    of_table = (last.kind == "legend" and last.label.startswith("Table")) or (
        last.kind == "left out" and last.label == "table"
    )
    return of_table and (id(block) in rows or is_tabular(block) or last.kind == "legend")


def _in_abstract(before: Sequence[Part]) -> bool:
    for part in reversed(before):
        if part.kind == "heading" and (part.main or _ABSTRACT.match(part.label)):
            return bool(_ABSTRACT.match(part.label))
        if part.kind in ("front", "keywords"):
            return False
    return False
