"""A concept graph from vocabularies: built as a corpus, asked by term, and every line quoted from its document."""

import asyncio
import contextlib
import re
import sqlite3
import textwrap
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from contracts import in_one_test

from medground.corpus.library import GRAPH_FILE, Library
from medground.errors import BadDocument, SnapshotCorrupt, UsageError
from medground.graph.concept_store import open_graph
from medground.graph.vocabularies import base as forms
from medground.graph.writing import build_graph, draft_file
from medground.sources.base import Source
from medground.sources.corpus import CorpusSource
from medground.sources.graph import GraphSource
from medground.testing import SourceContract
from medground.values.lookup import ConceptQuery, Found, Lookup, PlainWords
from medground.values.query import Filters

DRUGS: tuple[forms.Record, ...] = (
    forms.PredicateRecord("treats", "treats", "is treated by"),
    forms.ConceptRecord("X:1", "Aspirin", ("drug",)),
    forms.NameRecord("X:1", "Acetylsalicylic acid"),
    forms.NameRecord("X:1", "Painkiller", "related"),
    forms.DefinitionRecord("X:1", "A salicylate.\nIt is old.", source="TEST"),
    forms.ConceptRecord("X:2", "Headache", ("symptom",)),
    forms.ConceptRecord("X:3", "Fever", ("symptom",)),
    forms.ConceptRecord("X:4", "Pain in the head"),
    forms.RelationRecord("X:1", "treats", "X:2", ("in adults",)),
    forms.RelationRecord("X:1", "treats", "X:3"),
    forms.RelationRecord("X:1", "treats", "X:9"),
    forms.RelationRecord("X:2", "is_a", "X:4"),
)
BANK: tuple[forms.Record, ...] = (
    forms.ConceptRecord("BANK:7", "aspirin"),
    forms.DefinitionRecord("BANK:7", "For pain.", "Indication", "BANK"),
    forms.ConceptRecord("BANK:8", "Nobody else has this"),
    forms.RelationRecord("BANK:8", "interacts_with", "BANK:7"),
)


def vocabulary(
    name: str, records: Sequence[forms.Record], *, joins: bool = False, both_ways: bool = False
) -> forms.Vocabulary:
    part = forms.Part(f"{name}.txt", str(hash(tuple(records))), lambda: iter(records))
    return forms.Vocabulary(name, f"licence of {name}", "a test", (part,), joins=joins, both_ways=both_ways)


class Opened:
    """A corpus and its graph, opened as sources."""

    def __init__(self, library: Library, name: str) -> None:
        self.snapshot = library.open(name)
        self.corpus = CorpusSource(self.snapshot)
        path = self.snapshot.attachment(GRAPH_FILE)
        assert path is not None
        self.store = open_graph(path)
        self.graph = GraphSource(self.store, self.corpus.fetch, self.corpus.state)

    def ask(self, term: str, question: str = "", limit: int | None = None) -> Found:
        asked = Lookup(asked=ConceptQuery(term=term, question=question), limit=limit)
        return asyncio.run(self.graph.search(asked, Filters()))

    def lines(self, term: str, question: str = "") -> list[str]:
        return [hit.passage.text for ranking in self.ask(term, question).rankings for hit in ranking]

    def close(self) -> None:
        asyncio.run(self.graph.close())
        asyncio.run(self.corpus.close())


Make = Callable[..., Opened]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


@pytest.fixture
def make(library: Library) -> Iterator[Callable[..., Opened]]:
    opened: list[Opened] = []

    def build(*vocabularies: forms.Vocabulary) -> Opened:
        build_graph(library, "g", vocabularies)
        opened.append(Opened(library, "g"))
        return opened[-1]

    yield build
    for one in opened:
        one.close()


@in_one_test
class TestContract(SourceContract):
    lookups = (
        Lookup(asked=ConceptQuery(term="aspirin", question="Does it treat fever?")),
        Lookup(asked=ConceptQuery(term="Fevers", question="")),
    )
    nothing = Lookup(asked=ConceptQuery(term="xylophone", question="What does it treat?"))

    @pytest.fixture
    def make(self, make: Make) -> Callable[[], Source]:
        opened = make(vocabulary("A", DRUGS))
        return lambda: GraphSource(open_graph(opened.store.path), opened.corpus.fetch)


