"""Marks of citation in a text: where each stands, and the references that it leads to."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from medground.answering.verify.marks import SUPERSCRIPT
from medground.language.pattern import lazy_pattern
from medground.values.identifiers import papers_named


class Mark(NamedTuple):
    """A mark in a text and what it leads to: numbers and keys of a list of references, or ids such as `pmid:1`."""

    start: int
    end: int
    keys: tuple[str, ...]


_MOST = 60
"""References of one mark: a longer range is none."""
_LIST = r"\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*"
_BRACKETED = lazy_pattern(rf"\s{{0,3}}\[\s{{0,3}}(?P<numbers>{_LIST})\s{{0,3}}\](?!\(|:\s)")
_ROUND = lazy_pattern(rf"(?<=[^\W_]|[.%,)])\s{{0,3}}\(\s{{0,3}}(?P<numbers>{_LIST})\s{{0,3}}\)")
_FOOTNOTE = lazy_pattern(r"\s{0,3}\[\^(?P<key>[^\]\s]{1,60})\](?!:)")
_PANDOC = lazy_pattern(
    r"\s{0,3}\[(?P<keys>[^\[\]]{0,200}@[^\[\]]{1,400})\]|(?<![\w@.])-?@(?P<key>[A-Za-z_][\w:.#$%&+?<>~/-]{1,80}\w)"
)
_PANDOC_KEY = lazy_pattern(r"(?<![\w@.])@\{?([\w:.#$%&+?<>~/-]*\w)")
_LATEX = lazy_pattern(r"[\s~]{0,3}\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?:\[[^\]]*\])*\{(?P<keys>[^{}]{1,400})\}")


def marks(text: str, *, rounded: bool = False) -> list[Mark]:
    """The marks of a text in order, but those by authors and year, which are read sentence by sentence.

    Args:
        text: the text as its file has it.
        rounded: whether numbers in round brackets are marks: a text with a numbered list may have no others.
    """
    found = [*_numbered(text, rounded), *_keyed(text), *_named(text)]
    kept: list[Mark] = []
    for mark in sorted(found):
        if not kept or mark.start >= kept[-1].end:
            kept.append(mark)
    return kept


def _numbered(text: str, rounded: bool) -> Iterator[Mark]:
    forms = [_BRACKETED, *([_ROUND] if rounded else [])]
    for match in (match for form in forms for match in form.finditer(text)):
        if numbers := expanded(match["numbers"]):
            yield Mark(*match.span(), numbers)
    for match in SUPERSCRIPT.finditer(text):
        plain = unicodedata.normalize("NFKC", re.sub(r"</?sup>|[\^\s]", "", match[0]).replace("⁻", "-"))
        if numbers := expanded(plain):
            yield Mark(*match.span(), numbers)


def _keyed(text: str) -> Iterator[Mark]:
    for match in _FOOTNOTE.finditer(text):
        yield Mark(*match.span(), (match["key"],))
    for match in _PANDOC.finditer(text):
        keys = (match["key"],) if match["key"] else tuple(_PANDOC_KEY.findall(match["keys"]))
        if keys:
            yield Mark(*match.span(), keys)
    for match in _LATEX.finditer(text):
        yield Mark(*match.span(), tuple(key.strip() for key in match["keys"].split(",") if key.strip()))


def _named(text: str) -> Iterator[Mark]:
    """Papers named by an id."""
    return (Mark(start, end, names) for (start, end), names in papers_named(text).items())


def expanded(numbers: str) -> tuple[str, ...]:
    """The numbers of `1,3-5`, one by one; none of a range that is too long or runs backwards."""
    found: list[str] = []
    for part in re.split(r"\s*[,;]\s*", numbers.strip()):
        ends = [int(number) for number in re.split(r"\s*[–-]\s*", part) if number.isdecimal()]
        if not ends:
            continue
        first, end = ends[0], ends[-1]
        if not 0 <= end - first < _MOST or not first:
            return ()
        found += map(str, range(first, end + 1))
    return tuple(dict.fromkeys(found))


def blanked(text: str, places: Iterable[tuple[int, int]]) -> str:
    """The text with blanks at these places: of the same length and with the same lines, so that every place stays."""
    shown = list(text)
    for start, end in places:
        shown[start:end] = ("\n" if letter == "\n" else " " for letter in shown[start:end])
    return "".join(shown)
