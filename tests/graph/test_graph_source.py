"""The graph as a source: the contract, and facts that are checked against the documents of the same snapshot."""

import asyncio
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from contracts import in_one_test
from rows import each_row

from medground.answering.read.facts import ask_for_facts
from medground.answering.run import Run
from medground.errors import SnapshotCorrupt, SourceUnavailable
from medground.graph.starter import pages
from medground.graph.store import GraphStore
from medground.graph.vocabularies.hpo import Hpo
from medground.sources.base import ConceptSource, DescribedSource, FactSource, Source
from medground.sources.graph import Fetch, GraphSource
from medground.testing import SourceContract
from medground.values.document import Document
from medground.values.lookup import ConceptQuery, Found, Lookup, PlainWords
from medground.values.query import Filters
from medground.values.question import Question
from medground.values.source_plan import SourceDescription

QUESTION = "Is odd lens a feature of OMIM:1?"
LINE = "Odd lens (HP:0100001): 3 of 4 patients, onset: Congenital onset; PMID:11, PMID:12."


def of(documents: Sequence[Document]) -> Fetch:
    """Fetches these documents by id, as a corpus does."""

    async def fetch(ids: Sequence[str]) -> dict[str, Document]:
        return {document.id: document for document in documents if document.id in ids}

    return fetch


@pytest.fixture(scope="module")
def documents(release: Hpo) -> list[Document]:
    """The pages of the release."""
    return [page.document for page in pages(release)]


@pytest.fixture
def graph(small: GraphStore, documents: list[Document]) -> GraphSource:
    """The graph beside its pages."""
    return GraphSource(small, of(documents))


def plain(text: str) -> Lookup:
    return Lookup(asked=PlainWords(text=text), text=text)


def search(source: Source, asked: str | ConceptQuery) -> Found:
    lookup = plain(asked) if isinstance(asked, str) else Lookup(asked=asked)
    return asyncio.run(source.search(lookup, Filters()))


@in_one_test
class TestContract(SourceContract):
    lookups = (
        plain(QUESTION),
        plain("Which diseases have odd lens?"),
        Lookup(asked=ConceptQuery(term="Odd lens", question="How common is it in the winter?")),
    )
    nothing = plain("Is blue toe a feature of Beta disease, odd type?")  # known concepts without a stored relation

    @pytest.fixture
    def make(self, documents: list[Document], small: GraphStore) -> Callable[[], Source]:
        return lambda: GraphSource(GraphStore.open(small.path), of(documents))


def test_a_fact_is_a_line_of_a_document_of_the_corpus(graph: GraphSource) -> None:
    found = search(graph, QUESTION)
    assert graph.name == found.source == "graph:HPO 2030-02-03"
    assert isinstance(graph, FactSource)
    (fact,) = found.facts
    document = asyncio.run(graph.fetch([fact.document_id]))[fact.document_id]
    assert document.text[fact.start : fact.end] == LINE
    assert graph.entails(fact)
    assert found.size == 1
    assert found.named == "feature of: Odd lens (HP:0100001), Alpha syndrome 1 (OMIM:1)"
    assert isinstance(graph, DescribedSource)
    assert (graph.described.name, graph.described.origin) == ("graph", "HPO 2030-02-03")
    own = SourceDescription(name="facts", kind="graph", about="Facts.", licence="CC0", origin="a test")
    assert GraphSource(graph._store, graph.fetch, described=own).described == own


def test_what_the_graph_cannot_read_is_not_understood_and_what_it_lacks_is_not_recorded(graph: GraphSource) -> None:
    for asked in ("Does aspirin reduce mortality in Alpha syndrome?", ""):
        found = search(graph, asked)
        assert (found.understood, found.finding, found.size) == (False, None, 0)
    found = search(graph, "Is blue toe a feature of Beta disease, odd type?")
    assert (found.understood, found.size) == (True, 0)
    assert found.finding is not None and found.finding.status == "not recorded"
    found = search(graph, ConceptQuery(term="Odd lense", question="Is it common?"))
    assert (found.understood, found.size) == (True, 0)
    assert found.notes[0].startswith("no concept of HPO 2030-02-03 is called 'Odd lense'; nearest names: Odd lens")


