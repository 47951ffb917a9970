"""Which wordings mean that a person is at risk (`rules.txt`), and a question as the plain words that they are compared
with.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import get_args

from medground.home.files import tables
from medground.language.clean import without_accents
from medground.values.decision import NoticeKind

_HEADING = re.compile(r"\[(list )?([a-z-]+)(?: unless ([a-z ]+))?\]")
_LIST = re.compile(r"<([a-z]+)>")
_GROUP = re.compile(r"(?<!\\)\((?!\?)")
_LETTERS = re.compile(r"[a-z]+(?=[a-z][?*{])|[a-z]+(?![?*{])")
_SIGN = re.compile(r"([() |])")
_AND = " & "
_UNWEIGHED = "unweighed"
_OWN_VOICE = r"^(?=.*\b(?:i|me|my|myself)\b).*\b"

LONGEST = 60
"""Words of a text that is not a letter."""
_TOGETHER = 2
"""Sentences of a letter that are read together."""


class Wording:
    """A line of the rules. Its pattern is made only for a text that has the words which each match of it needs: to make
    those of all lines takes longer than an answer from the graph.
    """

    def __init__(self, line: str, lists: Mapping[str, Wording]) -> None:
        if unknown := set(_LIST.findall(line)) - {*lists, "own"}:
            raise ValueError(f"the rules have no [list {min(unknown)}] before its use")
        self._line, self._lists = line, lists
        self._needed = [beginnings for sign in line.split(_AND) for beginnings in self._beginnings(sign)]

    def _beginnings(self, pattern: str) -> list[frozenset[str]]:
        """Sets of beginnings of words; a text that matches has one of each set: `(take|use) <drug> daily`."""
        alternatives = [
            [found for token in _split(alternative, " ") if (found := self._beginnings_of_word(token))]
            for alternative in _split(pattern, "|")
        ]
        if len(alternatives) == 1:
            return alternatives[0]
        first = [found[0] for found in alternatives if found]
        return [frozenset().union(*first)] if len(first) == len(alternatives) else []

    def _beginnings_of_word(self, token: str) -> frozenset[str]:
        if (named := _LIST.match(token)) and named[1] in self._lists:
            of_list = self._lists[named[1]]._needed
            return of_list[0] if of_list and not token.endswith(">?") else frozenset()
        if _is_group(token):
            in_group = self._beginnings(token[1:-1])
            return in_group[0] if in_group else frozenset()
        letters = _LETTERS.match(token)
        return frozenset({letters[0]}) if letters else frozenset()

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        """The line as a pattern: whole words, or several of them in any order ("A & B")."""
        gap = r"(?:(?!(?:<no>|<talk>) )\w+ ){0,8}?"
        signs = self._line.split(_AND)
        together = "^" + "".join(rf"(?=.*\b(?:{sign})\b)" for sign in signs)
        pattern = rf"\b(?:{self._line})\b" if len(signs) == 1 else together
        pattern = pattern.replace("<own> ", _OWN_VOICE).replace("... ", gap)
        while (named := _LIST.search(pattern)) is not None:
            pattern = pattern.replace(named[0], f"(?:{self._lists[named[1]]._line})")
        return re.compile(_GROUP.sub("(?:", pattern))

    def occurs(self, words: str) -> bool:
        """Whether the words of a question have it."""
        spaced = f" {words}"
        possible = all(any(f" {beginning}" in spaced for beginning in needed) for needed in self._needed)
        return possible and bool(self.pattern.search(words))


@dataclass(frozen=True)
class Rule:
    """The wordings under one heading; one of `lines` must occur, none of `unless`."""

    kind: NoticeKind
    lines: tuple[Wording, ...]
    unless: tuple[Wording, ...]

    def fires(self, words: str, whole: str = "") -> bool:
        """Whether the words of a question call for a notice of this kind; in a part, the `whole` may excuse them."""
        return _any(self.lines, words) and not _any(self.unless, whole or words)


def _split(pattern: str, separator: str) -> list[str]:
    """The parts of a pattern between separators that are outside brackets."""
    parts, depth = [""], 0
    for sign in _SIGN.split(pattern):
        depth += (sign == "(") - (sign == ")")
        if sign == separator and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _is_group(token: str) -> bool:
    """Whether a token is one group that is always there: `(take|use)`, not `(take)?` nor `(re)(take)`."""
    depth = 0
    for place, sign in enumerate(token, start=1):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return place == len(token) > 1 and not token.startswith("(?")
    return False


def _any(lines: Iterable[Wording], words: str) -> bool:
    return any(line.occurs(words) for line in lines)


@dataclass(frozen=True)
class Rules:
    """All rules, in the order of the file; `unweighed` is a denial or a scholar's question, whose words say nothing."""

    rules: tuple[Rule, ...]
    unweighed: tuple[Wording, ...]

    def first(self, words: str) -> NoticeKind | None:
        """The kind of the first rule that fires on the words of a question; in a letter, on neighbouring sentences."""
        parts = _parts(words)
        return next((rule.kind for rule in self.rules if any(rule.fires(part, words) for part in parts)), None)

    def may_be_weighed(self, words: str) -> bool:
        """Whether the words of a question, where no rule fires, may still be weighed."""
        return not _any(self.unweighed, words)


