"""Years that the text of a question limits its literature to: "since 2010", "published before 2005".

A limit of the user goes before one of the text.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from medground.language.pattern import lazy_pattern

_YEAR = r"((?:19|20)\d\d)\b(?![-–/]\d)"
_WORKS = r"published|publications?|literature|evidence|studies|trials|articles|papers|research|reviews"
_PUBLISHED = rf"\b(?:{_WORKS})(?:\s\w+){{0,2}}\s"
_NO_END = r"(?<!before\s)(?<!until\s)(?<!through\s)(?<!\bto\s)(?<!\bby\s)(?<!\band\s)(?<!\bor\s)(?<![-–/.])"
_LITERATURE = lazy_pattern(rf"\b(?:{_WORKS}|known)\b", re.IGNORECASE)
Years = tuple[int | None, int | None]
_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: number for number, word in enumerate(_WORDS, start=2)}


def _upper(said: str) -> re.Pattern[str]:
    """An upper limit right after a word for publications, or at the end of a question with one."""
    limit = rf"\b(?:{said})\s{_YEAR}"
    return lazy_pattern(rf"{_PUBLISHED}{limit}|{_LITERATURE.pattern}.*{limit}(?=\W*$)", re.IGNORECASE)


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], int], Years]], ...] = (
    (
        lazy_pattern(rf"{_PUBLISHED}(?:between|from)\s{_YEAR}\s(?:and|to|until|through)\s{_YEAR}", re.IGNORECASE),
        lambda found, now: (int(found[1]), int(found[2])),
    ),
    (lazy_pattern(rf"{_PUBLISHED}in\s{_YEAR}", re.IGNORECASE), lambda found, now: (int(found[1]), int(found[1]))),
    (_upper("before|prior to|earlier than"), lambda found, now: (None, int(found[1] or found[2]) - 1)),
    (_upper("until|till|up to|no later than"), lambda found, now: (None, int(found[1] or found[2]))),
    (
        lazy_pattern(rf"{_PUBLISHED}(?:in|of|from|over|within)\sthe\s(?:last|past)\s(\w+)\syears\b", re.IGNORECASE),
        lambda found, now: (now - _number(found[1]), None) if _number(found[1]) else (None, None),
    ),
    (lazy_pattern(rf"\bsince\s{_YEAR}", re.IGNORECASE), lambda found, now: (int(found[1]), None)),
    (
        lazy_pattern(rf"\b(?:after|(?<!no\s)(?<!not\s)later than)\s{_YEAR}", re.IGNORECASE),
        lambda found, now: (int(found[1]) + 1, None),
    ),
    (lazy_pattern(rf"\bfrom\s{_YEAR}\son(?:wards?)?\b", re.IGNORECASE), lambda found, now: (int(found[1]), None)),
    (lazy_pattern(rf"{_NO_END}\b{_YEAR}(?=\W*$)", re.IGNORECASE), lambda found, now: (int(found[1]), None)),
)
"""In order; the first that fits counts. An upper limit needs a word that is about publications: what happened before
2005 is also told by later papers, but what happened since 2010, or in the year at the end of a question, is not told by
earlier ones."""
_LATEST = lazy_pattern(r"\b(?:latest|newest|most recent)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Stated:
    """The years that a text states, and the words in which it does."""

    first: int | None
    last: int | None
    said: str

    @property
    def note(self) -> str:
        """What an answer says about it."""
        first, last = self.first, self.last
        if first and last:
            years = f"of {first}" if first == last else f"from {first} to {last}"
        else:
            years = f"from {first} on" if first else f"up to {last}"
        return f"only publications {years} were searched, because the question says {self.said!r}"


def stated(text: str, now: int) -> Stated | None:
    """The years that a text limits its literature to; `now` is the year of "the last five years"."""
    for pattern, years in _RULES:
        found = pattern.search(text)
        if found is None:
            continue
        first, last = years(found, now)
        if (first or last) and (first or 0) <= min(last or now, now):
            return Stated(first, last, found[0])
    return None


def speaks_of_literature(text: str) -> bool:
    """Whether a text speaks of publications or of what is known."""
    return _LITERATURE.search(text) is not None


def latest(text: str) -> str:
    """The words of a text that ask for the latest publications; empty if none do."""
    found = _LATEST.search(text)
    return found[0] if found else ""


def _number(word: str) -> int:
    return int(word) if word.isdecimal() and len(word) <= 3 else _NUMBERS.get(word.casefold(), 0)
