"""The diseases with one phenotype or several, ranked by how many they share and how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from medground.graph.facts import SHOWN, counted, fact_of, finding_of, one_each
from medground.graph.finding import GraphFinding
from medground.graph.names import name_key
from medground.graph.question import GraphQuestion
from medground.graph.relation import Concept, Relation, by_frequency
from medground.graph.store import GraphStore

_MANY = 10
"""Fewer patients say less than a range that experts estimated."""
_LIKELIHOOD = "likelihood of all of them in one patient, if they occur independently and as often as recorded"


def diseases_with(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    """The diseases with all phenotypes of a question, else with most of them."""
    if len(question.asked.phenotypes) > 1:
        return _with_several(store, question)
    ids = [concept.id for concept in question.phenotypes]
    direct = [r for r in store.relations(objects=ids, predicate="feature") if not r.excluded]
    direct.sort(key=by_frequency)
    diseases = {_same(r) for r in direct}
    kinds = {kind for concept_id in ids for kind in store.descendants(concept_id)}
    nearly = {
        _same(r): r
        for r in sorted(store.relations(objects=kinds, predicate="feature"), key=by_frequency, reverse=True)
        if not r.excluded and _same(r) not in diseases
    }
    asked = question.phenotypes[0]
    facts = [fact_of(r) for r in one_each(direct, _same)]
    facts += [fact_of(r, asked) for r in sorted(nearly.values(), key=by_frequency)][: max(0, SHOWN - len(facts))]
    notes = [counted(SHOWN, len(diseases), "diseases, most frequent first,"), _caution(question)]
    if nearly:
        notes.append(f"diseases with only a more specific form of {asked.name}: {len(nearly):,}")
    return finding_of(store, question, facts, notes)


def _same(relation: Relation) -> str:
    """The key of a disease: the entries of OMIM and Orphanet with one name are one disease."""
    return name_key(relation.subject.name)


def _caution(question: GraphQuestion) -> str:
    return "a feature of a disease need not be caused by it" if question.asked.only_recorded else ""


@dataclass(frozen=True)
class _Ranked:
    """A disease, and the most frequent relation of any of its entries for each phenotype that it has."""

    disease: Concept
    relations: tuple[tuple[Relation, Concept], ...]

    @property
    def order(self) -> tuple[int, float, str]:
        shares = [r.frequency.least if r.frequency else 0.01 for r, _ in self.relations]
        return (-len(self.relations), -prod(shares), self.disease.id)

    @property
    def likelihood(self) -> str:
        """`14%`, `9-62%`; "not recorded" if a frequency is missing."""
        shares = [r.frequency for r, _ in self.relations if r.frequency]
        if len(shares) < len(self.relations):
            return "not recorded"
        low, high = prod(s.low for s in shares), prod(s.high for s in shares)
        return f"{low:.0%}" if f"{low:.0%}" == f"{high:.0%}" else f"{low:.0%} to {high:.0%}"


def _with_several(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    names = question.asked.phenotypes
    ranked = sorted(_ranked(store, [mention.concepts for mention in names]), key=lambda one: one.order)
    most = len(ranked[0].relations) if ranked else 0
    if most < 2 and question.asked.joint == "and":
        return finding_of(store, question, [], [f"no disease of {store.name} is recorded with all of them"])
    best = [one for one in ranked if len(one.relations) == most]
    shown = best[: max(1, SHOWN // most)]
    facts = [fact_of(relation, asked) for one in shown for relation, asked in one.relations]
    what = f"diseases with all {most} of them" if most == len(names) else f"diseases with {most} of the {len(names)}"
    odds = "; ".join(f"{one.disease.label} {one.likelihood}" for one in shown)
    notes = [
        _caution(question),
        "" if most == len(names) else "no disease is recorded with all of them",
        counted(len(shown), len(best), f"{what}, most frequent first,"),
        f"{_LIKELIHOOD}: {odds}",
    ]
    answer = ", ".join(dict.fromkeys(one.disease.name for one in shown))
    return finding_of(store, question, facts, notes, answer=answer)


def _ranked(store: GraphStore, phenotypes: Sequence[Sequence[Concept]]) -> list[_Ranked]:
    having: dict[str, list[tuple[Relation, Concept]]] = {}
    for meanings in phenotypes:
        ids = {c.id for c in meanings}
        kinds = ids.union(*(store.descendants(i) for i in ids))
        found = [r for r in store.relations(objects=kinds, predicate="feature") if not r.excluded]
        # A more specific form entails what is asked; its frequency is better than none. A count is better than a range.
        found.sort(key=lambda r: (r.frequency is None, r.object.id not in ids, not _counted(r), by_frequency(r)))
        for relation in one_each(found, _same):
            having.setdefault(_same(relation), []).append((relation, _meant(store, meanings, relation)))
    return [_Ranked(_first_entry(pairs), tuple(pairs)) for pairs in having.values()]


def _counted(relation: Relation) -> bool:
    found = relation.frequency
    return found is not None and (found.patients or 0) >= _MANY


def _meant(store: GraphStore, meanings: Sequence[Concept], relation: Relation) -> Concept:
    """The meaning that the relation entails."""
    kin = {relation.object.id, *store.ancestors(relation.object.id)} if len(meanings) > 1 else set[str]()
    return next((meaning for meaning in meanings if meaning.id in kin), meanings[0])


def _first_entry(pairs: Sequence[tuple[Relation, Concept]]) -> Concept:
    return min((relation.subject for relation, _ in pairs), key=lambda disease: disease.id)
