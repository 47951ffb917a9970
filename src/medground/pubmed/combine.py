"""Joining queries without nesting what need not be nested, so that equal questions have equal trees."""

from __future__ import annotations

from medground.query import And, Not, Or, Query


def both(left: Query, right: Query) -> Query:
    """Left and right; an `And` on either side is taken apart."""
    return And(parts=(*_parts(left, And), *_parts(right, And)))


def either(left: Query, right: Query) -> Query:
    """Left or right; an `Or` on either side is taken apart."""
    return Or(parts=(*_parts(left, Or), *_parts(right, Or)))


def without(left: Query, right: Query) -> Query:
    """Left, less right."""
    return And(parts=(*_parts(left, And), Not(part=right)))


def every(parts: list[Query]) -> Query:
    """All of the parts; the part itself when it is alone."""
    query = parts[0]
    for part in parts[1:]:
        query = both(query, part)
    return query


def some(parts: list[Query]) -> Query:
    """Any of the parts, without repeats; the part itself when it is alone."""
    distinct = list(dict.fromkeys(parts))
    query = distinct[0]
    for part in distinct[1:]:
        query = either(query, part)
    return query


def _parts(query: Query, kind: type[And] | type[Or]) -> tuple[Query, ...]:
    return query.parts if isinstance(query, kind) else (query,)
