"""Reads `rules.txt`: which wordings mean that a person is at risk."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import get_args

from medground.notice import NoticeKind

_HEADING = re.compile(r"\[(list )?([a-z-]+)(?: unless ([a-z ]+))?\]")
_LIST = re.compile(r"<([a-z]+)>")
_GROUP = re.compile(r"(?<!\\)\((?!\?)")
_AND = " & "
_UNWEIGHED = "unweighed"
_OWN_VOICE = r"^(?=.*\b(?:i|me|my|myself)\b).*\b"


@dataclass(frozen=True)
class Rule:
    """The wordings under one heading; `pattern` must occur, `unless` must not."""

    kind: NoticeKind
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None

    def fires(self, words: str) -> bool:
        """Whether the words of a question call for a notice of this kind."""
        return bool(self.pattern.search(words)) and not (self.unless and self.unless.search(words))


@functools.cache
def _file() -> tuple[tuple[Rule, ...], re.Pattern[str] | None]:
    return _read((resources.files(__package__) / "rules.txt").read_text(encoding="utf-8"))


def rules() -> tuple[Rule, ...]:
    """All rules, in the order of the file."""
    return _file()[0]


def may_be_weighed(words: str) -> bool:
    """Whether the words of a question, where no rule fires, may still be weighed: no denial, no scholar's question."""
    unweighed = _file()[1]
    return not (unweighed and unweighed.search(words))


def parsed(text: str) -> tuple[Rule, ...]:
    """The rules of a text in the form of `rules.txt`.

    Raises:
        ValueError: a heading, a kind, a list or a pattern is wrong.
    """
    return _read(text)[0]


def _read(text: str) -> tuple[tuple[Rule, ...], re.Pattern[str] | None]:
    lists: dict[str, str] = {}
    found = []
    unweighed = None
    kinds = {kind: kind for kind in get_args(NoticeKind)}
    for is_list, name, unless, lines in _sections(text):
        if is_list:
            lists[name] = "|".join(item.strip() for line in lines for item in line.split(" | "))
            continue
        pattern = _compiled("|".join(map(_line, lines)), lists)
        if name == _UNWEIGHED:
            unweighed = pattern
            continue
        if name not in kinds:
            raise ValueError(f"unknown kind {name!r} in the rules; use one of {', '.join(kinds)}")
        excuses = "|".join(f"<{excuse}>" for excuse in unless.split())
        excuse = _compiled(_line(excuses), lists) if excuses else None
        found.append(Rule(kinds[name], pattern, excuse))
    return tuple(found), unweighed


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


def _compiled(pattern: str, lists: Mapping[str, str]) -> re.Pattern[str]:
    gap = r"(?:(?!(?:<no>|<talk>) )\w+ ){0,8}?"
    pattern = pattern.replace("<own> ", _OWN_VOICE).replace("... ", gap)
    while (named := _LIST.search(pattern)) is not None:
        if named[1] not in lists:
            raise ValueError(f"the rules have no [list {named[1]}] before its use")
        pattern = pattern.replace(named[0], f"(?:{lists[named[1]]})")
    return re.compile(_GROUP.sub("(?:", pattern))


def _line(line: str) -> str:
    """A line as a pattern: whole words, or several of them in any order ("A & B")."""
    signs = line.split(_AND)
    if len(signs) == 1:
        return rf"\b(?:{line})\b"
    return "^" + "".join(rf"(?=.*\b(?:{sign})\b)" for sign in signs)
