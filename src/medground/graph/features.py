"""Phenotypes and diseases: whether one has the other, the diseases with several, and the profile of a bare name."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from medground.graph import lists
from medground.graph.intent import GraphQuestion
from medground.graph.names import name_key
from medground.graph.relation import Concept, Relation, by_frequency
from medground.graph.store import GraphStore
from medground.values.graph import FindingStatus, GraphFact, GraphFinding

# Whether, and how often, a disease has a phenotype: for one or several of each, and for some, most or all patients.

_AMOUNTS = {
    "common": (0.3, "“common” is read as at least 30% of patients, which the ontology calls frequent"),
    "rare": (0.05, "“rare” is read as less than 5% of patients, which the ontology calls very rare"),
    "most": (0.5 + 1e-9, "“most” is read as more than half of the patients"),
    "all": (1.0, "“all” is read as every patient"),
}
_FEW = 10
"""Fewer counted patients do not show that all have a feature."""
_OPPOSITE = {"yes": "no", "no": "yes", "": ""}


@dataclass(frozen=True)
class _Part:
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
    closed = lists.joined([_closed(part, asked.amount) for part in parts], asked.joint)
    if facts and asked.closed and asked.amount != "any":
        notes.append(_AMOUNTS[asked.amount][1])
        if not closed:
            notes.append("the recorded frequencies do not decide it")
    if status == "seen in none":
        notes.append("seen in none of the patients counted, which is not enough for a no")
    if asked.negated and facts:
        closed = _OPPOSITE[closed]
        notes.append("the question asks whether it is absent")
    found = lists.finding_of(store, question, facts, notes, status=status)
    return found.replace(closed=closed)


def _closed(part: _Part, amount: str) -> str:
    if amount == "any" or not part.facts:
        return {"recorded": "yes", "excluded": "no"}.get(part.status, "")
    answers = {_of_share(low, high, amount) for low, high in part.shares}
    return answers.pop() if len(answers) == 1 else ""


def _of_share(low: float, high: float, amount: str) -> str:
    """Whether a share of patients is that amount for certain."""
    least = _AMOUNTS[amount][0]
    enough = "yes" if low >= least else "no" if high < least else ""
    return _OPPOSITE[enough] if amount == "rare" else enough


def _part(store: GraphStore, diseases: Sequence[Concept], phenotypes: Sequence[Concept]) -> _Part:
    found = {disease: _of_disease(store, disease, phenotypes) for disease in diseases}
    pairs = sorted((pair for of_one in found.values() for pair in of_one), key=lambda pair: pair[0].excluded)
    unrecorded = [disease for disease, of_one in found.items() if not of_one]
    if not pairs:
        return _Part("not recorded")
    facts = tuple(lists.fact_of(relation, asked) for relation, asked in pairs)
    notes: list[str] = []
    if facts[0].excluded:
        excluding = [disease for disease, of_one in found.items() if of_one]
        if not lists.names_of(unrecorded) <= lists.names_of(excluding):
            # An exclusion in one type of a family says nothing about the other types.
            note = (
                f"not recorded in {store.name} for {lists.labels(unrecorded)}; excluded for {lists.labels(excluding)}"
            )
            return _Part("not recorded", notes=(note,))
    elif facts[-1].excluded:
        notes.append("recorded in one entry and excluded in another")
    if unrecorded:
        notes.append(f"not recorded for {lists.labels(unrecorded)}")
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


# The diseases with one phenotype or several, ranked by how many they share and how often.

_MANY = 10
"""Fewer patients say less than a range that experts estimated."""
_LIKELIHOOD = "likelihood of all of them in one patient, if they occur independently and as often as recorded"


def diseases_with(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    """The diseases with all phenotypes of a question, else with most of them."""
    if len(question.asked.phenotypes) > 1:
        return _with_several(store, question)
    ids = [concept.id for concept in question.phenotypes]
    direct = sorted(_having(store, ids), key=by_frequency)
    diseases = {_same(r) for r in direct}
    kinds = {kind for concept_id in ids for kind in store.descendants(concept_id)}
    nearly = {
        _same(r): r for r in sorted(_having(store, kinds), key=by_frequency, reverse=True) if _same(r) not in diseases
    }
    asked = question.phenotypes[0]
    facts = [lists.fact_of(r) for r in lists.one_each(direct, _same)]
    facts += [lists.fact_of(r, asked) for r in sorted(nearly.values(), key=by_frequency)][
        : max(0, lists.SHOWN - len(facts))
    ]
    notes = [
        lists.counted(lists.SHOWN, len(diseases), "diseases, most frequent first,"),
        _CAUTION * question.asked.only_recorded,
    ]
    if nearly:
        notes.append(f"diseases with only a more specific form of {asked.name}: {len(nearly):,}")
    return lists.finding_of(store, question, facts, notes)


def _having(store: GraphStore, phenotypes: Iterable[str]) -> list[Relation]:
    """The relations of diseases that have these phenotypes."""
    return [r for r in store.relations(objects=phenotypes, predicate="feature") if not r.excluded]


_CAUTION = "a feature of a disease need not be caused by it"


def _same(relation: Relation) -> str:
    """The key of a disease: the entries of OMIM and Orphanet with one name are one disease."""
    return name_key(relation.subject.name)


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
        return lists.finding_of(store, question, [], [f"no disease of {store.name} is recorded with all of them"])
    best = [one for one in ranked if len(one.relations) == most]
    shown = best[: max(1, lists.SHOWN // most)]
    facts = [lists.fact_of(relation, asked) for one in shown for relation, asked in one.relations]
    what = f"diseases with all {most} of them" if most == len(names) else f"diseases with {most} of the {len(names)}"
    odds = "; ".join(f"{one.disease.label} {one.likelihood}" for one in shown)
    notes = [
        _CAUTION * question.asked.only_recorded,
        "" if most == len(names) else "no disease is recorded with all of them",
        lists.counted(len(shown), len(best), f"{what}, most frequent first,"),
        f"{_LIKELIHOOD}: {odds}",
    ]
    answer = ", ".join(dict.fromkeys(one.disease.name for one in shown))
    return lists.finding_of(store, question, facts, notes, answer=answer)


def _ranked(store: GraphStore, phenotypes: Sequence[Sequence[Concept]]) -> list[_Ranked]:
    having: dict[str, list[tuple[Relation, Concept]]] = {}
    for meanings in phenotypes:
        ids = {c.id for c in meanings}
        kinds = ids.union(*(store.descendants(i) for i in ids))
        found = _having(store, kinds)
        # A more specific form entails what is asked; its frequency is better than none. A count is better than a range.
        found.sort(
            key=lambda r: (
                not r.frequency,
                r.object.id not in ids,
                not r.frequency or (r.frequency.patients or 0) < _MANY,
                by_frequency(r),
            )
        )
        for relation in lists.one_each(found, _same):
            having.setdefault(_same(relation), []).append((relation, _meant(store, meanings, relation)))
    entries = {key: [relation.subject for relation, _ in pairs] for key, pairs in having.items()}
    return [_Ranked(min(entries[key], key=lambda one: one.id), tuple(pairs)) for key, pairs in having.items()]


def _meant(store: GraphStore, meanings: Sequence[Concept], relation: Relation) -> Concept:
    kin = {relation.object.id, *store.ancestors(relation.object.id)} if len(meanings) > 1 else set[str]()
    return next((meaning for meaning in meanings if meaning.id in kin), meanings[0])


# What the graph holds on a bare name: a disease, a phenotype, a gene, or several of these at once.

_Section = tuple[str, list[Relation], int]
"""What its relations are, all of them, and the most that are shown."""


def profile(store: GraphStore, question: GraphQuestion) -> GraphFinding | None:
    """A few relations of every kind; the note says how many there are."""
    kinds = [kind for kind in ("phenotypes", "diseases", "genes") if getattr(question, kind)]
    room = lists.SHOWN // len(kinds)
    facts: list[GraphFact] = []
    notes: list[str] = []
    if len(kinds) > 1:
        names = " and of ".join(f"a {kind.removesuffix('s')}" for kind in kinds)
        notes.append(f"this is the name of {names}; each is shown")
    for number, kind in enumerate(kinds, start=1):
        left = room * number - len(facts)
        for what, found, most in _SECTIONS[kind](store, question):
            shown = [fact for relation in found if (fact := lists.fact_of(relation)) not in facts][: min(most, left)]
            left -= len(shown)
            facts += shown
            notes.append(lists.counted(len(shown), len(found), what) or f"no {what} recorded")
    if not facts:
        return None
    if question.diseases or question.genes:
        notes.append(lists.ASSOCIATION)
    return lists.finding_of(store, question, facts, notes)


def _disease(store: GraphStore, question: GraphQuestion) -> Iterator[_Section]:
    for what, stored, most in (
        ("modes of inheritance", lists.inheritance, 3),
        ("ages of onset", lists.onset, 2),
        ("genes", lists.genes, 3),
        ("features, most frequent first,", lists.features, lists.SHOWN),
    ):
        yield what, lists.one_each(stored(store, question.diseases), lambda r: r.object.id), most


def _phenotype(store: GraphStore, question: GraphQuestion) -> Iterator[_Section]:
    ids = [concept.id for concept in question.phenotypes]
    yield "definitions", store.relations(subjects=ids, predicate="definition"), 2
    having = sorted((r for r in store.relations(objects=ids, predicate="feature") if not r.excluded), key=by_frequency)
    yield "diseases with it, most frequent first,", lists.one_each(having, lambda r: r.subject.id), 5


_SECTIONS: dict[str, Callable[[GraphStore, GraphQuestion], Iterable[_Section]]] = {
    "phenotypes": _phenotype,
    "diseases": _disease,
    "genes": lambda store, asked: [
        (f"diseases, {lists.FEWEST_GENES},", lists.diseases_of(store, asked.genes), lists.SHOWN)
    ],
}
