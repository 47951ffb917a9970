"""Filters defined as searches, as published by NLM, for records that are not labelled with the filter."""

from __future__ import annotations

from functools import cache

from medground.query import And, Not, Or, Phrase, PublicationType, Query, Term

_SYSTEMATIC = (
    *("", "literature", "scoping", "narrative", "qualitative", "evidence", "quantitative", "critical", "mapping"),
    *("mixed studies", "cochrane", "integrative"),
)
"""Kinds of systematic review that titles mention."""


@cache
def searched(name: str) -> Query | None:
    """Return the search that defines a filter; None if the filter is not a search or its search is not published."""
    match name:
        case "systematic":
            return _systematic()
        case "pubmednotmedline":
            return Not(part=_filter("medline"))
        case _:
            return None


def _systematic() -> Query:
    """`systematic[sb]`: indexed as a systematic review, titled as one, or a Cochrane review."""
    titles = (f"systematic {kind} review".replace("  ", " ") for kind in _SYSTEMATIC)
    named = Or(parts=tuple(Phrase(text=title, field="title") for title in (*titles, "systematic meta-review")))
    plans = (Term(value=word, field="title") for word in ("protocol", "protocols"))
    others = (*plans, PublicationType(name="comment"), _filter("medline"))
    cochrane = Term(value="Cochrane Database Syst Rev", field="journal")
    return Or(
        parts=(
            PublicationType(name="systematic review"),
            And(parts=(cochrane, PublicationType(name="review"))),
            And(parts=(named, *(Not(part=other) for other in others))),
        )
    )


def _filter(name: str) -> Query:
    return Term(value=name, field="subset")
