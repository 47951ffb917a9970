"""What each block of a PDF is: front matter, heading, running text, legend, table, reference."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from medground.corpus.readers.pdf.blocks import Block
from medground.language.pattern import verbose_pattern

# How a document is set: the size of its running text, its column width, its headings; and what looks like what.

NUMBERING = r"(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,4})[.):]?\s+)?"
ENDED = re.compile(r"[.!?:;][\])\u201d\u2019\"']*$")
KNOWN = verbose_pattern(
    r"""
    (?:(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,4})[.):]?\s+)?(?:introduction|(?:(?:patients?|materials?|subjects|
    participants)\ and\ )?method(?:s|ology)?|materials|(?:results?|findings)(?:\ and\ discussion)?|
    discussion(?:\ and\ conclusions?)?|conclusions?|background|limitations|(?:reference\ list|references|
    bibliography|literature\ cited)(?:\ and\ notes)?)\W*
    """
)
"""Headings that papers have."""
OPENING = re.compile(NUMBERING + r"(?:abstract|summary|introduction|background)\W*", re.I)
REFERENCES = re.compile(
    NUMBERING + r"(?:reference list|references|bibliography|literature cited)(?: and notes)?\W*", re.I
)
LEGEND = verbose_pattern(
    r"""
    (?:Supplementary\ |Additional\ )?(Fig(?:ure|\.)?|Table|TABLE|FIGURE|FIG\.?|Scheme|Box)\s+(S?\d{1,3}[A-Z]?|
    [IVX]{1,4})\b(.?)
    """,
    0,
)

Style = tuple[float, bool, bool]
"""Size, to half a point; bold; italic."""


@dataclass(frozen=True)
class Layout:
    """How most of a document is set: the size of its running text and the width of a column."""

    size: float
    running: frozenset[float]
    """All sizes that much prose is set in."""
    width: float
    main: frozenset[Style]
    """Styles of its main headings."""

    @classmethod
    def from_blocks(cls, blocks: Sequence[Block]) -> Layout:
        """The layout of a document."""
        sizes = Counter[float]()
        ends = [at for at, block in enumerate(blocks) if at and REFERENCES.fullmatch(block.text)]
        long = [b for b in blocks[: ends[-1] if ends else len(blocks)] if len(b.lines) > 2 and not is_tabular(b)]
        for block in long or blocks:  # a short text has none
            sizes[half(block.size)] += len(block.text)
        size = sizes.most_common(1)[0][0] if sizes else 10.0
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
        smaller = block.size < 0.97 * self.size and style(block) not in self.main
        if smaller or text[-1] in ".,;" or not begins:
            return False
        larger = block.size > 1.06 * self.size
        return larger or block.bold or block.italic or (text.isupper() and len(text) > 4)

    def is_prose(self, block: Block) -> bool:
        """Whether a block is running prose: letters, in lines that fill a column."""
        if is_tabular(block):
            return False
        letters = sum(c.isalpha() or c.isspace() for c in block.text)
        if letters < 0.6 * len(block.text):
            return False
        if len(block.lines) == 1:
            return len(block.text.split()) > 5
        full = [line for line in block.lines[:-1] if line.width > 0.55 * self.width]
        return 2 * len(full) >= len(block.lines) - 1


def is_tabular(block: Block) -> bool:
    """Whether most lines of a block have gaps between cells."""
    return sum(line.gaps > 0 for line in block.lines) > 0.5 * len(block.lines)


def style(block: Block) -> Style:
    """The style of a block."""
    return half(block.size), block.bold, block.italic


def half(size: float) -> float:
    """A size to half a point."""
    return round(2 * size) / 2


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
    return f"{kind} {found[2]}" if set_apart or not re.match(r"[a-z(]", rest) else ""


def continues_legend(legend: Block, block: Block, layout: Layout) -> bool:
    """Whether a legend goes on in another style: its first words or its title are bold."""
    close = 0 < legend.bottom - block.top < 0.9 * layout.size and legend.page == block.page
    same = abs(legend.size - block.size) < 0.3 and abs(legend.left - block.left) < 2 * layout.size
    plain = (legend.bold and not block.bold) or (legend.italic and not block.italic)
    wordy = len(block.text.split()) > 3 and not is_tabular(block)
    return close and same and plain and wordy


_NUMBERED = re.compile(r"\[?(\d{1,3})[\].]?\s+\S")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_CITATION = re.compile(
    r"\[?\d{1,3}[\].]?\s+[^\W\d_][^.;]{1,120}\s[A-Z]{1,3}\b[.,].{10,400}?\b(?:19|20)\d\d\s?[;:,(]\s?\d", re.DOTALL
)
"""`1. Smith J, Doe A. A title. J Med. 2019;1:2`: number, a name with initials, and a year before a volume."""
AFTER = verbose_pattern(
    r"""
    (?:appendix|appendices|supplement|supporting|figure\ legends|figures|tables|additional\ files?|acknowledg|
    author|competing|conflicts?|funding|key\ (?:messages|points)|pre-publication|abbreviations|declarations|ethic)
    """
)
_PROSE = 25
_BELOW = re.compile(r"\d{1,2}\.\d{1,2}\b")
"""How the heading of a part of a section begins."""


def begins_references(block: Block, after: Sequence[Block]) -> bool:
    """Whether a list of references without a heading begins: numbered from 1, most with a year."""
    found = _NUMBERED.match(block.text)
    if found is None or found[1] != "1":
        return False
    text = " ".join([block.text, *(b.text for b in after[:4])])
    numbers = [n for n in ("2", "3", "4", "5") if re.search(rf"(?:^|\s)\[?{n}[\].]?\s+[A-Z]", text)]
    return len(numbers) == 4 and len(_YEAR.findall(text)) >= 4


def ends_references(block: Block, after: Sequence[Block], layout: Layout) -> bool:
    """Whether a list of references ends at a heading: an appendix or the like, or the title of the next article."""
    if not layout.is_heading(block) or REFERENCES.fullmatch(block.text):
        return False
    if AFTER.match(block.text) or block.size < _TITLE * layout.size:
        return AFTER.match(block.text) is not None
    for other in after[:6]:  # prose comes soon, before another reference
        if _NUMBERED.match(other.text) and _YEAR.search(other.text):
            return False
        if layout.runs(other) and len(other.text.split()) > _PROSE:
            return True
    return False


Kind = Literal["front", "heading", "text", "legend", "keywords", "left out"]

ABSTRACT = re.compile(r"(?i)(?:structured )?(?:abstract|summary)\b")
KEYWORDS = re.compile(r"(?i)\s*key\s?-?words?(?: and phrases)?\b\W*")
_IMPRINT = verbose_pattern(
    r"""
    ©|\(c\)\ \d{4}|copyright|correspond|e-?mail|\S@\S+\.\w|received|accepted|doi|licen[cs]e|open\ access|
    university|department|hospital|equal\ contribut|citation|https?://
    """
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
    numbered: bool = False


def parts_of(blocks: Sequence[Block]) -> list[Part]:
    """What each block is, in order."""
    layout = Layout.from_blocks(blocks)
    start = _start(blocks, layout)
    parts = [Part("front", block) for block in blocks[:start]]
    for at, block in enumerate(blocks[start:], start=start + 1):
        parts.append(_part(block, parts, layout, blocks[at:]))
    return parts


def _start(blocks: Sequence[Block], layout: Layout) -> int:
    """Where the front matter ends: at the abstract, the introduction, or the first real paragraph."""
    for at, block in enumerate(blocks):
        if block.page > 2:
            break
        if OPENING.fullmatch(block.text) or (ABSTRACT.match(block.text) and block.lines[0].opening):
            return at
    for at, block in enumerate(blocks):
        long = len(block.text.split()) > _PARAGRAPH and layout.runs(block)
        of_paper = block.page > 1 or not _IMPRINT.search(block.text[:300])
        if long and of_paper and layout.is_prose(block):
            above = blocks[at - 1]
            if at < 2 or not layout.is_heading(above):
                return at
            # It may be the title, as in a letter: larger than all before it.
            largest = max((other.size for other in blocks[: at - 1] if other.page == above.page), default=0.0)
            return at if above.size >= max(_TITLE * layout.size, 1.02 * largest) else at - 1
    return 0


def _part(block: Block, before: Sequence[Part], layout: Layout, after: Sequence[Block]) -> Part:
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
    if layout.is_heading(block) and (style(block) in layout.main or not _in_table(block, last)):
        if REFERENCES.fullmatch(block.text):
            return Part("left out", block, "references")
        label = re.sub(f"^{NUMBERING}", "", block.text)
        main = (style(block) in layout.main or not layout.main) and not _BELOW.match(block.text)
        numbered = label != block.text
        return Part("heading", block, label.strip(" .:") or block.text, main=main, numbered=numbered)
    if KEYWORDS.match(block.text):
        return Part("keywords", block)
    if begins_references(block, after):
        return Part("left out", block, "references")
    if _CITATION.match(block.text):  # wherever it stands: a letter has a few, without a heading
        return Part("left out", block, "citation")
    return _plain(block, last, layout, in_abstract=_in_abstract(before))


def _plain(block: Block, last: Part | None, layout: Layout, *, in_abstract: bool) -> Part:
    """Running text, or what stands beside it: cells of a table, labels of a figure, small print."""
    prose, running = layout.is_prose(block), layout.runs(block)
    left_out = Part("left out", block, "table" if _in_table(block, last) else "")
    if last is not None and last.kind == "left out" and last.label == "table" and not (prose and running):
        return Part("left out", block, "table")
    if block.page == 1 and not running and not in_abstract:
        return left_out
    if prose and (running or in_abstract):
        return Part("text", block)
    if not running and not in_abstract:
        return left_out
    if block.text.replace(" ", "").isdecimal() or left_out.label:
        return left_out
    continued = last is not None and last.kind == "text" and not ENDED.search(last.block.text)
    words = len(re.findall(r"[^\W\d]{2,}", block.text))
    if continued or ENDED.search(block.text) or _LIST_ITEM.match(block.text) or words > 3:
        return Part("text", block)
    return left_out


def _in_table(block: Block, last: Part | None) -> bool:
    """Whether a block is part of the table whose legend or cells come before it."""
    if last is None or last.block.page != block.page or KNOWN.fullmatch(block.text):
        return False
    if last.kind == "legend":
        return last.label.startswith("Table")
    return (last.kind, last.label) == ("left out", "table") and is_tabular(block)


def _in_abstract(before: Sequence[Part]) -> bool:
    for part in reversed(before):
        if part.kind == "heading" and (part.main or ABSTRACT.match(part.label)):
            return bool(ABSTRACT.match(part.label))
        if part.kind in ("front", "keywords"):
            return False
    return False
