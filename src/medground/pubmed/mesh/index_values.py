"""Expand `Mesh` and `PublicationType` queries into the values that records are indexed with.

A store compiles these queries by searching for any of the values: `heading`, `heading/qualifier` or `/qualifier`.
"""

from __future__ import annotations

from medground.pubmed.mesh.qualifiers import find_qualifier, narrower
from medground.pubmed.mesh.vocabulary import Vocabulary, vocabulary
from medground.query import Mesh, PublicationType


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
