"""Shorten a query for a service that takes only so many AND, OR and NOT."""

from __future__ import annotations

from collections.abc import Iterable

from medground.query import And, Not, Or, Query, Words, all_of, any_of
from medground.text.words import FUNCTION_WORDS


def at_most(limit: int, query: Query) -> Query:
    """The query with at most `limit` connectors, counting one for each part after the first.

    The last parts of the longest alternatives go first, because synonyms come after the names that they stand for;
    where there are no more alternatives, the last conditions go.
    """
    shorter = _spelled_out(query)
    while _connectors(shorter) > limit and (less := _without_one(shorter)) is not None:
        shorter = less
    return shorter


def _parts(query: Query) -> tuple[Query, ...]:
    return query.parts if isinstance(query, And | Or) else (query.part,) if isinstance(query, Not) else ()


def _with(query: Query, parts: Iterable[Query]) -> Query:
    """The query with other parts."""
    if isinstance(query, And | Or):
        return query.model_copy(update={"parts": tuple(parts)})
    return Not(part=next(iter(parts))) if isinstance(query, Not) else query


def _spelled_out(query: Query) -> Query:
    if not isinstance(query, Words):
        return _with(query, map(_spelled_out, _parts(query)))
    wanted = [word for word in query.text.split() if word.casefold().strip(".,;:!?") not in FUNCTION_WORDS]
    return any_of([Words(text=word, field=query.field) for word in wanted]) if len(wanted) > 1 else query


def _connectors(query: Query) -> int:
    return max(len(_parts(query)) - 1, 0) + sum(map(_connectors, _parts(query)))


def _longest(query: Query) -> int:
    """The most parts of an alternative within; 0 if there is none."""
    own = len(query.parts) if isinstance(query, Or) else 0
    return max([own, *map(_longest, _parts(query))])


def _without_one(query: Query) -> Query | None:
    """The query without the last part of its longest alternative, or else of its conditions."""
    longest = _longest(query)
    if longest > 1:
        return _trimmed(query, longest)
    return all_of(query.parts[:-1]) if isinstance(query, And) and len(query.parts) > 1 else None


def _trimmed(query: Query, longest: int) -> Query:
    if isinstance(query, Or) and len(query.parts) == longest:
        return any_of(query.parts[:-1])
    parts = list(_parts(query))
    place = next(n for n, part in enumerate(parts) if _longest(part) == longest)
    parts[place] = _trimmed(parts[place], longest)
    return _with(query, parts)
