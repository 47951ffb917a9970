"""Filters: the meaning of `[sb]` and `[filter]`, and words that act as filters without a tag."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from medground.pubmed.characters import table
from medground.pubmed.combine import any_of
from medground.pubmed.dates import between, last_days
from medground.query import Everything, Mesh, Not, PublicationType, Query, Term


def _named(kind: str) -> dict[str, str]:
    """What names of a kind stand for, as `filters.tsv` has it."""
    return {name: meant for of, name, meant in table("filters.tsv") if of == kind}


WORDS = frozenset(_named("word"))
"""Filters that PubMed accepts without a tag."""
LANGUAGES: Mapping[str, str] = _named("language")
"""Language names accepted by PubMed, mapped to the codes used in records."""
_SYNONYMS, _MESH, _TYPES = _named("synonym"), _named("mesh"), _named("type")
_YEARS = {"y_1": 1, "y_5": 5, "y_10": 10}


def filtered(name: str, today: date) -> Query:
    """Return the query for a filter: a language, heading, publication type or period, or else a `subset` term."""
    name = " ".join(name.casefold().split())
    if name == "all":
        return Everything()
    joined = name.replace(" ", "").replace("-", "")
    if joined in _MESH:
        return any_of([Mesh(heading=heading) for heading in _MESH[joined].split("|")])
    if joined == "excludepreprints":
        return Not(part=PublicationType(name="preprint"))
    if joined in _TYPES:
        return PublicationType(name=_TYPES[joined])
    if name in LANGUAGES:
        return Term(value=LANGUAGES[name], field="language")
    if name in _YEARS and (found := last_days(f"last {_YEARS[name]} years", today)):
        return between("published", *found)
    return Term(value=_SYNONYMS.get(name, name), field="subset")
