"""Split a query into tokens: words, quoted phrases, tags, operators, parentheses and range colons."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from medground.pubmed.characters import plain

TokenKind = Literal["word", "quoted", "tag", "operator", "open", "close", "colon", "history", "broken"]


@dataclass(frozen=True, slots=True)
class Token:
    """A token, without its quotes or brackets. `column` counts from 1."""

    kind: TokenKind
    text: str
    column: int


_DATE = r"\d{4}(?:/\d{1,2}){0,2}"
_TOKEN = re.compile(
    rf"""
    (?P<space>\s+)
  | "(?P<quoted>[^"]*)"
  | \[(?P<tag>[^\[\]"()]*)\]
  | (?P<open>\()
  | (?P<close>\))
  | (?P<operator>(?:AND|OR|NOT)(?![^\s()\[\]"])|[&|])
  | (?P<history>\#\d+)
  | (?P<date>{_DATE})(?=\s*:)
  | (?P<colon>(?<![^\d"\]\s(]):(?=\s*(?:["\d\[]|$)))
  | (?P<word>[^\s()\[\]"&|]+)
  | (?P<broken>.)
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens(text: str) -> list[Token]:
    """Split a query into tokens. This never fails: an unpaired quote or bracket becomes a `broken` token."""
    found: list[Token] = []
    for match in _TOKEN.finditer(plain(text)):
        kind = match.lastgroup
        if kind == "space" or kind is None:
            continue
        value = match[kind]
        if kind == "date":
            kind = "word"
        elif kind == "operator":
            value = {"&": "AND", "|": "OR"}.get(value, value)
        elif kind == "word" and ":" in value:
            value = _without_outer_colons(value)
        found.append(Token(kind, value, match.start() + 1))  # type: ignore[arg-type]
    return found


def _without_outer_colons(value: str) -> str:
    """Strip colons around a word. PubMed treats a colon inside a word as a space."""
    return value.strip(":") or ":"
