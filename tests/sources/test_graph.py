"""The graph as a source: its facts are checked against the documents beside it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from medground.document import Document
from medground.errors import SnapshotCorrupt
from medground.graph.documents import pages
from medground.graph.hpo import Hpo
from medground.graph.store import GraphStore
from medground.graph.writing import GraphWriter
from medground.query import Filters
from medground.question import Question
from medground.read.graph import ask_graphs
from medground.run import Run
from medground.sources.base import KnowledgeGraph
from medground.sources.graph import GraphSource

OBO = """\
data-version: hp/releases/2030-02-03

[Term]
id: HP:0000118
name: Phenotypic abnormality

[Term]
id: HP:0100001
name: Odd lens
is_a: HP:0000118 ! Phenotypic abnormality
"""
HPOA = (
    "#version: 2030-02-03\n"
    "database_id\tdisease_name\tqualifier\thpo_id\treference\tevidence\tonset\tfrequency\tsex\tmodifier\taspect\t"
    "biocuration\n"
    "OMIM:1\tAlpha syndrome\t\tHP:0100001\tPMID:11\tPCS\t\t3/4\t\t\tP\tX\n"
)
GENES = "ncbi_gene_id\tgene_symbol\thpo_id\thpo_name\tfrequency\tdisease_id\n"
QUESTION = "Is odd lens a feature of Alpha syndrome?"


@pytest.fixture
def release(tmp_path: Path) -> Hpo:
    (tmp_path / "hp.obo").write_text(OBO, encoding="utf-8")
    (tmp_path / "phenotype.hpoa").write_text(HPOA, encoding="utf-8")
    (tmp_path / "genes_to_phenotype.txt").write_text(GENES, encoding="utf-8")
    return Hpo.open(tmp_path)


@pytest.fixture
def store(release: Hpo, tmp_path: Path) -> Iterator[GraphStore]:
    with contextlib.closing(GraphWriter(release)) as writer:
        writer.save(tmp_path / "graph.sqlite")
    with GraphStore.open(tmp_path / "graph.sqlite") as opened:
        yield opened


class Shelf:
    """Documents by id, as a corpus gives them."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = {document.id: document for document in documents}

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        return {i: self._documents[i] for i in ids if i in self._documents}


def test_a_fact_is_a_line_of_a_document_of_the_corpus(release: Hpo, store: GraphStore) -> None:
    shelf = Shelf([page.document for page in pages(release)])
    graph: KnowledgeGraph = GraphSource(store, shelf.fetch)
    finding = asyncio.run(graph.ask(QUESTION))
    assert graph.name == "graph:HPO 2030-02-03"
    assert finding is not None
    (fact,) = finding.facts
    document = asyncio.run(shelf.fetch([fact.document_id]))[fact.document_id]
    assert document.text[fact.start : fact.end] == "Odd lens (HP:0100001): 3 of 4 patients; PMID:11."
    assert graph.entails(fact)


def test_another_question_gets_no_word(release: Hpo, store: GraphStore) -> None:
    graph = GraphSource(store, Shelf([]).fetch)
    assert asyncio.run(graph.ask("Does aspirin reduce mortality in Alpha syndrome?")) is None


@pytest.mark.parametrize("change", ["gone", "longer"])
def test_documents_that_do_not_state_the_fact_are_refused(release: Hpo, store: GraphStore, change: str) -> None:
    documents = [page.document for page in pages(release)]
    changed = [d.model_copy(update={"text": f"More. {d.text}"}) for d in documents] if change == "longer" else []
    with pytest.raises(SnapshotCorrupt, match="OMIM:1 does not state the fact"):
        asyncio.run(GraphSource(store, Shelf(changed).fetch).ask(QUESTION))


def test_closing_twice_is_safe(store: GraphStore) -> None:
    graph = GraphSource(store, Shelf([]).fetch)
    asyncio.run(graph.close())
    asyncio.run(graph.close())


@pytest.mark.parametrize(
    ("asked", "answers"),
    [
        (Question.ask(QUESTION), True),
        (Question.ask(QUESTION, filters=Filters(kinds=("graph",))), True),
        (Question.ask(QUESTION, filters=Filters(kinds=("research",))), False),
        (Question.ask(QUESTION, filters=Filters(year_from=2024)), False),
        (Question.ask("Which diseases have odd lens?"), True),
        (Question.ask("Which diseases have odd lens?", task="yes-no"), False),
    ],
)
def test_a_graph_answers_only_what_is_asked_of_it(
    asked: Question, answers: bool, store: GraphStore, release: Hpo, make_run: Callable[..., Run], memory_source: Any
) -> None:
    documents = [page.document for page in pages(release)]
    run = make_run(QUESTION, [memory_source(documents)], graphs=[GraphSource(store, Shelf(documents).fetch)])
    assert (asyncio.run(ask_graphs(asked, run)) is not None) is answers
