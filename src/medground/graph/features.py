"""Whether, and how often, a disease has a phenotype: for one or several of each, and for some, most or all patients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.graph.facts import fact_of, finding_of, labels, names_of
from medground.graph.finding import FindingStatus, GraphFact, GraphFinding
from medground.graph.question import GraphQuestion
from medground.graph.relation import Concept, Relation, by_frequency
from medground.graph.store import GraphStore

_AMOUNTS = {
    "common": (0.3, "“common” is read as at least 30% of patients, which the ontology calls frequent"),
    "rare": (0.05, "“rare” is read as less than 5% of patients, which the ontology calls very rare"),
    "most": (0.5, "“most” is read as more than half of the patients"),
    "all": (1.0, "“all” is read as every patient"),
}
_FEW = 10
"""Fewer counted patients do not show that all have a feature."""
_OPPOSITE = {"yes": "no", "no": "yes", "": ""}


@dataclass(frozen=True)
class _Part:
    """What is stored of one phenotype in one disease, by any of their meanings."""

    status: FindingStatus
    facts: tuple[GraphFact, ...] = ()
    notes: tuple[str, ...] = ()
    shares: tuple[tuple[float, float], ...] = ()
    """The least and the greatest share of patients, for each relation that has one."""


def feature(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    """Whether and how often diseases have phenotypes, or more specific forms of them."""
    asked = question.asked
    parts = [_part(store, d.concepts, p.concepts) for p in asked.phenotypes for d in asked.diseases]
    several = len(parts) > 1
    names = [(p.text, d.text) for p in asked.phenotypes for d in asked.diseases]
    notes = list(dict.fromkeys(note for part in parts for note in part.notes))
    if several:
        notes += [f"{p} in {d}: not recorded" for part, (p, d) in zip(parts, names, strict=True) if not part.facts]
    facts = [fact for part in parts for fact in part.facts]
    status = parts[0].status if not several else "recorded" if facts else "not recorded"
    closed = _joined([_closed(part, asked.amount) for part in parts], asked.joint)
    if facts and asked.closed and asked.amount != "any":
        notes.append(_AMOUNTS[asked.amount][1])
        if not closed:
            notes.append("the recorded frequencies do not decide it")
    if status == "seen in none":
        notes.append("seen in none of the patients counted, which is not enough for a no")
    if asked.negated and facts:
        closed = _OPPOSITE[closed]
        notes.append("the question asks whether it is absent")
    found = finding_of(store, question, facts, notes, status=status)
    return found.model_copy(update={"closed": closed})


def _closed(part: _Part, amount: str) -> str:
    if amount == "any" or not part.facts:
        return {"recorded": "yes", "excluded": "no"}.get(part.status, "")
    answers = {_of_share(low, high, amount) for low, high in part.shares}
    return answers.pop() if len(answers) == 1 else ""


def _of_share(low: float, high: float, amount: str) -> str:
    """Whether a share of patients is that amount for certain."""
    least = _AMOUNTS[amount][0]
    if amount == "rare":
        return "yes" if high < least else "no" if low >= least else ""
    if amount == "most":
        return "yes" if low > least else "no" if high <= least else ""
    return "yes" if low >= least else "no" if high < least else ""


def _joined(answers: Sequence[str], joint: str) -> str:
    if joint == "or":
        return "yes" if "yes" in answers else "no" if set(answers) == {"no"} else ""
    return "no" if "no" in answers else "yes" if set(answers) == {"yes"} else ""


def _part(store: GraphStore, diseases: Sequence[Concept], phenotypes: Sequence[Concept]) -> _Part:
    found = {disease: _of_disease(store, disease, phenotypes) for disease in diseases}
    pairs = sorted((pair for of_one in found.values() for pair in of_one), key=lambda pair: pair[0].excluded)
    unrecorded = [disease for disease, of_one in found.items() if not of_one]
    if not pairs:
        return _Part("not recorded")
    facts = tuple(fact_of(relation, asked) for relation, asked in pairs)
    notes: list[str] = []
    if facts[0].excluded:
        excluding = [disease for disease, of_one in found.items() if of_one]
        if not names_of(unrecorded) <= names_of(excluding):
            # An exclusion in one type of a family says nothing about the other types.
            note = f"not recorded in {store.name} for {labels(unrecorded)}; excluded for {labels(excluding)}"
            return _Part("not recorded", notes=(note,))
    elif facts[-1].excluded:
        notes.append("recorded in one entry and excluded in another")
    if unrecorded:
        notes.append(f"not recorded for {labels(unrecorded)}")
    ruled_out = any(fact.ruled_out for fact in facts)
    absent: FindingStatus = "excluded" if ruled_out else "seen in none"
    shares = tuple(share for relation, asked in pairs if (share := _share(relation, asked)) is not None)
    return _Part(absent if facts[0].excluded else "recorded", facts, tuple(notes), shares)


def _share(relation: Relation, asked: Concept) -> tuple[float, float] | None:
    """The least and greatest share of patients with what is asked; a more specific form gives only the least."""
    found = relation.frequency
    if found is None or relation.negated:
        return None
    few = found.patients is not None and found.patients < _FEW
    low, high = (0.0 if few else found.low), (1.0 if few and found.high == 1 else found.high)
    return (low, high if relation.object.id == asked.id else 1.0)


def _of_disease(store: GraphStore, disease: Concept, phenotypes: Sequence[Concept]) -> list[tuple[Relation, Concept]]:
    """Relations of one disease, each with the phenotype asked for: that itself, else more specific forms, else what
    rules it out."""
    stored = [r for r in store.relations(subjects=[disease.id]) if r.predicate not in ("gene", "definition")]
    absent: list[tuple[Relation, Concept]] = []
    for asked in phenotypes:
        itself = [r for r in stored if r.object.id == asked.id]
        if not all(r.excluded for r in itself):
            return [(r, asked) for r in itself]
        kinds = store.descendants(asked.id)
        if present := [r for r in stored if r.object.id in kinds and not r.excluded]:
            return [(r, asked) for r in sorted(present, key=by_frequency)[:3]]
        wider = store.ancestors(asked.id)
        absent += [(r, asked) for r in itself or stored if r.excluded and r.object.id in {asked.id, *wider}]
    return absent
