"""Query text to tokens: words, quoted phrases, tags, operators, parentheses, and the colon of a range."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from medground.pubmed.characters import plain

TokenKind = Literal["word", "quoted", "tag", "operator", "open", "close", "colon", "history", "broken"]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text, without quotes and brackets. `column` counts from 1."""

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
    """Cut a query into tokens. Nothing is refused here: an unpaired quote or bracket is a `broken` token."""
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
            value = _without_range_colon(value)
        found.append(Token(kind, value, match.start() + 1))  # type: ignore[arg-type]
    return found


def _without_range_colon(value: str) -> str:
    """Inside a word a colon says nothing; PubMed reads it as a space."""
    return value.strip(":") or ":"
