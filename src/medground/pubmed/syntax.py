"""A query as written: terms with their tags, chained by operators. The parser makes it, the normaliser mends it.

It is not yet a query: words without a tag are still unmapped, headings unchecked, dates unread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from medground.pubmed.tags import TagUse

Operator = Literal["AND", "OR", "NOT"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """Words as typed, in single spaces, with the tag that follows them."""

    text: str
    use: TagUse | None = None
    quoted: bool = False
    column: int = 1


@dataclass(frozen=True, slots=True)
class Span:
    """`low:high[tag]`, as typed."""

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
    """`first OPERATOR node OPERATOR node ...`, read from left to right whatever the operators."""

    first: Node
    rest: tuple[tuple[Operator, Node], ...]


Node = Leaf | Span | Negated | Chain


def chained(first: Node, rest: list[tuple[Operator, Node]]) -> Node:
    """A chain, or the node itself when it stands alone."""
    return Chain(first, tuple(rest)) if rest else first


def written(node: Node) -> str:
    """The node as PubMed text. Mixed operators get parentheses that show the order in which they are read."""
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
    text = _inside(chain.first) if isinstance(chain.first, Chain) else written(chain.first)
    kinds = {operator == "OR" for operator, _ in chain.rest[:1]}
    if isinstance(chain.first, Chain) and of_one_kind(chain.first, chain.rest[0][0]):
        text = written(chain.first)
    for operator, node in chain.rest:
        if (operator == "OR") not in kinds:
            text, kinds = f"({text})", {operator == "OR"}
        text += f" {operator} {_inside(node)}"
    return text


def of_one_kind(chain: Chain, next_operator: Operator) -> bool:
    """A group at the front needs no parentheses when the operator that follows is of the kind of its own."""
    return all((operator == "OR") == (next_operator == "OR") for operator, _ in chain.rest)


def _inside(node: Node) -> str:
    return f"({written(node)})" if isinstance(node, Chain | Negated) else written(node)
