"""Answer a question from the graph: a finding whose facts are stored relations and nothing more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from medground.graph.finding import FindingStatus, GraphFact, GraphFinding
from medground.graph.finding import RelationKind as Asked
from medground.graph.names import name_key
from medground.graph.question import GraphQuestion
from medground.graph.relation import Concept, Relation, StatedAt
from medground.graph.store import GraphStore
from medground.graph.wording import sentence

SHOWN = 12
"""Maximum number of facts in a finding; the note gives the total."""

_ASSOCIATION = "associations are as recorded and do not distinguish causal genes from modifiers"


def find(store: GraphStore, question: GraphQuestion) -> GraphFinding | None:
    """Look up a question in the graph. None if the graph has nothing to say about it.

    Raises:
        SnapshotCorrupt: the graph cannot be read.
    """
    finding = _FINDERS[question.relation](store, question)
    if finding is None or (question.only_recorded and finding.status != "recorded"):
        return None
    return finding


def entails(store: GraphStore, fact: GraphFact) -> bool:
    """Whether the relation stored at a fact's location, read again, states the fact's sentence.

    Raises:
        SnapshotCorrupt: the graph cannot be read.
    """
    relation = store.stated_at(StatedAt(fact.document_id, fact.start, fact.end))
    if relation is None or relation.excluded != fact.excluded or relation.references != fact.references:
        return False
    if fact.sentence == sentence(relation):
        return True
    if relation.predicate in ("gene", "definition"):
        return False
    kin = store.descendants(relation.object.id) if relation.excluded else store.ancestors(relation.object.id)
    return any(fact.sentence == sentence(relation, asked) for asked in store.concepts(kin))


def _feature(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    """Whether and how often a disease has a phenotype, or a more specific form of it."""
    found = {disease: _of_disease(store, disease, question.phenotypes) for disease in question.diseases}
    facts = sorted((fact for of_one in found.values() for fact in of_one), key=lambda fact: fact.excluded)
    unrecorded = [disease for disease, of_one in found.items() if not of_one]
    notes = [_shown(len(facts), "facts")]
    if not facts:
        return _finding(store, question, "not recorded", [], [])
    if facts[0].excluded:
        excluding = [disease for disease, of_one in found.items() if of_one]
        if not _names(unrecorded) <= _names(excluding):
            # An exclusion in one type of a family says nothing about the other types.
            note = f"not recorded in {store.name} for {_labels(unrecorded)}; excluded for {_labels(excluding)}"
            return _finding(store, question, "not recorded", [], [note])
    elif facts[-1].excluded:
        notes.append("recorded in one entry and excluded in another")
    if unrecorded:
        notes.append(f"not recorded for {_labels(unrecorded)}")
    ruled_out = any(fact.ruled_out for fact in facts)
    absent: FindingStatus = "excluded" if ruled_out else "seen in none"
    return _finding(store, question, absent if facts[0].excluded else "recorded", facts, notes)


def _of_disease(store: GraphStore, disease: Concept, phenotypes: Sequence[Concept]) -> list[GraphFact]:
    """Facts about one disease: the phenotype itself, else more specific forms of it, else what rules it out."""
    stored = [r for r in store.relations(subjects=[disease.id]) if r.predicate not in ("gene", "definition")]
    absent: list[GraphFact] = []
    for asked in phenotypes:
        itself = [r for r in stored if r.object.id == asked.id]
        if not all(r.excluded for r in itself):
            return [_fact(r) for r in itself]
        kinds = store.descendants(asked.id)
        if present := [r for r in stored if r.object.id in kinds and not r.excluded]:
            return [_fact(r, asked) for r in sorted(present, key=_by_frequency)[:3]]
        wider = store.ancestors(asked.id)
        absent += [_fact(r, asked) for r in itself or stored if r.excluded and r.object.id in {asked.id, *wider}]
    return absent


def _diseases_with(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    ids = [concept.id for concept in question.phenotypes]
    direct = [r for r in store.relations(objects=ids, predicate="feature") if not r.excluded]
    direct.sort(key=_by_frequency)
    diseases = {r.subject.id for r in direct}
    kinds = {kind for concept_id in ids for kind in store.descendants(concept_id)}
    nearly = {
        r.subject.id: r
        for r in sorted(store.relations(objects=kinds, predicate="feature"), key=_by_frequency, reverse=True)
        if not r.excluded and r.subject.id not in diseases
    }
    asked = question.phenotypes[0]
    facts = [_fact(r) for r in _one_each(direct, lambda r: r.subject.id)]
    facts += [_fact(r, asked) for r in sorted(nearly.values(), key=_by_frequency)][: max(0, SHOWN - len(facts))]
    notes = [_shown(len(diseases), "diseases, most frequent first")]
    if nearly:
        notes.append(f"diseases with only a more specific form of {asked.name}: {len(nearly):,}")
    return _finding(store, question, "recorded" if facts else "not recorded", facts, notes)


def _genes_of(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    """Genes of the diseases that the name matches, then of the diseases with the phenotype that it matches."""
    wanted = {gene.id for gene in question.genes}
    found = store.relations(subjects=[d.id for d in question.diseases], predicate="gene")
    found = [r for r in found if not wanted or r.object.id in wanted]
    entries = Counter(r.object.id for r in found)
    found.sort(key=lambda r: (-entries[r.object.id], r.object.name))
    links = _links_of_phenotype(store, question.phenotypes) if question.phenotypes else []
    shown = links[: max(0, SHOWN - len(found)) // 2]
    facts = [_fact(r) for r in dict.fromkeys((*found, *(r for pair in shown for r in pair)))]
    if not facts:
        return _finding(store, question, "not recorded", [], [])
    notes = [_ASSOCIATION, _shown(len(found), "gene associations")]
    unrecorded = [d for d in question.diseases if d.id not in {r.subject.id for r in found}]
    if unrecorded:
        notes.append(f"{'not' if wanted else 'no gene'} recorded for {_labels(unrecorded)}")
    if links:
        notes.append(f"genes linked through diseases with this phenotype: {len(links):,} ({len(shown)} shown)")
    names = dict.fromkeys(r.object.name for r in (*found[:SHOWN], *(link for link, _ in shown)))
    return _finding(store, question, "recorded", facts, notes, ", ".join(names))


def _links_of_phenotype(store: GraphStore, phenotypes: Sequence[Concept]) -> list[tuple[Relation, Relation]]:
    """For each gene of a disease with the phenotype: the link to that disease, and the disease's phenotype."""
    features = store.relations(objects=[concept.id for concept in phenotypes], predicate="feature")
    features = sorted((r for r in features if not r.excluded), key=_by_frequency)
    having = {r.subject.id: r for r in reversed(features)}
    links = store.relations(subjects=having, predicate="gene")
    links.sort(key=lambda link: _by_frequency(having[link.subject.id]))
    return [(link, having[link.subject.id]) for link in _one_each(links, lambda link: link.object.id)]


