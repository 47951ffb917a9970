"""Shorten a query for a service that takes only so many AND, OR and NOT."""

from __future__ import annotations

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


def _spelled_out(query: Query) -> Query:
    match query:
        case Words():
            wanted = [word for word in query.text.split() if word.casefold().strip(".,;:!?") not in FUNCTION_WORDS]
            return any_of([Words(text=word, field=query.field) for word in wanted]) if len(wanted) > 1 else query
        case And():
            return And(parts=tuple(map(_spelled_out, query.parts)))
        case Or():
            return Or(parts=tuple(map(_spelled_out, query.parts)))
        case Not():
            return Not(part=_spelled_out(query.part))
        case _:
            return query


def _connectors(query: Query) -> int:
    match query:
        case And() | Or():
            return len(query.parts) - 1 + sum(map(_connectors, query.parts))
        case Not():
            return _connectors(query.part)
        case _:
            return 0


def _longest(query: Query) -> int:
    """The most parts of an alternative within; 0 if there is none."""
    match query:
        case Or():
            return max(len(query.parts), *map(_longest, query.parts))
        case And():
            return max(map(_longest, query.parts))
        case Not():
            return _longest(query.part)
        case _:
            return 0


def _without_one(query: Query) -> Query | None:
    """The query without the last part of its longest alternative, or else of its conditions."""
    longest = _longest(query)
    if longest > 1:
        return _trimmed(query, longest)
    if isinstance(query, And) and len(query.parts) > 1:
        return all_of(query.parts[:-1])
    return None


def _trimmed(query: Query, longest: int) -> Query:
    match query:
        case Or() if len(query.parts) == longest:
            return any_of(query.parts[:-1])
        case Or() | And():
            for place, part in enumerate(query.parts):
                if _longest(part) == longest:
                    parts = (*query.parts[:place], _trimmed(part, longest), *query.parts[place + 1 :])
                    return query.model_copy(update={"parts": parts})
            return query
        case Not():
            return Not(part=_trimmed(query.part, longest))
        case _:
            return query