def test_a_term_gives_its_definition_and_its_relations_and_the_graph_tells_its_names(make: Make) -> None:
    graph = make(vocabulary("A", DRUGS))
    assert graph.lines("acetylsalicylic acid", "Does it help against fever?") == [
        "Definition (TEST): A salicylate. It is old.",
        "Aspirin treats Fever.",
        "Aspirin treats Headache (in adults).",
    ]
    assert graph.lines("HEADACHE") == [
        "Headache is a kind of Pain in the head.",
        "Headache is treated by Aspirin (in adults).",
    ]
    assert graph.lines("X:4") == ["Pain in the head includes Headache."]
    (ranking,) = graph.ask("aspirin", "fever", limit=2).rankings
    assert ranking[-1].passage.text == "Aspirin treats Fever."
    document = graph.snapshot.documents(["X:1"])["X:1"]
    assert (document.title, document.kind, document.license) == ("Aspirin", "graph", "licence of A")

    # names, and what the graph says of itself
    assert graph.ask("painkillers").notes == ("'painkillers' was read as Aspirin (X:1)",)
    unknown = graph.ask("asprin", "dose")
    assert (unknown.size, unknown.understood) == (0, True)
    assert unknown.notes == ("no concept of A is called 'asprin'; nearest names: Aspirin",)
    assert graph.ask('"AND* (').rankings == ()
    plain = Lookup(asked=PlainWords(text="Does aspirin treat fever?"))
    assert not asyncio.run(graph.graph.search(plain, Filters())).understood
    assert (graph.store.size, graph.graph.name) == ((4, 1, 3), "graph:A")
    assert (graph.graph.described.licence, graph.graph.described.origin) == ("A: licence of A", "a test")
    assert list(graph.snapshot.file_report().notes) == [
        "1 relations left out: one of their concepts is in none of the vocabularies, or filtered out"
    ]
    aspirin = asyncio.run(graph.graph.concept("acetylsalicylic acid", 3))
    (entry,) = aspirin.entries
    assert (aspirin.by, entry.id, entry.name) == ("exact", "X:1", "Aspirin")
    assert entry.synonyms == ("Acetylsalicylic acid", "Painkiller")
    for term, near in (("Headache", "Pain in the head"), ("X:4", "Headache")):
        (entry,) = asyncio.run(graph.graph.concept(term, 3)).entries
        assert [one.name for one in (*entry.above, *entry.below)] == [near]


def test_a_drug_joins_the_concept_with_its_name(make: Make) -> None:
    graph = make(vocabulary("A", DRUGS), vocabulary("B", BANK, joins=True))
    assert graph.lines("Aspirin", "pain")[1] == "Indication (BANK): For pain."
    assert graph.lines("BANK:7") == graph.lines("X:1")
    assert graph.lines("nobody else has this") == ["Nobody else has this interacts with Aspirin."]
    assert graph.store.size == (5, 1, 4)
    document = graph.snapshot.documents(["X:1"])["X:1"]
    assert document.license == "licence of A; licence of B"
    assert make(vocabulary("A", DRUGS, both_ways=True)).lines("Fever") == []  # what it states both ways is not turned


def test_a_long_page_continues_in_others(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medground.graph.pages.MOST_LINES", 20)
    records: list[forms.Record] = [forms.ConceptRecord("X:0", "Hub"), forms.DefinitionRecord("X:0", "The centre.")]
    for n in range(1, 46):
        records += [forms.ConceptRecord(f"X:{n}", f"Leaf number {n}"), forms.RelationRecord(f"X:{n}", "is_a", "X:0")]
    graph = make(vocabulary("A", records))
    (ranking,) = graph.ask("hub", "leaf number 44").rankings
    assert [hit.passage.text for hit in ranking][:2] == ["Definition: The centre.", "Hub includes Leaf number 44."]
    assert ranking[1].passage.document_id == "X:0/3"
    assert len(ranking) == 10


def test_a_build_that_was_interrupted_goes_on_with_the_file_it_had_not_finished(library: Library) -> None:
    read: list[str] = []

    def stream(name: str, records: Sequence[forms.Record], fails: bool) -> Iterator[forms.Record]:
        read.append(name)
        yield from records
        if fails:
            raise KeyboardInterrupt

    def graph(*, fails: bool) -> forms.Vocabulary:
        first = forms.Part("first", "1", partial(stream, "first", DRUGS[:8], fails=False))
        second = forms.Part("second", "1", partial(stream, "second", DRUGS[8:], fails=fails))
        return forms.Vocabulary("A", "l", "o", (first, second))

    with pytest.raises(KeyboardInterrupt):
        build_graph(library, "g", [graph(fails=True)])
    assert not library.has("g")
    with pytest.raises(SnapshotCorrupt):
        open_graph(draft_file(library, "g"))
    build_graph(library, "g", [graph(fails=False)])
    assert read == ["first", "second", "second"]
    assert not draft_file(library, "g").exists()
    with library.open("g") as snapshot:
        assert snapshot.manifest.counts.documents == 4


def test_damaged_and_busy_drafts(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medground.graph.draft._LOCK_SECONDS", 0.05)
    library.folder.mkdir(parents=True)
    draft_file(library, "g").write_bytes(b"not a database" * 100)
    first = build_graph(library, "g", [vocabulary("A", DRUGS)])
    assert first.counts.documents == 4
    with contextlib.closing(sqlite3.connect(draft_file(library, "g"))) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(UsageError, match="is being written by another process"):
            build_graph(library, "g", [vocabulary("A", DRUGS)])
    assert build_graph(library, "g", [vocabulary("A", DRUGS)]).hash == first.hash
    with pytest.raises(BadDocument, match="A has no concept to add; check its filters"):
        build_graph(library, "g", [vocabulary("A", (forms.NoteRecord("nothing here"),))])


PAGE = Path(__file__).parents[2] / "docs" / "knowledge-graph.md"
DISEASES = """\
format-version: 1.2
ontology: doid

[Term]
id: DOID:4
name: disease

[Term]
id: DOID:114
name: heart disease
def: "A disease of the heart and vessels." []
is_a: DOID:4 ! disease
"""


def test_the_example_of_the_page_prints_what_the_page_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = re.search(
        r"```python\n(.*?)```\n\nprints\n\n((?:    [^\n]*\n)+)", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    assert found is not None
    printed = textwrap.dedent(found[2]).strip()
    monkeypatch.chdir(tmp_path)
    exec(found[1], {})
    assert capsys.readouterr().out.strip() == printed
