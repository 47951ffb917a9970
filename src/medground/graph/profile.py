"""What the graph holds on a bare name: a disease, a phenotype, a gene, or several of these at once."""

from __future__ import annotations

from collections.abc import Iterator

from medground.graph.facts import SHOWN, counted, fact_of, finding_of, one_each
from medground.graph.finding import GraphFact, GraphFinding
from medground.graph.lists import ASSOCIATION, diseases_of, features, genes, inheritance, onset
from medground.graph.question import GraphQuestion
from medground.graph.relation import Relation, by_frequency
from medground.graph.store import GraphStore

_Section = tuple[str, list[Relation], int]
"""What its relations are, all of them, and the most that are shown."""


def profile(store: GraphStore, question: GraphQuestion) -> GraphFinding | None:
    """A few relations of every kind; the note says how many there are."""
    kinds = [kind for kind in ("phenotypes", "diseases", "genes") if getattr(question, kind)]
    room = SHOWN // len(kinds)
    facts: list[GraphFact] = []
    notes: list[str] = []
    if len(kinds) > 1:
        names = " and of ".join(f"a {kind.removesuffix('s')}" for kind in kinds)
        notes.append(f"this is the name of {names}; each is shown")
    for number, kind in enumerate(kinds, start=1):
        left = room * number - len(facts)
        for what, found, most in _SECTIONS[kind](store, question):
            shown = [fact for relation in found if (fact := fact_of(relation)) not in facts][: min(most, left)]
            left -= len(shown)
            facts += shown
            notes.append(counted(len(shown), len(found), what) or f"no {what} recorded")
    if not facts:
        return None
    if question.diseases or question.genes:
        notes.append(ASSOCIATION)
    return finding_of(store, question, facts, notes)


def _disease(store: GraphStore, question: GraphQuestion) -> Iterator[_Section]:
    diseases = question.diseases
    yield "modes of inheritance", one_each(inheritance(store, diseases), lambda r: r.object.id), 3
    yield "ages of onset", one_each(onset(store, diseases), lambda r: r.object.id), 2
    yield "genes", one_each(genes(store, diseases), lambda r: r.object.id), 3
    yield "features, most frequent first,", one_each(features(store, diseases), lambda r: r.object.id), SHOWN


def _phenotype(store: GraphStore, question: GraphQuestion) -> Iterator[_Section]:
    ids = [concept.id for concept in question.phenotypes]
    yield "definitions", store.relations(subjects=ids, predicate="definition"), 2
    having = sorted((r for r in store.relations(objects=ids, predicate="feature") if not r.excluded), key=by_frequency)
    yield "diseases with it, most frequent first,", one_each(having, lambda r: r.subject.id), 5


def _gene(store: GraphStore, question: GraphQuestion) -> Iterator[_Section]:
    yield "diseases, those with the fewest genes first,", diseases_of(store, question.genes), SHOWN


_SECTIONS = {"phenotypes": _phenotype, "diseases": _disease, "genes": _gene}
