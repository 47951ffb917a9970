"""Reading the data files of a release, the documents made from them, and HPO as a vocabulary of the concept graph."""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
import sqlite3
from itertools import islice
from pathlib import Path

import pytest
from rows import each_row

from medground.corpus.library import GRAPH_FILE, Library
from medground.errors import BadDocument, ConfigError
from medground.graph.base import Graph, Named
from medground.graph.concept_store import ConceptStore
from medground.graph.names import FULL, disease_keys, name_key
from medground.graph.relation import frequency
from medground.graph.starter import GraphWriter, Page, pages, starter_input
from medground.graph.store import GraphStore
from medground.graph.vocabularies.hpo import Hpo
from medground.graph.vocabularies.hpo import hpo as vocabulary
from medground.graph.writing import build_graph

DISEASES = ["OMIM:1", "ORPHA:2", "OMIM:3", "OMIM:5", "OMIM:6", "OMIM:4"]


def test_a_disease_and_a_term_become_documents(release: Hpo) -> None:
    documents = {page.document.id: page.document for page in pages(release)}
    assert [*documents] == [*DISEASES, *release.terms]
    assert "HP:0100004" not in release.terms
    disease, term = documents["OMIM:1"], documents["HP:0100001"]
    assert (disease.kind, disease.title, disease.identifiers) == ("graph", "Alpha syndrome 1", {"omim": "1"})
    assert disease.references == ("PMID:11", "PMID:12")
    assert disease.text == (
        "Alpha syndrome 1 (OMIM:1) is a disease of HPO 2030-02-03.\n\n"
        "Clinical features:\n"
        "Odd lens (HP:0100001): 3 of 4 patients, onset: Congenital onset; PMID:11, PMID:12.\n\n"
        "Inheritance:\nAutosomal dominant inheritance (HP:0000006): PMID:11.\n\n"
        "Genes:\nABC1 (NCBIGene:7): associated gene.\n\n"
        "Excluded or not observed:\nBlue toe (HP:0100003): 0 of 12 patients; PMID:11."
    )
    assert term.text == (
        "Odd lens (HP:0100001) is a phenotype of HPO 2030-02-03.\n\n"
        'Definition:\nA lens that is "odd". It may be seen at birth.\n\n'
        "Synonyms:\nLens oddity\nOL\nStrange eye\n\n"
        "Is a kind of:\nPhenotypic abnormality (HP:0000118).\n\n"
        "Diseases:\nAlpha syndrome 1 (OMIM:1): 3 of 4 patients."
    )
    assert [term.section_at(term.text.index(word)) for word in ("Lens oddity", "Alpha")] == ["Definition", "Diseases"]


def test_every_relation_is_a_line_of_its_own_document(real: tuple[GraphStore, list[Page]]) -> None:
    hpo, sample = real
    assert hpo.size.concepts > 30_000
    assert hpo.size.relations > 250_000
    assert sum(len(page.relations) for page in sample) > 1000
    for page in sample:
        lines = set(page.document.text.split("\n"))
        own = [row for row in hpo.rows(page.concept.id) if row.place.document_id == page.document.id]
        assert {row.line for row in own} <= lines
        for relation in page.relations:
            assert relation.place is not None
            assert relation.place.document_id == page.document.id
            line = page.document.text[relation.place.start : relation.place.end]
            assert line in lines
            assert relation.predicate == "definition" or line.startswith(relation.object.label)


@each_row(
    ("name", "before", "after", "says"),
    [
        ("hp.obo", "data-version", "date", "no data-version"),
        ("phenotype.hpoa", "disease_name", "name", "columns are not"),
        ("phenotype.hpoa", "2030-02-03", "2031-01-01", "release differs"),
        ("phenotype.hpoa", "\tPCS\t", "PCS", "columns instead of 12"),
        ("genes_to_phenotype.txt", "gene_symbol", "gene", "columns are not"),
    ],
)
def test_an_invalid_or_missing_file(
    release: Hpo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, before: str, after: str, says: str
) -> None:
    path = shutil.copytree(release.folder, tmp_path / "changed") / name
    path.write_text(path.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    with pytest.raises(BadDocument, match=says):
        list(pages(Hpo.open(path.parent)))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r'pip install "medground\[starter\]"'):
        Hpo.open()


@each_row(
    ("text", "words", "low", "high"),
    [
        ("119/251", "119 of 251 patients", 119 / 251, 119 / 251),
        ("45%", "45% of patients", 0.45, 0.45),
        ("HP:0040281", "very frequent (80-99% of patients)", 0.8, 0.99),
    ],
)
def test_a_frequency_is_read(text: str, words: str, low: float, high: float) -> None:
    found = frequency(text)
    assert found is not None
    assert found.words == words
    assert [found.low, found.high] == pytest.approx([low, high])
    few, some, many = (found.least for text in ("1/1", "45/58", "450/580") if (found := frequency(text)))
    assert few < 0.25 < some < many < 450 / 580


