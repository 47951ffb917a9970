"""The graph of the starter corpus as concepts: what its documents state about a term, line by line."""

from __future__ import annotations

from typing import get_args

from rapidfuzz import fuzz, process

from medground.graph.concepts.entry import ConceptEntry, Neighbour
from medground.graph.concepts.nearest import nearest
from medground.graph.concepts.rows import NEAREST, Named, StatedRow
from medground.graph.facts import by_frequency
from medground.graph.names import name_key
from medground.graph.relation import Concept, ConceptKind, Relation, StatedAt
from medground.graph.store import GraphStore
from medground.graph.wording import line, sentence

_KINDS: tuple[ConceptKind, ...] = get_args(ConceptKind)
_UNKNOWN = -1
_SPELT_ALIKE = 80
"""Least share of letters in common, in percent, of a name and a misspelt term."""


class HpoConcepts:
    """Reads terms and lines from the stored facts of a `GraphStore`."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    def named(self, term: str) -> Named:
        """The concepts that a term names: by id, name or exact synonym, else the one with this related synonym."""
        if found := self._store.find(term, *_KINDS):
            return Named(tuple((concept.id, concept.name) for concept in found), _named_by(term, found[0]))
        weakly = self._store.find_weakly(term, *_KINDS)
        return Named(tuple((concept.id, concept.name) for concept in weakly), "related")

    def rows(self, concept_id: str) -> list[StatedRow]:
        """The definition, the relations that the concept's document states, and those that others state of it."""
        store = self._store
        own = sorted(store.relations(subjects=[concept_id]), key=_often)
        rows = [_row(relation) for relation in own]
        for child, parent in store.kin(concept_id):
            stated = f"{parent.label}."
            rows.append(
                StatedRow(StatedAt(child.id, 0, _UNKNOWN), stated, f"{child.name} is a kind of {stated}", "is_a")
            )
        return rows + [_row(relation) for relation in store.relations(objects=[concept_id]) if not _defines(relation)]

    def entry(self, concept_id: str, name: str) -> ConceptEntry:
        """A concept with its synonyms and its neighbours in the ontology."""
        kin = self._store.kin(concept_id)
        return ConceptEntry(
            concept_id,
            name,
            synonyms=tuple(text for text in self._store.synonyms(concept_id) if text != name),
            above=tuple(Neighbour(up.id, up.name) for down, up in kin if down.id == concept_id),
            below=tuple(Neighbour(down.id, down.name) for down, up in kin if up.id == concept_id),
        )

    def nearest(self, term: str) -> tuple[str, ...]:
        """The stored names closest to a term; where none begins like it, those that are spelt like it."""
        if found := nearest(term, self._store.names_like(term), NEAREST):
            return found
        alike = process.extract(term, self._store.names, scorer=fuzz.ratio, score_cutoff=_SPELT_ALIKE, limit=NEAREST)
        return tuple(dict.fromkeys(name for name, *_ in alike))


def _named_by(term: str, concept: Concept) -> str:
    """How a term names a concept: by its id, its name, or an exact synonym."""
    if term.strip().casefold() == concept.id.casefold():
        return "id"
    return "name" if name_key(term) == name_key(concept.name) else "exact"


def _row(relation: Relation) -> StatedRow:
    place = relation.place or StatedAt(relation.subject.id, 0, _UNKNOWN)
    ranked = relation.subject.definition if _defines(relation) else sentence(relation)
    return StatedRow(place, line(relation), ranked, relation.predicate)


def _defines(relation: Relation) -> bool:
    return relation.predicate == "definition"


def _often(relation: Relation) -> float:
    return by_frequency(relation)[0]