def test_a_concept_query_quotes_the_definition_and_the_relations_in_both_directions(graph: GraphSource) -> None:
    found = search(graph, ConceptQuery(term="odd  Lens", question="Which syndrome has it?"))
    (ranking,) = found.rankings
    lines = {hit.passage.text: hit.passage.document_id for hit in ranking}
    assert ranking[0].passage.text == 'A lens that is "odd". It may be seen at birth.'
    assert (lines[LINE], lines["Phenotypic abnormality (HP:0000118)."]) == ("OMIM:1", "HP:0100001")
    assert {hit.passage.kind for hit in ranking} == {"graph"}
    assert [fact.sentence for fact in found.facts] == ['Odd lens (HP:0100001) is defined as: A lens that is "odd".']
    assert search(graph, ConceptQuery(term="Odd lens", question=QUESTION)).facts == search(graph, QUESTION).facts
    below = search(graph, ConceptQuery(term="HP:0000118"))
    assert {hit.passage.document_id for hit in below.rankings[0]} >= {"HP:0100001", "HP:0100003"}


def test_documents_that_do_not_state_the_fact_are_refused(documents: list[Document], small: GraphStore) -> None:
    for changed in ([], [d.model_copy(update={"text": f"More. {d.text}"}) for d in documents]):
        with pytest.raises(SnapshotCorrupt, match="OMIM:1 does not state the fact"):
            search(GraphSource(small, of(changed)), QUESTION)


@each_row(
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
def test_facts_answer_only_what_they_fit(
    asked: Question, answers: bool, graph: GraphSource, documents: Any, make_run: Callable[..., Run], memory_source: Any
) -> None:
    run = make_run(QUESTION, [memory_source(documents), graph])
    answer = asyncio.run(ask_for_facts(asked, run))
    assert (answer is not None) is answers
    assert run.usage.searches == answers  # the text source does not accept plain words
    if answer is not None:
        assert [(s.source, s.status, s.kinds) for s in run.searches] == [("graph:HPO 2030-02-03", "found", ("graph",))]
        for fact, quote in answer.facts:
            document = run.ledger.documents[fact.document_id]
            assert document.text[quote.start : quote.end] == quote.quote
            assert answer.entails(fact.sentence)
        assert not answer.entails("Odd lens is rare.")


def test_the_graph_that_has_it_is_preferred(
    graph: GraphSource, small: GraphStore, make_run: Callable[..., Run]
) -> None:
    class Silent(GraphSource):
        """It knows the concepts but has no relation."""

        name = "graph:silent"

        async def search(self, lookup: Lookup, filters: Filters) -> Found:
            found = await graph.search(plain("Is blue toe a feature of Beta disease, odd type?"), filters)
            return dataclasses.replace(found, source=self.name, lookup=lookup)

    silent = Silent(small, of([]))
    for sources in ([silent, graph], [graph, silent]):
        run = make_run(QUESTION, sources)
        answer = asyncio.run(ask_for_facts(Question.ask(QUESTION), run))
        assert answer is not None and answer.source is graph
        assert [s.status for s in run.searches] == [("found" if one is graph else "empty") for one in sources]


def test_a_graph_that_cannot_be_asked_is_named(small: GraphStore, make_run: Callable[..., Run]) -> None:
    async def no_documents(ids: Sequence[str]) -> dict[str, Document]:
        raise SourceUnavailable("the disk is gone", source="corpus:starter")

    run = make_run(QUESTION, [GraphSource(small, no_documents)])
    assert asyncio.run(ask_for_facts(Question.ask(QUESTION), run)) is None
    assert [s.status for s in run.searches] == ["failed"]
    assert run.warnings == ["graph:HPO 2030-02-03 could not be searched: the disk is gone"]


def test_a_concept_is_found_by_id_name_and_misspelling_with_lines_that_its_documents_have(graph: GraphSource) -> None:
    assert isinstance(graph, ConceptSource)
    by_id = asyncio.run(graph.concept("hp:0100001", 5))
    by_name = asyncio.run(graph.concept("odd lens", 5))
    assert (by_id.by, by_name.by, by_id.entries) == ("id", "name", by_name.entries)
    assert [up.id for up in by_id.entries[0].above] == ["HP:0000118"]
    for line in by_id.lines:
        (document,) = asyncio.run(graph.fetch([line.document_id])).values()
        assert document.text[line.start : line.end] == line.text
    misspelt = asyncio.run(graph.concept("od lens", 5))
    assert (misspelt.entries, misspelt.nearest[0]) == ((), "Odd lens")
