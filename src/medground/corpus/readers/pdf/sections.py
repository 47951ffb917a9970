"""The parts of a paper as labelled paragraphs: running text by section, then the legends."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from medground.corpus.readers.pdf.blocks import Block
from medground.corpus.readers.pdf.heads import is_figure
from medground.corpus.readers.pdf.kinds import ABSTRACT, ENDED, KEYWORDS, Part
from medground.corpus.readers.pdf.lines import Line
from medground.corpus.readers.pdf.outline import Heading, Labelled, labelled
from medground.language.pattern import verbose_pattern
from medground.language.words import FUNCTION_WORDS, MOST, stem, weight
from medground.pubmed.characters import letters_of

# Blocks to paragraphs: lines joined, words that a line end broke made whole, sentences that a page end broke too.

_BROKEN = re.compile(r"([^\W\d_]+)-$")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_STARTS = re.compile(r"[^\W\d_]+")
_LIST_ITEM = re.compile(r"(?:[\u2022\u2023\u25aa\u25cf\u25e6]|\(?\d{1,2}[.)]|\([a-z]\))\s+\S")
_JOINTS = frozenset(["and", "or", "to", "versus", "vs"])
_SELDOM = 5.0
"""Least weight of a word that is rather written with a hyphen, if its parts are words too."""
_INDENT = 0.7
_SHORT = 2.0


@dataclass
class Words:
    """The words of a document that no line end broke: they tell how broken ones are written."""

    whole: Counter[str]

    @classmethod
    def from_lines(cls, lines: Iterable[Line]) -> Words:
        """The words of these lines; the first and the last of a line may be broken."""
        whole = Counter[str]()
        for line in lines:
            inside = line.text.partition(" ")[2].rpartition(" ")[0]
            found = [word.lower() for word in _WORD.findall(inside)]
            whole.update(found)
        return cls(whole)

    def joined(self, before: str, after: str) -> str:
        """Two pieces of text, the first ending in a hyphen at a line end: the hyphen stays if the word has one."""
        first, second = _BROKEN.search(before), _STARTS.match(after)
        if first is None or second is None:
            return before + after
        left, right = first[1].lower(), second[0].lower()
        together, apart = self.whole[left + right], self.whole[f"{left}-{right}"]
        chained = before[: first.start()].endswith("-") or after[second.end() :].startswith("-")
        if chained and not together and all(map(self._is_word, (left, right))):
            return before + after  # first-in-human
        if right in _JOINTS and not together and not _known(left + right):  # pre- and postoperative
            return f"{before} {after}"
        if not after[0].islower():
            return before[:-1] + after if together > apart else before + after
        hyphenated = len(left) == 1 or apart > together or (not together and self._is_compound(left, right))
        return before + after if hyphenated else before[:-1] + after

    def _is_word(self, text: str) -> bool:
        return self.whole[text] > 0 or _known(text)

    def _is_compound(self, left: str, right: str) -> bool:
        """Whether two words make a compound that is seldom written as one: `long-term`, but `without`."""
        words = len(left) > 2 and len(right) > 2 and self._is_word(left) and self._is_word(right)
        return words and left + right not in FUNCTION_WORDS and weight(stem(left + right)) > _SELDOM


def _known(word: str) -> bool:
    return word in FUNCTION_WORDS or weight(stem(word)) < MOST


@dataclass(frozen=True)
class Paragraph:
    """A text, and where each of its lines begins in it."""

    text: str
    lines: tuple[tuple[int, Line], ...]


def paragraph_of(lines: Sequence[Line], words: Words) -> Paragraph:
    """Lines as one paragraph."""
    text, places = "", []
    for line in lines:
        if not text:
            joined = line.text
        elif text.endswith("-") and not text.endswith(" -"):
            joined = words.joined(text, line.text)
        elif text.endswith(("/", "\u2013", "\u2014")) and text[-2:-1].strip():
            joined = text + line.text
        else:
            joined = f"{text} {line.text}"
        places.append((len(joined) - len(line.text), line))
        text = joined
    return Paragraph(text, tuple(places))


def split(block: Block) -> Iterator[list[Line]]:
    """The paragraphs of a block: each begins with an indent, a sign of a list, or after a line that ends early."""
    current: list[Line] = []
    for line in block.lines:
        if current and _begins(current[-1], line, block):
            yield current
            current = []
        current.append(line)
    yield current


def _begins(before: Line, line: Line, block: Block) -> bool:
    is_short, is_item = before.right < block.right - _SHORT * line.size, _LIST_ITEM.match(line.text) is not None
    if not ENDED.search(before.text):
        return is_item and is_short
    if line.opening and line.text[: line.opening].rstrip().endswith(_LABEL_ENDS):
        return True
    return is_short or is_item or line.left - block.left > _INDENT * line.size > before.left - block.left


def continues(lines: Sequence[Line], following: Sequence[Line]) -> bool:
    """Whether a paragraph goes on in another block: after a column or page end, or after a figure."""
    last, first = lines[-1], following[0]
    if ENDED.search(last.text) or _LIST_ITEM.match(first.text):
        return False
    elsewhere = first.page != last.page or first.base > last.base
    return first.text[0].islower() or (elsewhere and last.width > 0.75 * max(line.width for line in lines))


_LABEL_ENDS = (".", ":", "\u2014", "\u2013")
_LABEL_MARKS = " .:\u2014\u2013"
_LONGEST_LABEL = 16


def running(parts: Sequence[Part]) -> Iterator[Labelled]:
    """The paragraphs of the running text, in order. One that a page end or a figure broke is one again."""
    items: list[Heading | list[Line]] = []
    for part in parts:
        if part.kind == "heading":
            items.append(Heading(part.label, part.main, numbered=part.numbered))
        elif part.kind == "keywords":
            items.append(Heading(""))
        elif part.kind == "text":
            for lines in split(part.block):
                heading, rest = _run_in(lines)
                last = items[-1] if items else None
                if heading:
                    items += heading
                    items += [rest] if heading[-1].label else []
                elif isinstance(last, list) and continues(last, lines):
                    last += lines
                else:
                    items.append(rest)
    return labelled(items)


_NAME = re.compile(r"[^\W\d_]{3}")


def legends(parts: Sequence[Part]) -> Iterator[Labelled]:
    """The legends of figures and tables, each one paragraph."""
    for label, found in groupby((part for part in parts if part.kind == "legend"), key=lambda part: part.label):
        yield label, [line for part in found for line in part.block.lines]


def with_rows(labelled: Sequence[Labelled], parts: Sequence[Part], tables: Sequence[Sequence[Line]]) -> list[Labelled]:
    """The paragraphs with the rows of each table after its legend, the nearest on its page; else at the end."""
    own: dict[str, list[Labelled]] = {}
    for rows in tables:
        nearest = _nearest_legend(parts, rows[0])
        label = nearest.label if nearest else "Table"
        own.setdefault(label, []).extend((label, [row]) for row in rows)
    found = [one for label, lines in labelled for one in [(label, lines), *own.pop(label or "", [])]]
    return [*found, *(row for rows in own.values() for row in rows)]


def unread_tables(parts: Sequence[Part], tables: Sequence[Sequence[Line]]) -> list[int]:
    """The pages of the tables of which there is a legend and no row, or of which figures were left out."""
    pages = {part.label: part.block.page for part in reversed(parts) if _is_of_table(part)}
    for rows in tables:
        if nearest := _nearest_legend(parts, rows[0]):
            pages.pop(nearest.label, None)
    begun = {part.block.page for part in parts if _is_of_table(part)} | {rows[0].page for rows in tables}
    of_tables = begun | {page + 1 for page in begun}  # where they may go on
    of_figures = {part.block.page for part in parts if part.kind == "legend" and not _is_of_table(part)}
    lost = {
        part.block.page
        for part in parts
        if part.kind == "left out"
        and (part.label == "table" or (part.label == "" and part.block.page in of_tables - of_figures))
        and any(is_figure(line.text) and not _NAME.search(line.text) for line in part.block.lines)
    }
    return sorted([*pages.values(), *lost - {*pages.values()}])


def _is_of_table(part: Part) -> bool:
    return part.kind == "legend" and part.label.startswith("Table")


def _nearest_legend(parts: Sequence[Part], row: Line) -> Part | None:
    """The legend on its page that stands nearest to a table."""
    beside = (part for part in parts if _is_of_table(part) and part.block.page == row.page)
    return min(
        beside,
        key=lambda part: min(abs(part.block.bottom - row.top), abs(part.block.top - row.bottom)),
        default=None,
    )


def _run_in(lines: list[Line]) -> tuple[list[Heading], list[Line]]:
    """A paragraph that opens with its own heading in bold (`Patients. We enrolled`): the heading, and the rest.

    `Abstract Background.` is two headings; keywords are one without a label, which only ends an abstract.
    """
    at = next((at for at, line in enumerate(lines) if line.opening < len(line.text)), len(lines))
    if at == len(lines):
        return [], lines
    first = lines[at]
    label = " ".join([*(line.text for line in lines[:at]), first.text[: first.opening].strip()]).strip()
    rest = first.text[first.opening :].strip()
    if not label or not rest or len(label.split()) > _LONGEST_LABEL:
        return [], lines
    if not label.endswith(_LABEL_ENDS):
        if rest[0] not in _LABEL_ENDS:
            return [], lines
        rest = rest[1:].strip()
    label = label.strip(_LABEL_MARKS)
    abstract = ABSTRACT.match(label)
    labels = [abstract[0], label[abstract.end() :].strip(_LABEL_MARKS)] if abstract else [label]
    headings = [Heading("" if KEYWORDS.fullmatch(one) else one, run_in=True) for one in labels if one]
    return headings, [replace(first, text=rest), *lines[at + 1 :]] if rest else lines[at + 1 :]


_ADDRESS = verbose_pattern(
    r"""
    (?:<\s*)?(?:(?:https?|ftp)://|\bwww\.(?=\w)|
    \bdoi:\s*(?=10\.))[^\s<>]*[^\s<>.,;:!?)\]}'\"\u2019\u201d](?:\s*>)?
    """
)
_BROKEN_AT = tuple("/-_=?&%")
"""What a line ends with if an address goes on in the next."""
_TAIL = re.compile(r"(?=\S*(?:[/_=%]|\w\.\w))\S*[^\s.,;:!?)\]}]")
"""What the rest of an address looks like; a word of prose does not."""
_EMPTY = re.compile(r"\s*(?:\(\s*\)|\[\s*\])")
_SPACES = re.compile(r" {2,}")
_BEFORE_POINT = re.compile(r" +(?=[.,;:)\]])")
_LIST = verbose_pattern(
    r"""
    (?:(?:chapter\ )?references(?:\ and\ (?:notes|further\ reading))?|bibliography|literature(?:\ cited)?|
    (?:further|suggested|recommended|selected|additional|key)\ (?:readings?|references|literature)|
    (?:table\ of\ )?contents|contents\ in\ brief|(?:subject\ |author\ )?index|list\ of\ (?:figures|tables|
    contributors)|contributors|about\ the\ (?:authors?|editors?)|acknowledge?ments?|copyright|(?:web\ ?sites?|
    web\ resources|internet\ resources|useful\ (?:web\ ?sites|links)))\W*
    """
)
_PATH = " > "


def text_of_book(paragraphs: Iterable[Labelled]) -> Iterator[Labelled]:
    """The paragraphs without those of lists, and their lines without addresses."""
    for label, lines in paragraphs:
        if label is not None and any(_LIST.fullmatch(heading) for heading in label.split(_PATH)):
            continue
        kept = [
            line if line.text == text else replace(line, text=text)
            for line, text in zip(lines, without_addresses([line.text for line in lines]), strict=True)
            if text
        ]
        if kept:
            yield label, kept


def without_addresses(lines: Sequence[str]) -> list[str]:
    """The texts of neighbouring lines without web addresses, also where one goes on in the next line."""
    found: list[str] = []
    broken = ended = False
    for line in lines:
        tail = _TAIL.match(line) if broken and not (ended and line[:1].isupper()) else None
        text = line[tail.end() :] if tail else line
        addresses = [*_ADDRESS.finditer(text)]
        reaches_end = addresses and not text[addresses[-1].end() :].strip(" .")
        ended = text.rstrip().endswith(".")
        broken = bool(reaches_end and (ended or text.rstrip().endswith(_BROKEN_AT)))
        if tail or addresses:
            line = _SPACES.sub(" ", _EMPTY.sub("", _ADDRESS.sub("", text)))
            line = _BEFORE_POINT.sub("", line).strip()
        found.append(line)
    return found


def id_of_book(text: str) -> str:
    """`BOOK:` and a digest of the letters of a text: the same book under another name is the same document."""
    return f"BOOK:{hashlib.sha256(letters_of(text).encode()).hexdigest()[:16]}"
