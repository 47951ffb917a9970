"""The syntax tree of a query, its tokens, and syntax errors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from medground.errors import UsageError
from medground.pubmed.characters import plain
from medground.pubmed.tags import TagUse

Operator = Literal["AND", "OR", "NOT"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """Words as typed, separated by single spaces, and the tag that follows them."""

    text: str
    use: TagUse | None = None
    quoted: bool = False
    column: int = 1


@dataclass(frozen=True, slots=True)
class Span:
    """A range as typed: `low:high[tag]`."""

    low: str
    high: str
    use: TagUse
    column: int = 1


@dataclass(frozen=True, slots=True)
class Negated:
    """`NOT node` with nothing before it."""

    node: Node


@dataclass(frozen=True, slots=True)
class Chain:
    """`first OPERATOR node OPERATOR node ...`, evaluated from left to right without precedence."""

    first: Node
    rest: tuple[tuple[Operator, Node], ...]


Node = Leaf | Span | Negated | Chain


def chained(first: Node, rest: list[tuple[Operator, Node]]) -> Node:
    """Return a chain, or just the node if there is nothing to chain."""
    return Chain(first, tuple(rest)) if rest else first


def to_text(node: Node) -> str:
    """Print the node as PubMed text, with parentheses around mixed operators to show the order of evaluation."""
    match node:
        case Leaf():
            words = f'"{node.text}"' if node.quoted else node.text
            return words + (node.use.text if node.use else "")
        case Span():
            return f"{node.low}:{node.high}{node.use.text}"
        case Negated():
            return f"NOT {_inside(node.node)}"
        case Chain():
            return _chain(node)


def _chain(chain: Chain) -> str:
    text = _inside(chain.first) if isinstance(chain.first, Chain) else to_text(chain.first)
    kinds = {operator == "OR" for operator, _ in chain.rest[:1]}
    if isinstance(chain.first, Chain) and of_one_kind(chain.first, chain.rest[0][0]):
        text = to_text(chain.first)
    for operator, node in chain.rest:
        if (operator == "OR") not in kinds:
            text, kinds = f"({text})", {operator == "OR"}
        text += f" {operator} {_inside(node)}"
    return text


def of_one_kind(chain: Chain, next_operator: Operator) -> bool:
    """Whether a leading group needs no parentheses, because the next operator is of the same kind."""
    return all((operator == "OR") == (next_operator == "OR") for operator, _ in chain.rest)


def _inside(node: Node) -> str:
    return f"({to_text(node)})" if isinstance(node, Chain | Negated) else to_text(node)


# Split a query into tokens: words, quoted phrases, tags, operators, parentheses and range colons.

TokenKind = Literal["word", "quoted", "tag", "operator", "open", "close", "colon", "history", "broken"]


@dataclass(frozen=True, slots=True)
class Token:
    """A token, without its quotes or brackets. `column` counts from 1."""

    kind: TokenKind
    text: str
    column: int


_DATE = r"\d{4}(?:/\d{1,2}){0,2}"
_PLAIN = r"[^\s()\[\]\"&|]+"
_NAMED = rf"{_PLAIN}(?:\([^\s()\[\]\"]*\)(?:{_PLAIN})?){{1,4}}"
"""A word with brackets in it, as DOIs and PIIs have them: `10.1000/ab(c)1`, `S0929-693X(17)30517-1`."""
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
  | (?P<first>\d+)(?=\s*:\s*\d+\s*\[\s*(?i:uid|pmid)\s*\])
  | (?P<name>(?=10\.\d{{4,9}}/){_NAMED}|{_NAMED}(?=\s*\[\s*(?i:aid|doi|lid|pii|article\ identifier|location\ id)\s*\]))
  | (?P<colon>(?<![^\d"\]\s(]):(?=\s*(?:["\d\[]|$)))
  | (?P<word>{_PLAIN})
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
        if kind in ("date", "first", "name"):
            kind = "word"
        elif kind == "operator":
            value = {"&": "AND", "|": "OR"}.get(value, value)
        elif kind == "word" and ":" in value:
            value = value.strip(":") or ":"  # PubMed treats a colon inside a word as a space
        found.append(Token(kind, value, match.start() + 1))  # type: ignore[arg-type]
    return found


class QuerySyntaxError(UsageError):
    """The query is not valid: `reason` says why, and `column` (from 1) says where."""

    def __init__(self, reason: str, column: int) -> None:
        self.reason = reason
        self.column = column
        super().__init__(f"invalid query at column {column}: {reason}")
