"""What each block of a PDF is: front matter, heading, running text, legend, table, reference."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from medground.corpus.readers.pdf.blocks import Block

Kind = Literal["front", "heading", "text", "legend", "keywords", "left out"]

_NUMBERING = r"(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,4})[.):]?\s+)?"
_ABSTRACT = re.compile(r"(?:structured )?(?:abstract|summary)\b", re.I)
_OPENING = re.compile(_NUMBERING + r"(?:abstract|summary|introduction|background)\W*", re.I)
_KNOWN = re.compile(
    _NUMBERING + r"(?:introduction|(?:(?:patients?|materials?|subjects|participants) and )?methods?|"
    r"materials|(?:results?|findings)(?: and discussion)?|discussion(?: and conclusions?)?|conclusions?|background|"
    r"limitations|(?:reference list|references|bibliography|literature cited)(?: and notes)?)\W*",
    re.I,
)
_REFERENCES = re.compile(
    _NUMBERING + r"(?:reference list|references|bibliography|literature cited)(?: and notes)?\W*", re.I
)
_AFTER_REFERENCES = re.compile(
    r"(?:appendix|appendices|supplement|supporting|figure legends|figures|tables|additional files?|acknowledg|author|"
    r"competing|conflicts?|funding|pre-publication|abbreviations|declarations|ethic)",
    re.I,
)
_LEGEND = re.compile(
    r"(?:Supplementary |Additional )?(Fig(?:ure|\.)?|Table|TABLE|FIGURE|FIG\.?|Scheme|Box)\s+"
    r"(S?\d{1,3}[A-Z]?|[IVX]{1,4})\b(.?)"
)
_KEYWORDS = re.compile(r"key\s?-?words?(?: and phrases)?\b", re.I)
_IMPRINT = re.compile(
    r"©|\(c\) \d{4}|copyright|correspond|e-?mail|\S@\S+\.\w|received|accepted|doi|licen[cs]e|open access|"
    r"university|department|hospital|equal contribut|citation|https?://",
    re.I,
)
_LIST_ITEM = re.compile(r"(?:[\u2022\u2023\u25aa\u25cf\u25e6\u00b7*\u2013-]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+\S")
_REFERENCE = re.compile(r"\[?(\d{1,3})[\].]?\s+\S")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ENDED = re.compile(r"[.!?:;][\])\u201d\u2019\"']*$")


@dataclass(frozen=True)
class Part:
    """A block and what it is; `label` is the text of a heading, or the name of a legend (`Table 2`)."""

    kind: Kind
    block: Block
    label: str = ""
    main: bool = False


@dataclass(frozen=True)
class Look:
    """How most of a document is set.

    Attributes:
        size: size of its running text.
        running: all sizes that much prose is set in.
        width: width of a column.
        main: size, bold and italic of its main headings.
    """

    size: float
    running: frozenset[float]
    width: float
    main: frozenset[tuple[float, bool, bool]]

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Look:
        """The look of a document."""
        sizes, widths = Counter[float](), []
        ends = [at for at, block in enumerate(blocks) if at and _REFERENCES.fullmatch(block.text)]
        for block in blocks[: ends[-1] if ends else len(blocks)]:
            if len(block.lines) > 2 and not _is_tabular(block):
                sizes[_half(block.size)] += len(block.text)
        size = sizes.most_common(1)[0][0] if sizes else max((_half(b.size) for b in blocks), default=10.0)
        widths = [line.width for b in blocks if _half(b.size) == size and len(b.lines) > 2 for line in b.lines]
        running = frozenset(s for s, count in sizes.items() if count > 0.12 * sizes.total()) | {size}
        main = Counter(_style(b) for b in blocks if _KNOWN.fullmatch(b.text) and _style(b) != (size, False, False))
        often = {style for style, count in main.items() if count == max(main.values())}
        return cls(size, running, median(widths) if widths else 1.0, frozenset(often))


def parts_of(blocks: Sequence[Block]) -> list[Part]:
    """What each block is, in order."""
    look = Look.of(blocks)
    rows = _rows(blocks, look)
    start = _start(blocks, look, rows)
    parts: list[Part] = []
    for at, block in enumerate(blocks):
        if at < start:
            parts.append(Part("front", block))
        else:
            parts.append(_part(block, parts, look, rows, blocks[at + 1 :]))
    return parts


def _part(block: Block, before: Sequence[Part], look: Look, rows: set[int], after: Sequence[Block]) -> Part:
    last = before[-1] if before else None
    in_references = last is not None and last.kind == "left out" and last.label == "references"
    if in_references and not (_is_heading(block, look) and _AFTER_REFERENCES.match(block.text)):
        return Part("left out", block, "references")
    text = next((part for part in reversed(before) if part.kind in ("text", "heading")), None)
    unfinished = text is not None and text.kind == "text" and not _ENDED.search(text.block.text)
    if name := _legend_name(block, look, unfinished=unfinished):
        return Part("legend", block, name)
    if last is not None and last.kind == "legend" and _continues_legend(last.block, block, look):
        return Part("legend", block, last.label)
    if _is_heading(block, look) and (_style(block) in look.main or not _in_table(block, last, rows)):
        if _REFERENCES.fullmatch(block.text):
            return Part("left out", block, "references")
        label = re.sub(f"^{_NUMBERING}", "", block.text).strip(" .:")
        return Part("heading", block, label or block.text, main=_style(block) in look.main or not look.main)
    if _KEYWORDS.match(block.text):
        return Part("keywords", block)
    if _starts_references(block, after):
        return Part("left out", block, "references")
    return _plain(block, last, look, rows, in_abstract=_in_abstract(before))


def _plain(block: Block, last: Part | None, look: Look, rows: set[int], *, in_abstract: bool) -> Part:
    prose, running = _is_prose(block, look, rows), _half(block.size) in look.running
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
    continued = last is not None and last.kind == "text" and not _ENDED.search(last.block.text)
    words = len(re.findall(r"[^\W\d]{2,}", block.text))
    if continued or _ENDED.search(block.text) or _LIST_ITEM.match(block.text) or words > 3:
        return Part("text", block)
    return left_out


def _start(blocks: Sequence[Block], look: Look, rows: set[int]) -> int:
    """Where the front matter ends: at the abstract, the introduction, or the first real paragraph."""
    for at, block in enumerate(blocks):
        if block.page > 2:
            break
        if _OPENING.fullmatch(block.text) or (_ABSTRACT.match(block.text) and block.lines[0].opening):
            return at
    for at, block in enumerate(blocks):
        long = len(block.text.split()) > 35 and _half(block.size) in look.running
        of_paper = block.page > 1 or not _IMPRINT.search(block.text[:300])
        if long and of_paper and _is_prose(block, look, rows):
            return at - 1 if at > 1 and _is_heading(blocks[at - 1], look) else at
    return 0


def _legend_name(block: Block, look: Look, *, unfinished: bool) -> str:
    """The name of a figure or table whose legend begins here; `unfinished`: the text before is in mid-sentence."""
    found = _LEGEND.match(block.text)
    if found is None:
        return ""
    kind = "Figure" if found[1].lower().startswith("fig") else found[1].capitalize()
    rest = block.text[found.end() :].lstrip()
    set_apart = block.lines[0].bold or block.lines[0].opening > 3 or _half(block.size) != look.size
    if unfinished and not set_apart:
        return ""
    if found[3] in (".", ":", "|", "\u2013", "\u2014") or not rest or set_apart:
        return f"{kind} {found[2]}" if set_apart or not re.match(r"[a-z(]", rest) else ""
    return f"{kind} {found[2]}" if rest[0].isupper() and len(block.lines) < 8 else ""


def _continues_legend(legend: Block, block: Block, look: Look) -> bool:
    """Whether a legend goes on in another style: its first words or its title are bold."""
    close = 0 < legend.bottom - block.top < 0.9 * look.size and legend.page == block.page
    same = abs(legend.size - block.size) < 0.3 and abs(legend.left - block.left) < 2 * look.size
    plain = (legend.bold and not block.bold) or (legend.italic and not block.italic)
    wordy = len(block.text.split()) > 3 and not _is_tabular(block)
    return close and same and plain and wordy


def _is_heading(block: Block, look: Look) -> bool:
    text, words = block.text, block.text.split()
    if not words or len(words) > 22 or len(block.lines) > 3 or not re.search(r"[^\W\d_]{3}", text):
        return False
    if _LEGEND.match(text) or block.lines[0].gaps > 1:
        return False
    if _KNOWN.fullmatch(text) or _OPENING.fullmatch(text):
        return _style(block) != (look.size, False, False) or len(words) < 5
    if (
        block.size < 0.97 * look.size
        or text[-1] in ".,;"
        or not re.match(r"[A-Z0-9\u2018\u201c(\u0391-\u03a9]|[a-z][A-Z]|p\d", text)
    ):
        return False
    larger = block.size > 1.06 * look.size
    return larger or block.bold or block.italic or (text.isupper() and len(text) > 4)


def _is_prose(block: Block, look: Look, rows: set[int]) -> bool:
    if id(block) in rows or _is_tabular(block):
        return False
    letters = sum(c.isalpha() or c.isspace() for c in block.text)
    if letters < 0.6 * len(block.text):
        return False
    if len(block.lines) == 1:
        return len(block.text.split()) > 5
    full = [line for line in block.lines[:-1] if line.width > 0.55 * look.width]
    return 2 * len(full) >= len(block.lines) - 1


def _is_tabular(block: Block) -> bool:
    return sum(line.gaps > 0 for line in block.lines) > 0.5 * len(block.lines)


def _rows(blocks: Sequence[Block], look: Look) -> set[int]:
    """The `id()` of blocks that stand in rows with others, as the cells of a table or the labels of a figure do."""
    by_page: dict[int, list[tuple[float, float, float]]] = {}
    for block in blocks:
        for line in block.lines:
            if line.width < 0.5 * look.width:
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
            if line.width < 0.5 * look.width
        ]
        if 2 * sum(beside) > len(block.lines):
            found.add(id(block))
    return found


def _in_table(block: Block, last: Part | None, rows: set[int]) -> bool:
    """Whether a block is part of the table whose legend or cells come before it."""
    if last is None or last.block.page != block.page or _KNOWN.fullmatch(block.text):
        return False
    of_table = (last.kind == "legend" and last.label.startswith("Table")) or (
        last.kind == "left out" and last.label == "table"
    )
    return of_table and (id(block) in rows or _is_tabular(block) or last.kind == "legend")


def _in_abstract(before: Sequence[Part]) -> bool:
    for part in reversed(before):
        if part.kind == "heading" and (part.main or _ABSTRACT.match(part.label)):
            return bool(_ABSTRACT.match(part.label))
        if part.kind in ("front", "keywords"):
            return False
    return False


def _starts_references(block: Block, after: Sequence[Block]) -> bool:
    """Whether a list of references without a heading begins: numbered from 1, most with a year."""
    found = _REFERENCE.match(block.text)
    if found is None or found[1] != "1":
        return False
    text = " ".join([block.text, *(b.text for b in after[:4])])
    numbers = [n for n in ("2", "3", "4", "5") if re.search(rf"(?:^|\s)\[?{n}[\].]?\s+[A-Z]", text)]
    return len(numbers) == 4 and len(_YEAR.findall(text)) >= 4


def _style(block: Block) -> tuple[float, bool, bool]:
    return _half(block.size), block.bold, block.italic


def _half(size: float) -> float:
    return round(2 * size) / 2
