"""A small release of an ontology, and the installed one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from medground.errors import ConfigError
from medground.graph.answer import entails, find, read_question
from medground.graph.lists import SHOWN
from medground.graph.starter import GraphWriter, Page, pages
from medground.graph.store import GraphStore
from medground.graph.vocabularies.hpo import Hpo
from medground.values.graph import GraphFinding

OBO = """\
format-version: 1.2
data-version: hp/releases/2030-02-03

[Term]
id: HP:0000001
name: All

[Term]
id: HP:0000118
name: Phenotypic abnormality
is_a: HP:0000001 ! All

[Term]
id: HP:0000005
name: Mode of inheritance
is_a: HP:0000001 ! All

[Term]
id: HP:0000006
name: Autosomal dominant inheritance
is_a: HP:0000005 ! Mode of inheritance

[Term]
id: HP:0003577
name: Congenital onset
is_a: HP:0000001 ! All

[Term]
id: HP:0012828
name: Severe
is_a: HP:0000001 ! All

[Term]
id: HP:0100001
name: Odd lens
def: "A lens that is \\"odd\\". It may be seen at birth." [PMID:1]
synonym: "Lens oddity" EXACT layperson []
synonym: "OL" EXACT abbreviation []
synonym: "Strange eye" RELATED []
is_a: HP:0000118 ! Phenotypic abnormality

[Term]
id: HP:0100002
name: Left odd lens
is_a: HP:0100001 ! Odd lens

[Term]
id: HP:0100003
name: Blue toe
is_a: HP:0000118 ! Phenotypic abnormality

[Term]
id: HP:0100004
name: Gone term
is_obsolete: true

[Typedef]
id: part_of
name: part of
"""
_COLUMNS = (
    "database_id disease_name qualifier hpo_id reference evidence onset frequency sex modifier aspect biocuration"
)
ROWS = (
    ("OMIM:1", "Alpha syndrome 1", "", "HP:0100001", "PMID:11;PMID:12", "PCS", "HP:0003577", "3/4", "", "", "P"),
    ("OMIM:1", "Alpha syndrome 1", "", "HP:0100003", "PMID:11", "PCS", "", "0/12", "", "", "P"),
    ("OMIM:1", "Alpha syndrome 1", "", "HP:0000006", "PMID:11", "PCS", "", "", "", "", "I"),
    ("ORPHA:2", "Alpha syndrome", "NOT", "HP:0100001", "ORPHA:2", "TAS", "", "", "", "", "P"),
    ("ORPHA:2", "Alpha syndrome", "", "HP:0100003", "ORPHA:2", "TAS", "", "HP:0040281", "FEMALE", "HP:0012828", "P"),
    ("OMIM:3", "Beta disease, odd type", "", "HP:0100002", "OMIM:3", "IEA", "", "", "", "", "P"),
    ("OMIM:3", "Beta disease, odd type", "", "HP:0100004", "OMIM:3", "IEA", "", "", "", "", "P"),
    ("OMIM:5", "Delta syndrome, type 1", "NOT", "HP:0100001", "OMIM:5", "IEA", "", "", "", "", "P"),
    ("OMIM:5", "Delta syndrome, type 1", "", "HP:0100003", "PMID:5", "PCS", "", "0/2", "", "", "P"),
    ("OMIM:5", "Delta syndrome, type 1", "", "HP:0100003", "PMID:6", "PCS", "", "1/3", "", "", "P"),
    ("OMIM:6", "Delta syndrome, type 2", "", "HP:0000006", "OMIM:6", "IEA", "", "", "", "", "I"),
    ("OMIM:4", "Gamma disease", "NOT", "HP:0100001", "OMIM:4", "IEA", "", "", "", "", "P"),
    ("OMIM:4", "Gamma disease", "", "HP:0100003", "OMIM:4", "IEA", "", "45%", "", "", "P"),
)
_GENE_COLUMNS = "ncbi_gene_id gene_symbol hpo_id hpo_name frequency disease_id"
GENES = (
    ("7", "ABC1", "HP:0100001", "Odd lens", "3/4", "OMIM:1"),
    ("7", "ABC1", "HP:0100003", "Blue toe", "-", "OMIM:1"),
    ("8", "XYZ9", "HP:0100002", "Left odd lens", "-", "OMIM:3"),
)


def write_release(folder: Path) -> Path:
    """The data files of the small release."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "hp.obo").write_text(OBO, encoding="utf-8")
    rows = ["#version: 2030-02-03", "\t".join(_COLUMNS.split()), *("\t".join((*row, "X")) for row in ROWS)]
    (folder / "phenotype.hpoa").write_text("\n".join(rows) + "\n", encoding="utf-8")
    genes = ["\t".join(_GENE_COLUMNS.split()), *("\t".join(row) for row in GENES)]
    (folder / "genes_to_phenotype.txt").write_text("\n".join(genes) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def release(tmp_path: Path) -> Hpo:
    """The small release."""
    return Hpo.open(write_release(tmp_path / "release"))


@pytest.fixture
def small(release: Hpo, tmp_path: Path) -> Iterator[GraphStore]:
    """The graph of the small release."""
    with contextlib.closing(GraphWriter(release)) as writer:
        writer.save(tmp_path / "graph.sqlite")
    with GraphStore.open(tmp_path / "graph.sqlite") as store:
        yield store


@pytest.fixture(scope="session")
def installed() -> Hpo:
    """The release installed with the extra `starter`."""
    try:
        return Hpo.open()
    except ConfigError as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def real(installed: Hpo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[GraphStore, list[Page]]]:
    """The graph of the installed release, written once for all tests, and some of its pages."""
    path = tmp_path_factory.mktemp("graph") / "graph.sqlite"
    writer, sample = GraphWriter(installed), []
    for number, page in enumerate(pages(installed)):
        writer.add(page)
        if number % 97 == 0:
            sample.append(page)
    writer.save(path)
    writer.close()
    with GraphStore.open(path) as store:
        yield store, sample


@pytest.fixture(scope="session")
def hpo(real: tuple[GraphStore, list[Page]]) -> GraphStore:
    """The graph of the installed release."""
    return real[0]


@pytest.fixture(scope="session")
def sample(real: tuple[GraphStore, list[Page]]) -> list[Page]:
    """Every 97th page of the installed release."""
    return real[1]


def find_facts(store: GraphStore, text: str) -> GraphFinding:
    """What the graph finds for a question; it shows no more than it may, and each fact is stored."""
    question = read_question(store, text)
    assert question is not None
    finding = find(store, question)
    assert finding is not None
    assert all(entails(store, fact) for fact in finding.facts)
    assert len(finding.facts) <= SHOWN
    return finding


@pytest.fixture(scope="session")
def ask() -> Callable[[GraphStore, str], GraphFinding]:
    """Asks a graph a question in plain words."""
    return find_facts