@each_row(
    "names",
    [
        ("Lens dislocation", "lens dislocations", "Dislocation of the lens", "LENS-DISLOCATION"),
        ("Marfan syndrome", "Marfan's syndrome", "Marfan’s syndrome", "syndrome, Marfan"),
        ("Anemia", "anaemia", "Anaemias"),
        ("Sjogren-Larsson syndrome", "Sjögren Larsson Syndrome"),
        ("Ehlers-Danlos syndrome, classic type", "classical Ehlers-Danlos syndrome"),
        ("Mucopolysaccharidosis type 2", "mucopolysaccharidosis, type II", "Mucopolysaccharidosis II"),
        ("Alpha-thalassemia", "α-thalassaemia"),
    ],
)
def test_spellings_of_one_name_have_one_key(names: tuple[str, ...]) -> None:
    assert len({name_key(name) for name in names}) == 1


@each_row(
    ("one", "other"),
    [
        ("Classic Ehlers-Danlos syndrome", "Classic-like Ehlers-Danlos syndrome"),
        ("Migraine with aura", "Migraine without aura"),
        ("Left-to-right shunt", "Right-to-left shunt"),
        ("Mitochondrial complex II deficiency, type 3", "Mitochondrial complex III deficiency, type 2"),
        ("Blood pressure higher in legs than arms", "Blood pressure higher in arms than legs"),
    ],
)
def test_different_names_have_different_keys(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


def test_a_number_in_a_series_can_be_left_out() -> None:
    keys = dict(disease_keys("Ehlers-Danlos syndrome, classic type, 2"))
    assert keys[name_key("classic Ehlers-Danlos syndrome")] > FULL
    assert list(disease_keys("Trisomy 13")) == [(name_key("Trisomy 13"), FULL)]
    assert len(list(disease_keys("Asthma-related traits, susceptibility to, 2"))) == 1


def test_a_graph_with_some_pages_reads_the_rest(release: Hpo, tmp_path: Path) -> None:
    whole = list(starter_input(release).read(0))
    assert list(starter_input(release).read(5)) == whole[5:]
    contents = []
    for seen in (0, 2, len(DISEASES) + 3, None):
        with contextlib.closing(GraphWriter(release)) as writer:
            list(islice(starter_input(release, writer).read(0), seen))
            writer.save(tmp_path / "graph.sqlite")
        with contextlib.closing(sqlite3.connect(tmp_path / "graph.sqlite")) as connection:
            contents.append(list(connection.iterdump()))
    assert contents[0] == contents[1] == contents[2] == contents[3]


def lines(graph: Graph, term: str) -> list[str]:
    return [row.line for row in graph.rows_of(graph.named(term))]


def test_hpo_is_worded_with_frequencies_and_what_is_absent_is_said_so(release: Hpo, tmp_path: Path) -> None:
    library = Library(tmp_path)
    build_graph(library, "g", [vocabulary(release)])
    with library.open("g") as snapshot:
        path = snapshot.attachment(GRAPH_FILE)
        assert path is not None
        with ConceptStore.open(path) as store:
            assert lines(store, "OMIM:1") == [
                "Alpha syndrome 1 has the feature Odd lens "
                "(3 of 4 patients; onset: Congenital onset; PMID:11, PMID:12).",
                "Alpha syndrome 1 is recorded without the feature Blue toe (0 of 12 patients; PMID:11).",
                "Alpha syndrome 1 is inherited in the mode Autosomal dominant inheritance (PMID:11).",
                "Alpha syndrome 1 is associated with the gene ABC1.",
            ]
            assert lines(store, "ABC1") == ["ABC1 is a gene associated with Alpha syndrome 1."]
            odd = lines(store, "lens oddity")
            assert odd[0] == 'Definition (HPO): A lens that is "odd". It may be seen at birth.'
            assert "Odd lens is recorded as absent in Gamma disease (OMIM:4)." in odd
            assert {"Odd lens is a kind of Phenotypic abnormality.", "Odd lens includes Left odd lens."} <= set(odd)


def test_the_starter_corpus_states_a_term_in_its_own_lines(small: GraphStore) -> None:
    graph = small
    assert lines(graph, "Left odd lens") == [
        "Odd lens (HP:0100001).",
        "Left odd lens (HP:0100002): frequency not recorded; OMIM:3.",
    ]
    assert graph.named("Strange eye") == Named((("HP:0100001", "Odd lens"),), "related")
    assert graph.nearest("odd lenz") == ("Odd lens", "Left odd lens", "Lens oddity")
    assert graph.named("nothing of the kind") == Named((), "related")
    assert graph.nearest("?") == ()
    assert small.size == (17, 1, 22)
