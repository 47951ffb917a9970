"""HPO as a vocabulary of the concept graph, and the starter corpus asked by term."""

from __future__ import annotations

from pathlib import Path

from medground.corpus.library import GRAPH_FILE, Library
from medground.graph.base import Graph, Named
from medground.graph.concept_store import ConceptStore
from medground.graph.starter import Page
from medground.graph.store import GraphStore
from medground.graph.vocabularies.hpo import Hpo
from medground.graph.vocabularies.hpo import hpo as vocabulary
from medground.graph.writing import build_graph


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


def test_every_line_of_the_installed_release_is_where_it_is_said_to_be(hpo: GraphStore, sample: list[Page]) -> None:
    texts = {page.document.id: page.document.text for page in sample}
    for page in sample[:60]:
        for row in hpo.rows(page.concept.id):
            document_id, start, end = row.place
            if document_id in texts:
                text = texts[document_id]
                assert text[start:end] == row.line if end >= start else f"\n{row.line}\n" in f"{text}\n"
    assert hpo.size.concepts > 30_000
    assert hpo.size.relations > 250_000
