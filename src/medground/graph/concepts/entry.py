"""What a graph says a concept is: its names and its place, and where its documents state it."""

from __future__ import annotations

from typing import NamedTuple

from medground.document import Passage


class Neighbour(NamedTuple):
    """A concept directly above or below another one."""

    id: str
    name: str


class ConceptEntry(NamedTuple):
    """A concept with its synonyms, and the concepts directly above and below it."""

    id: str
    name: str
    synonyms: tuple[str, ...] = ()
    above: tuple[Neighbour, ...] = ()
    below: tuple[Neighbour, ...] = ()


class ConceptFound(NamedTuple):
    """What a graph knows of a term.

    Attributes:
        term: as it was given.
        source: the graph, such as `graph:HPO 2025-01-16`.
        entries: the concepts that the term names; none if it names none.
        by: how the term names them: `id`, `name`, `exact` (a synonym), `related` and so on; empty if it names none.
        lines: what documents state about them, verbatim, the definition first.
        nearest: the names closest to a term that names no concept.
    """

    term: str
    source: str
    entries: tuple[ConceptEntry, ...] = ()
    by: str = ""
    lines: tuple[Passage, ...] = ()
    nearest: tuple[str, ...] = ()
