"""What of a paper is not prose: front matter, references, legends, licences, page furniture.

Such a line can hold every word of a question and say nothing, so it is never quoted. The rules are for the lines that
papers print around their text; a sentence that merely names a table, a link or a licence is prose. They were
written with half of the lines that `benchmarks/prose.py` collects from articles, and measured with the other half.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from medground.home.files import tables
from medground.language.word_lists import forms

_I = re.IGNORECASE

_ADDRESS = forms("no prose")["address"]
_WORD = re.compile(r"[^\W\d_]{2,}")
_FEW = 4
"""A line of addresses with at most so many other words is not a sentence, unless one is a verb."""
_VERB = forms("no prose")["verb"]
_WORKPLACE = forms("no prose")["workplace"]
_MARKS = " .*†‡§0123456789"
_NUMBERED = re.compile(r"(?:\d{1,2}|[*†‡§¶#]|[a-f]\s)\s?[A-Z]")
_TITLED = re.compile(r"^[\W\d]*[A-Z]")
_NAME_PART = re.compile(
    r"(?:[A-Z]\.?-?){1,3}|[^\W\d_a-z][\w.'’‐-]*[^\W\d_A-Z]|van|von|der?|den|del|dos?|da|di|l[ae]|el|al|bin|ter|y"
)

_RULES = forms("prose")
"""In this order; the first that finds something names a line."""


_HINTS: Mapping[str, list[str]] = tables("language", "hints")["prose"]
"""Each sentence that one of these rules finds has one of these in small letters: looking for them first is faster."""
_ADDRESS_HINTS = ("http", "ftp:", "www.", "doi", "10.", "@", "pm")


@lru_cache(maxsize=4096)
def is_prose(sentence: str) -> bool:
    """Whether a sentence is of the text of a paper, and not of what is printed around it."""
    return why_not_prose(sentence) is None


def why_not_prose(sentence: str) -> str | None:
    """The name of the rule that finds no prose, such as `licence` or `legend`; None for prose."""
    small = sentence.lower()
    if any(hint in small for hint in _ADDRESS_HINTS) and _only_addresses(sentence):
        return "address"
    if _is_workplace(sentence):
        return "place of work"
    if _is_list_of_persons(sentence):
        return "names"
    for name, rule in _RULES.items():
        if (name not in _HINTS or any(hint in small for hint in _HINTS[name])) and rule.search(sentence):
            return name
    return None


def _only_addresses(sentence: str) -> bool:
    rest, found = _ADDRESS.subn(" ", sentence)
    return found > 0 and len(_WORD.findall(rest)) <= _FEW and not _VERB.search(rest)


def _is_workplace(sentence: str) -> bool:
    """Whether it names two places of work and where they are, and says nothing of them."""
    if sentence.count(",") < 2:
        return False
    parts = sentence.rstrip(" .;").split(",")
    named = sum(_WORKPLACE.search(part) is not None for part in parts)
    numbered = _NUMBERED.match(sentence) is not None
    if len(parts) < 3 or not (named or numbered) or _VERB.search(sentence):
        return False
    titled = sum(_TITLED.match(part) is not None for part in parts)
    return titled >= len(parts) - 1 and (named > 1 or numbered or len(parts) > 3)


def _is_list_of_persons(sentence: str) -> bool:
    if not _is_person(re.split(r"[,;]| and | & ", sentence, maxsplit=1)[0].strip(_MARKS).split()):
        return False
    parts = [part.strip(_MARKS) for part in re.split(r"[,;]|\sand\s|\s&\s", sentence)]
    persons = [part.split() for part in parts if part]
    return len(persons) > 2 and all(map(_is_person, persons))


def _is_person(words: list[str]) -> bool:
    return (
        1 < len(words) < 6
        and all(_NAME_PART.fullmatch(word) for word in words)
        and any(len(word) > 2 and not word.isupper() for word in words)
    )
