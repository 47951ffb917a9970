"""A PDF as a textbook: without web addresses, and without the sections that only list or point elsewhere.

References, running heads and page numbers are left out of every PDF. What is taken out of a line leaves its place on
the page as it was, so a quote still opens there.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from medground.corpus.readers.pdf.sections import Labelled
from medground.corpus.readers.values import letters_of

_ADDRESS = re.compile(
    r"(?:<\s*)?(?:(?:https?|ftp)://|\bwww\.(?=\w)|\bdoi:\s*(?=10\.))"
    r"[^\s<>]*[^\s<>.,;:!?)\]}'\"\u2019\u201d](?:\s*>)?",
    re.IGNORECASE,
)
_BROKEN_AT = tuple("/-_=?&%")
"""What a line ends with if an address goes on in the next."""
_TAIL = re.compile(r"(?=\S*(?:[/_=%]|\w\.\w))\S*[^\s.,;:!?)\]}]")
"""What the rest of an address looks like; a word of prose does not."""
_EMPTY = re.compile(r"\s*(?:\(\s*\)|\[\s*\])")
_SPACES = re.compile(r" {2,}")
_BEFORE_POINT = re.compile(r" +(?=[.,;:)\]])")
_LIST = re.compile(
    r"(?:(?:chapter )?references(?: and (?:notes|further reading))?|bibliography|literature(?: cited)?|"
    r"(?:further|suggested|recommended|selected|additional|key) (?:readings?|references|literature)|"
    r"(?:table of )?contents|contents in brief|(?:subject |author )?index|list of (?:figures|tables|contributors)|"
    r"contributors|about the (?:authors?|editors?)|acknowledge?ments?|copyright|"
    r"(?:web ?sites?|web resources|internet resources|useful (?:web ?sites|links)))\W*",
    re.IGNORECASE,
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
        found.append(_tidy(_ADDRESS.sub("", text)) if tail or addresses else line)
    return found


def id_of_book(text: str) -> str:
    """`BOOK:` and a digest of the letters of a text: the same book under another name is the same document."""
    return f"BOOK:{hashlib.sha256(letters_of(text).encode()).hexdigest()[:16]}"


def _tidy(text: str) -> str:
    return _BEFORE_POINT.sub("", _SPACES.sub(" ", _EMPTY.sub("", text))).strip()
