"""Describe how a query was interpreted: its translation, terms with counts, and terms that were not found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from medground.pubmed import Translated, to_pubmed
from medground.pubmed.records_query import unsupported
from medground.pubmed.server.catalogue import Leaf, Reading
from medground.query import And, DateRange, Everything, Mesh, Not, Or, PublicationType, Query, Range, Term, fold

Count = Callable[[Query], int]
_Stack = Sequence[Leaf | str]
_NEVER_A_PHRASE = (Range, DateRange, Everything)


def read(translated: Translated, notes: tuple[str, ...], count: Count) -> Reading:
    """Return the reading of a translated query. `count` returns the number of records that a part matches."""
    stack: _Stack = fold(translated.query, lambda leaf: [_leaf(leaf, count)], _joined, _either)
    missing = tuple(f"not available in this corpus: {name}" for name in unsupported(translated.query))
    return Reading(
        translation=translated.text,
        translations=tuple((t.source, t.text) for t in translated.translations),
        stack=tuple(stack),
        not_found=tuple(dict.fromkeys(_not_found(translated, count))),
        notes=notes + missing,
    )


def _joined(parts: Sequence[tuple[_Stack, bool]]) -> _Stack:
    """Terms and operators of an `And` in postfix order, with GROUP after them; those of a `Not` alone have none."""
    if len(parts) == 1 and parts[0][1]:
        return [*parts[0][0], "NOT"]
    stack = list(parts[0][0])
    for part, left_out in parts[1:]:
        stack += [*part, "NOT" if left_out else "AND"]
    return [*stack, "GROUP"]


def _either(parts: Sequence[_Stack], best: bool) -> _Stack:
    stack = list(parts[0])
    for part in parts[1:]:
        stack += [*part, "OR"]
    return [*stack, "GROUP"]


def _leaf(query: Query, count: Count) -> Leaf:
    text = to_pubmed(query)
    field = text.rpartition("[")[2].rstrip("]").partition(":")[0]
    explode = isinstance(query, Mesh | PublicationType) and query.explode
    return Leaf(term=text, field=field, count=count(query), explode=explode)


def _not_found(translated: Translated, count: Count) -> Iterator[str]:
    """Yield the concepts and other terms that match no record."""
    concepts = {translation.query: translation.source for translation in translated.translations}
    joined: dict[Query, list[And | Or]] = {}
    for concept in concepts:
        if isinstance(concept, And | Or):
            joined.setdefault(concept.parts[0], []).append(concept)
    for part in _parts(translated.query, concepts, joined):
        if not isinstance(part, _NEVER_A_PHRASE) and count(part) == 0:
            yield concepts.get(part) or _words(part)


def _parts(query: Query, concepts: dict[Query, str], joined: dict[Query, list[And | Or]]) -> Iterator[Query]:
    """Yield the concepts of the tree as wholes, and the terms outside them. `joined`: concepts by their first part."""
    if query in concepts:
        yield query
    elif isinstance(query, And | Or):
        # Joining has flattened concepts next to terms under the same operator.
        parts = dict.fromkeys(query.parts)
        starting = (concept for part in parts for concept in joined.get(part, ()))
        inside = [c for c in starting if type(c) is type(query) and parts.keys() >= set(c.parts)]
        taken = {part for concept in inside for part in concept.parts}
        yield from inside
        for part in query.parts:
            if part not in taken:
                yield from _parts(part, concepts, joined)
    elif isinstance(query, Not):
        yield from _parts(query.part, concepts, joined)
    else:
        yield query


def _words(leaf: Query) -> str:
    """Return the term as searched, without quotation marks and tag if it was untagged."""
    text = to_pubmed(leaf)
    plain = isinstance(leaf, Term) and leaf.field in ("all", None)
    return leaf.value if plain and isinstance(leaf, Term) else text
