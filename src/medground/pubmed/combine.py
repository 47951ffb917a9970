"""Joining queries without nesting what need not be nested, so that equal questions have equal trees."""

from __future__ import annotations

from collections.abc import Iterable

from medground.query import And, Or, Query


def every(parts: Iterable[Query]) -> Query:
    """All of the parts; an `And` among them is taken apart, and a part that is alone stays as it is."""
    flat = _flat(parts, And)
    return flat[0] if len(flat) == 1 else And(parts=flat)


def some(parts: Iterable[Query]) -> Query:
    """Any of the parts; an `Or` among them is taken apart, and a part that is alone stays as it is."""
    flat = _flat(parts, Or)
    return flat[0] if len(flat) == 1 else Or(parts=flat)


def _flat(parts: Iterable[Query], kind: type[And] | type[Or]) -> tuple[Query, ...]:
    return tuple(inner for part in parts for inner in (part.parts if isinstance(part, kind) else (part,)))
