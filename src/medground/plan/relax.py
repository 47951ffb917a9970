"""Widen a query that finds too little. Not in the paper, where 54.1 % of the failures are such queries (appendix J)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from medground.operators.keyless.mentions import POOR
from medground.pubmed.mesh import vocabulary
from medground.pubmed.printer import to_pubmed
from medground.query import And, FieldName, Mesh, Near, Not, Or, Phrase, Query, Term, Words, all_of, any_of


@dataclass(frozen=True)
class PubMedQuery:
    """A query in PubMed's syntax and as a tree."""

    text: str
    tree: Query


_LIMITS: frozenset[FieldName] = frozenset(
    ["language", "publication_type", "subset", "kind", "year", "retraction", "journal"]
)
"""Fields that limit a search but do not name its subject."""


Count = Callable[[PubMedQuery], Awaitable[int]]
"""Counts the documents that a query finds."""


def as_pubmed(tree: Query) -> PubMedQuery:
    """A tree with its text in PubMed's syntax."""
    return PubMedQuery(to_pubmed(tree), tree)


async def relaxed(query: PubMedQuery, count: Count, enough: int) -> PubMedQuery:
    """The narrowest of the wider queries (`ladder`) that finds `enough` documents; the widest if none does.

    Each step of the ladder finds all that the one before it finds, so a binary search decides: a query with n parts
    takes about log2(n) counts. Leading parts that find nothing at all are left out. If the widest finds too little, the
    headings above its own in the MeSH tree join it, step by step.
    """
    parts = _subjects(query.tree)
    steps = [query, *map(as_pubmed, ladder(query.tree))]
    low, high = 0, len(steps) - 1  # the answer lies in low..high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if await count(steps[middle]) >= enough else (middle + 1, high)
    found = await count(steps[low])
    if found >= enough:
        if len(parts) > 1 and low == len(steps) - 1 and (empty := await _empty(parts, count)):
            left = [part for part in conjuncts(query.tree) if part not in empty]
            return await relaxed(as_pubmed(all_of(left)), count, enough)
        return steps[low]
    return await _risen(steps[low], count, enough)


async def _empty(parts: Sequence[Query], count: Count) -> list[Query]:
    """The leading parts that find nothing on their own."""
    found: list[Query] = []
    for part in parts:
        if await count(as_pubmed(part)):
            break
        found.append(part)
    return found


def ladder(tree: Query) -> list[Query]:
    """Ever wider queries, without the query itself.

    Parts that name no subject (Humans, years, "not reviews") go first. Then fewer and fewer leading parts are
    required, and at least one of the others, so that no subject of the query is lost; at last any part will do.
    """
    parts = _subjects(tree)
    fewer = [all_of([*parts[:required], any_of(parts[required:])]) for required in range(len(parts) - 1, 0, -1)]
    steps = [*fewer, any_of(parts)] if len(parts) > 1 else parts
    return [step for step in steps if step != tree]


async def _risen(query: PubMedQuery, count: Count, enough: int) -> PubMedQuery:
    """The query with the headings above its own in the MeSH tree, until it finds `enough` or no longer gains."""
    found = await count(query)
    while found < enough and (tree := _one_up(query.tree)) != query.tree:
        wider = as_pubmed(tree)
        gained = await count(wider)
        if gained <= found:
            break
        query, found = wider, gained
    return query


def _one_up(tree: Query) -> Query:
    """The same tree with each heading OR the one above it; top headings stay alone."""
    if isinstance(tree, Mesh) and tree.heading and (heading := vocabulary().find(tree.heading)):
        parents = [p for p in vocabulary().parents(heading) if any("." in t for t in p.trees)]
        return any_of([tree, tree.model_copy(update={"heading": parents[0].name})]) if parents else tree
    if isinstance(tree, And):
        return all_of([_one_up(part) for part in tree.parts])
    return any_of(list(dict.fromkeys(_alternatives(map(_one_up, tree.parts))))) if isinstance(tree, Or) else tree


def _alternatives(parts: Iterable[Query]) -> Iterator[Query]:
    for part in parts:
        yield from part.parts if isinstance(part, Or) else (part,)


def _subjects(tree: Query) -> list[Query]:
    """The AND-parts that name a subject, each once, in order; all parts if none does, as the rest match anything."""
    parts = list(dict.fromkeys(conjuncts(tree)))
    return [part for part in parts if _names_subject(part)] or parts


def _names_subject(tree: Query) -> bool:
    match tree:
        case Or() if headings := [part for part in tree.parts if isinstance(part, Mesh)]:
            return any(map(_names_subject, headings))  # the words beside a heading are its names
        case And() | Or():
            return any(map(_names_subject, tree.parts))
        case Mesh():
            return tree.heading is not None and tree.heading.casefold() not in POOR
        case Term() | Phrase() | Near() | Words():
            return tree.field not in _LIMITS
        case _:
            return False


def same(one: Query, other: Query) -> bool:
    """Whether two trees ask for the same, but for the order of their parts and needless brackets."""
    return _unordered(one) == _unordered(other)


def _unordered(tree: Query) -> object:
    if isinstance(tree, Or):
        return "or", frozenset(map(_unordered, _alternatives(_alternatives(tree.parts))))
    return ("and", frozenset(map(_unordered, tree.parts))) if isinstance(tree, And) else tree


def conjuncts(tree: Query) -> Sequence[Query]:
    """The parts of a tree that must all match."""
    return tree.parts if isinstance(tree, And) else (tree,)


def headings_of(tree: Query) -> list[str]:
    """The MeSH headings in a tree, in order, including those under NOT."""
    if isinstance(tree, Mesh):
        return [tree.heading] if tree.heading else []
    if isinstance(tree, (And, Or)):
        return [name for part in tree.parts for name in headings_of(part)]
    return [] if not isinstance(tree, Not) else headings_of(tree.part)
