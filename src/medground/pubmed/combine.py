"""Join queries without needless nesting, so that equivalent queries have equal trees."""

from __future__ import annotations

from collections.abc import Iterable

from medground.query import And, Or, Query


def all_of(parts: Iterable[Query]) -> Query:
    """Match all of the parts. Nested `And`s are flattened, and a single part is returned unchanged."""
    flat = _flat(parts, And)
    return flat[0] if len(flat) == 1 else And(parts=flat)


def any_of(parts: Iterable[Query]) -> Query:
    """Match any of the parts. Nested `Or`s are flattened, and a single part is returned unchanged."""
    flat = _flat(parts, Or)
    return flat[0] if len(flat) == 1 else Or(parts=flat)


def _flat(parts: Iterable[Query], kind: type[And] | type[Or]) -> tuple[Query, ...]:
    return tuple(inner for part in parts for inner in (part.parts if isinstance(part, kind) else (part,)))