def _features_of(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    found: list[Relation] = []
    for disease in question.diseases:
        stored = store.relations(subjects=[disease.id], predicate="feature")
        # "Breast carcinoma is a feature of breast cancer" is not informative.
        found += [r for r in stored if not r.excluded and name_key(r.object.name) != name_key(disease.name)]
    found.sort(key=_by_frequency)
    # Counted frequencies in one entry must not crowd out the others, so the diseases take turns.
    turns = [[r for r in found if r.subject.id == disease.id] for disease in question.diseases]
    mixed = [turn[i] for i in range(max(map(len, turns), default=0)) for turn in turns if i < len(turn)]
    names = ", ".join(dict.fromkeys(r.object.name for r in mixed[:SHOWN]))
    notes = [_shown(len(mixed), "recorded features, most frequent first")]
    return _finding(store, question, "recorded" if mixed else "not recorded", [_fact(r) for r in mixed], notes, names)


def _diseases_of_gene(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    found = store.relations(objects=[gene.id for gene in question.genes], predicate="gene")
    names = ", ".join(dict.fromkeys(r.subject.name for r in found[:SHOWN]))
    notes = [_ASSOCIATION if found else "", _shown(len(found), "diseases")]
    return _finding(store, question, "recorded" if found else "not recorded", [_fact(r) for r in found], notes, names)


def _definition_of(store: GraphStore, question: GraphQuestion) -> GraphFinding | None:
    found = store.relations(subjects=[concept.id for concept in question.phenotypes], predicate="definition")
    return _finding(store, question, "recorded", [_fact(r) for r in found], []) if found else None


_FINDERS: dict[Asked, Callable[[GraphStore, GraphQuestion], GraphFinding | None]] = {
    "feature of": _feature,
    "frequency of": _feature,
    "diseases with": _diseases_with,
    "genes of": _genes_of,
    "features of": _features_of,
    "diseases of gene": _diseases_of_gene,
    "definition of": _definition_of,
}


def _finding(
    store: GraphStore,
    question: GraphQuestion,
    status: FindingStatus,
    facts: Sequence[GraphFact],
    notes: Iterable[str],
    answer: str = "",
) -> GraphFinding:
    note = "; ".join(note for note in notes if note)
    return GraphFinding(
        relation=question.relation,
        status=status,
        concepts=tuple(c.label for c in (*question.phenotypes, *question.genes, *question.diseases)),
        facts=tuple(facts[:SHOWN]),
        note=note or (f"not recorded in {store.name}" if status == "not recorded" else ""),
        answer=answer,
        graph=store.name,
    )


def _fact(relation: Relation, asked: Concept | None = None) -> GraphFact:
    place = relation.place or StatedAt("", 0, 0)
    return GraphFact(
        sentence=sentence(relation, asked),
        document_id=place.document_id,
        start=place.start,
        end=place.end,
        references=relation.references,
        excluded=relation.excluded,
        ruled_out=relation.ruled_out,
    )


def _by_frequency(relation: Relation) -> tuple[float, str, str]:
    """Sort key: most frequent first, unknown frequencies last, ties in a fixed order."""
    share = relation.frequency
    return (-share.least if share else 1.0, relation.object.id, relation.subject.id)


def _one_each(relations: Iterable[Relation], key: Callable[[Relation], str]) -> list[Relation]:
    """The first relation for each key."""
    first: dict[str, Relation] = {}
    for relation in relations:
        first.setdefault(key(relation), relation)
    return list(first.values())


def _names(concepts: Iterable[Concept]) -> set[str]:
    return {name_key(concept.name) for concept in concepts}


def _labels(concepts: Sequence[Concept]) -> str:
    shown = ", ".join(concept.label for concept in concepts[:3])
    return f"{shown} and {len(concepts) - 3} more" if len(concepts) > 3 else shown


def _shown(total: int, what: str) -> str:
    return f"showing {SHOWN} of {total:,} {what}" if total > SHOWN else ""
