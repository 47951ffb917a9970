"""The diseases with one phenotype or several, ranked by how many they share and how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from medground.graph.facts import SHOWN, by_frequency, counted, fact_of, finding_of, one_each
from medground.graph.finding import GraphFinding
from medground.graph.question import GraphQuestion
from medground.graph.relation import Concept, Relation
from medground.graph.store import GraphStore

_LIKELIHOOD = "likelihood of all of them in one patient, if they occur independently and as often as recorded"


def diseases_with(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    """The diseases with all phenotypes of a question, else with most of them."""
    if len(question.asked.phenotypes) > 1:
        return _with_several(store, question)
    ids = [concept.id for concept in question.phenotypes]
    direct = [r for r in store.relations(objects=ids, predicate="feature") if not r.excluded]
    direct.sort(key=by_frequency)
    diseases = {r.subject.id for r in direct}
    kinds = {kind for concept_id in ids for kind in store.descendants(concept_id)}
    nearly = {
        r.subject.id: r
        for r in sorted(store.relations(objects=kinds, predicate="feature"), key=by_frequency, reverse=True)
        if not r.excluded and r.subject.id not in diseases
    }
    asked = question.phenotypes[0]
    facts = [fact_of(r) for r in one_each(direct, lambda r: r.subject.id)]
    facts += [fact_of(r, asked) for r in sorted(nearly.values(), key=by_frequency)][: max(0, SHOWN - len(facts))]
    notes = [counted(SHOWN, len(diseases), "diseases, most frequent first,"), _caution(question)]
    if nearly:
        notes.append(f"diseases with only a more specific form of {asked.name}: {len(nearly):,}")
    return finding_of(store, question, facts, notes)


def _caution(question: GraphQuestion) -> str:
    return "a feature of a disease need not be caused by it" if question.asked.only_recorded else ""


@dataclass(frozen=True)
class _Ranked:
    """A disease, and the most frequent relation for each phenotype that it has."""

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
        found.sort(key=lambda r: (r.object.id not in ids, by_frequency(r)))
        for relation in one_each(found, lambda r: r.subject.id):
            having.setdefault(relation.subject.id, []).append((relation, meanings[0]))
    return [_Ranked(pairs[0][0].subject, tuple(pairs)) for pairs in having.values()]