def _parts(words: str) -> list[str]:
    """A question; of a long letter, each sentence with the next, because the whole holds signs of everything."""
    sentences = words.split(" . ")
    if len(words.split()) <= LONGEST or len(sentences) < _TOGETHER:
        return [words]
    together = (" . ".join(sentences[n : n + _TOGETHER]) for n in range(len(sentences) - _TOGETHER + 1))
    return [*dict.fromkeys(together)]


@functools.cache
def rules() -> Rules:
    """The rules of the file."""
    return parsed((resources.files(__package__) / "rules.txt").read_text(encoding="utf-8"))


def parsed(text: str) -> Rules:
    """The rules of a text in the form of `rules.txt`.

    Raises ValueError: a heading, a kind, a list or a pattern is wrong.
    """
    lists: dict[str, Wording] = {}
    found = []
    unweighed: tuple[Wording, ...] = ()
    kinds = {kind: kind for kind in get_args(NoticeKind)}
    for is_list, name, unless, lines in _sections(text):
        if is_list:
            lists[name] = Wording("|".join(item.strip() for line in lines for item in line.split(" | ")), dict(lists))
            continue
        wordings = tuple(Wording(line, dict(lists)) for line in lines)
        if name == _UNWEIGHED:
            unweighed = wordings
            continue
        if name not in kinds:
            raise ValueError(f"unknown kind {name!r} in the rules; use one of {', '.join(kinds)}")
        found.append(Rule(kinds[name], wordings, tuple(Wording(f"<{excuse}>", lists) for excuse in unless.split())))
    return Rules(tuple(found), unweighed)


def _sections(text: str) -> list[tuple[bool, str, str, list[str]]]:
    """Of each section: whether it is a list, its name, what excuses it, and its lines."""
    sections: list[tuple[bool, str, str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("["):
            heading = _HEADING.fullmatch(line.strip())
            if heading is None:
                raise ValueError(f"the heading {line!r} of the rules is not [list NAME] or [KIND unless LIST ...]")
            sections.append((bool(heading[1]), heading[2], heading[3] or "", []))
        elif line.strip() and not line.startswith("#"):
            sections[-1][3].append(line)
    return sections


_TOKEN = re.compile(r"[a-z0-9]+|[.?!;:]+")
_APOSTROPHES = re.compile("['’‘`´ʼ\u00ad\u200b-\u200f\u2060\ufeff]")
_QUOTED = re.compile(r"[\"“”„«»][^\"“”„«»]*[\"“”„«»]")
_OWN = re.compile(r"\b(?:i|im|my|me)\b", re.IGNORECASE)

_SPELLINGS = tables("language/risk", "spellings")
_MENDED = {wrong: right for right, many in _SPELLINGS["misspelt"].items() for wrong in many.split()}
_PAIRS: dict[str, str] = _SPELLINGS["pairs"]
_PAIR = re.compile(rf"\b(?:{'|'.join(_PAIRS)})\b")


def plain(text: str) -> str:
    """The words of a text with one space between them; the end of a sentence is a word of its own, a full stop.

    What others are quoted as saying is left out, unless the text speaks of its writer ("my son said ...").
    """
    folded = _without_quotes(_APOSTROPHES.sub("", without_accents(text).replace("ı", "i")).casefold())
    words = (_MENDED.get(word, word) if word[0].isalnum() else "." for word in _TOKEN.findall(folded))
    return _PAIR.sub(lambda found: _PAIRS[found[0]], " ".join(words))


def _without_quotes(text: str) -> str:
    if not _QUOTED.search(text):
        return text
    outside = _QUOTED.sub(" . ", text)
    return outside if re.search(r"\w", outside) and not _OWN.search(outside) else text
