"""MeSH qualifiers (subheadings), their abbreviations and their hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from medground.pubmed.characters import fold, table
from medground.pubmed.mesh.vocabulary import Vocabulary, vocabulary
from medground.values.query import Mesh, PublicationType

_ABBREVIATION_LENGTH = 2


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A qualifier, such as `drug therapy` (`DT`), with the abbreviations of those directly below it."""

    name: str
    abbreviation: str
    below: tuple[str, ...] = ()


@cache
def qualifiers() -> tuple[Qualifier, ...]:
    """Return all qualifiers, sorted by name."""
    rows = (Qualifier(name, short, tuple(below.split())) for short, name, below in table("qualifiers.tsv"))
    return tuple(sorted(rows, key=lambda q: q.name))


@cache
def _by_name() -> dict[str, Qualifier]:
    found = {fold(q.name): q for q in qualifiers()}
    found |= {fold(q.name.replace("&", "and")): q for q in qualifiers()}
    return found | {fold(q.abbreviation): q for q in qualifiers()}


def find_qualifier(name: str) -> Qualifier | None:
    """Find a qualifier by name (with `&` or `and`) or abbreviation, in any case. Returns None if not found."""
    return _by_name().get(fold(name))


def find_folded_qualifier(folded: str) -> Qualifier | None:
    """Find a qualifier by a name already passed through `fold`. Abbreviations are not accepted."""
    return _by_name().get(folded) if len(folded) > _ABBREVIATION_LENGTH else None


@cache
def narrower(name: str) -> tuple[str, ...]:
    """Return the qualifier's name and the names of all narrower qualifiers."""
    known = find_qualifier(name)
    below = (deeper for short in (known.below if known else ()) for deeper in narrower(_by_name()[fold(short)].name))
    return tuple(dict.fromkeys([name, *below]))


# Expand `Mesh` and `PublicationType` queries into the values that records are indexed with.


def mesh_values(query: Mesh, mesh: Vocabulary | None = None) -> tuple[str, ...]:
    """Return values such as `Asthma`, `Asthma/drug therapy`, or `/drug therapy` for any heading.

    A record matches if it has any of them. A heading that is not in the vocabulary is returned unchanged.
    """
    mesh = mesh or vocabulary()
    below = _below(query.heading, mesh) if query.heading and query.explode else (query.heading or "",)
    attached = [value for name in query.qualifiers for value in _qualifiers(name, explode=query.explode)]
    if not attached:
        return below
    return tuple(f"{heading}/{qualifier}" for heading in below for qualifier in dict.fromkeys(attached))


def publication_types(query: PublicationType) -> tuple[str, ...]:
    """Return publication types; a record matches if it has any of them."""
    return _below(query.name, vocabulary()) if query.explode else (query.name,)


def _below(name: str, mesh: Vocabulary) -> tuple[str, ...]:
    heading = mesh.find(name)
    return (name,) if heading is None else tuple(below.name for below in mesh.explode(heading))


def _qualifiers(name: str, *, explode: bool) -> tuple[str, ...]:
    found = find_qualifier(name)
    if found is None:
        return (name,)
    return narrower(found.name) if explode else (found.name,)
