"""Building a base: what each source becomes, and what a second, an interrupted or a changed build does; opening it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from knowledge_base import ALL, BOOK, GRAPH, GUIDELINE, WIKI, made, written
from numpy.typing import NDArray
from refusals import refused

from medground.corpus.build import add, build
from medground.corpus.embedder import Embedder
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.engine.blocking import BlockingEngine
from medground.engine.open_engine import open_sources
from medground.errors import BadDocument, ConfigError, UsageError
from medground.graph.bases.building import build_base, remove_base
from medground.graph.bases.record import Base, Bases, of_base, table
from medground.graph.bases.spec import read_spec
from medground.home.settings import Settings
from medground.sources.base import DescribedSource
from medground.values.document import Document
from medground.values.source_plan import SourceDescription


def documents(home: Path, corpus: str) -> dict[str, Document]:
    with Library(home).open(corpus) as snapshot:
        return {document.id: document for document in snapshot.all_documents()}


def test_each_source_is_a_corpus_and_only_a_changed_one_is_built_again(place: Path, home: Path) -> None:
    spec = written(place, *ALL)
    built = made(spec, home)
    assert built.base.sources == ("book", "guideline", "research", "wiki", "graph")
    for source in built.base.sources:
        described = Library(home).info(f"omni.{source}").described
        assert described is not None
        assert (described.name, described.licence) == (source, f"the licence of the {source}")
        assert {document.kind for document in documents(home, f"omni.{source}").values()} == {source}
    assert set(documents(home, "omni.guideline")) == {"QA:1", "QA:3"}
    assert set(documents(home, "omni.wiki")) == {"QA:2"}
    # documents, chunks and words are counted, and a graph by its concepts
    found = of_base(built.base, Library(home))
    assert (found["research"].documents, found["research"].chunks, found["research"].words_per_chunk) == (5, 5, 6)
    assert (found["graph"].concepts, found["graph"].relations) == (3, 1)
    lines = [line.split() for line in table([(name, found[name]) for name in ("research", "graph")])]
    assert lines == [
        ["Source", "#Docs", "#Chunks", "#Words/Chunk"],
        ["research", "5", "5", "6.0"],
        ["#Concepts", "#Definitions", "#Relations"],
        ["graph", "3", "0", "1"],
    ]
    again = made(spec, home)
    assert [one.seconds for one in again.sources] == [None] * 5
    assert again.base == built.base
    (place / "book" / "4.txt").write_text("The liver is an organ.\n", encoding="utf-8")
    third = made(spec, home)
    assert [one.name for one in third.sources if one.seconds is not None] == ["book"]
    assert third.base.counted["book"].documents == 4
    # a new description is written without reading anything again, and a source that is dropped is removed
    steps: list[str] = []
    spec.write_text(spec.read_text().replace("What a book", "All that a book"), encoding="utf-8")
    fourth = made(spec, home, lambda step, done, total: steps.append(step))
    one, other = third.sources[0].manifest, fourth.sources[0].manifest
    assert (steps, one.hash) == ([], other.hash)
    assert other.described is not None and other.described.about == "All that a book of this test holds."
    Library(home).verify("omni.book")
    assert made(written(place, WIKI), home).removed == ("book", "guideline", "research", "graph")
    assert Library(home).list() == ("omni.wiki",)
    assert Bases(home).read("omni").sources == ("wiki",)


def test_an_interrupted_build_is_resumed_and_what_was_finished_is_left_alone(place: Path, home: Path) -> None:
    def interrupted(step: str, done: int, total: int | None) -> None:
        if step.startswith("wiki: index"):
            raise KeyboardInterrupt

    spec = written(place, *ALL)
    with pytest.raises(KeyboardInterrupt):
        made(spec, home, interrupted)
    refused(UsageError, "half-built", lambda: Bases(home).read("omni"))
    built = made(spec, home)
    assert [one.name for one in built.sources if one.seconds is None] == ["book", "guideline", "research"]
    assert (built.base.sources, built.base.pending) == (("book", "guideline", "research", "wiki", "graph"), ())


def test_a_condition_that_no_document_meets_is_an_error(place: Path, home: Path) -> None:
    spec = written(place, BOOK, GUIDELINE.replace("advice", "advise"))
    refused(BadDocument, r"source guideline: .*none of its 3 documents has set = advise", made, spec, home)
    assert Library(home).list() == ("omni.book",)
    remove_base("omni", home)
    assert Library(home).list() == ()
    assert Bases(home).list() == ()
    refused(UsageError, "no knowledge base 'omni'", remove_base, "omni", home)
    build(Library(home), "omni.book", find_inputs([place / "book"]))  # by other means, so it is not replaced
    refused(UsageError, r"omni\.book was not built for this base", lambda: made(written(place, BOOK), home))


def test_a_graph_of_umls_takes_languages_and_sources(place: Path, home: Path) -> None:
    folder = place / "umls"
    folder.mkdir()
    atoms = [("C0000001", "ENG", "Aspirin", "MSH"), ("C0000001", "SPA", "Aspirina", "MSHSPA")]
    atoms += [("C0000002", "ENG", "Headache", "CHV")]
    rows = [f"{cui}|{lat}|P||PF||Y|||||{sab}|MH||{text}||N||" for cui, lat, text, sab in atoms]
    tables = {"MRCONSO": rows, "MRDEF": [], "MRREL": [], "MRSTY": ["C0000001|T121|||||"]}
    for name, lines in tables.items():
        (folder / f"{name}.RRF").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    umls = 'reader = "umls", path = "umls"'
    graph = GRAPH.replace('reader = "mesh", path = "mesh.tsv"', f'{umls}, where = {{ LAT = "ENG", SAB = ["MSH"] }}')
    built = made(written(place, graph), home)
    assert [document.title for document in documents(home, "omni.graph").values()] == ["Aspirin"]
    assert built.base.sources == ("graph",)
    # an ontology that says no licence has that of its source
    terms = "[Term]\nid: T:1\nname: heart\n\n[Term]\nid: T:2\nname: ventricle\nis_a: T:1\n"
    (place / "tiny.obo").write_text(f"format-version: 1.2\nontology: tiny\n\n{terms}", encoding="utf-8")
    made(written(place, GRAPH.replace('reader = "mesh", path = "mesh.tsv"', 'reader = "obo", path = "tiny.obo"')), home)
    assert {one.license for one in documents(home, "omni.graph").values()} == {"the licence of the graph"}
    wrong = graph.replace("LAT", "TTY")
    with pytest.raises(ConfigError, match=r"umls has no such filter; .* keep only LAT and SAB in `where`"):
        made(written(place, wrong), home)


class Tiny:
    """An embedding model of two numbers."""

    name, identity, dimensions = "tiny", "tiny@1", 2

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[1.0, 0.0] for _ in texts], dtype=np.float32)


def test_vectors_are_those_of_the_source_else_those_of_the_base(place: Path, home: Path) -> None:
    spec = written(place, BOOK + 'embed = "none"\n', WIKI)
    spec.write_text('embed = "tiny"\n' + spec.read_text(), encoding="utf-8")
    asked: list[str] = []

    def opened(name: str) -> Embedder:
        asked.append(name)
        return Tiny()

    for seconds in (float, type(None)):
        built = build_base(read_spec(spec), spec, home, open_embedder=opened)
        assert {type(one.seconds) for one in built.sources} == {seconds}
    assert asked == ["tiny"]
    vectors = [one.manifest.embedding.name if one.manifest.embedding else None for one in built.sources]
    assert vectors == [None, "tiny"]


DESCRIBED = SourceDescription(name="book", kind="book", about="Chapters.", licence="CC BY 4.0", origin="the test")


@pytest.fixture
def library(home: Path, tmp_path: Path) -> Library:
    (tmp_path / "heart.txt").write_text("The heart pumps blood. Aspirin thins it.", encoding="utf-8")
    library = Library(home)
    build(library, "omni.book", find_inputs([tmp_path / "heart.txt"]), described=DESCRIBED)
    return library


def test_a_base_is_opened_by_name_unless_a_corpus_is_named(library: Library, home: Path, tmp_path: Path) -> None:
    Bases(home).write(Base(name="omni", sources=("book",)))
    settings = Settings.load(options={"retrieval.knowledge_base": "omni"})
    with BlockingEngine(settings) as engine:
        assert [one.source for one in engine.search("heart").searches] == ["corpus:omni.book"]
        assert engine.search("heart").hits
    [source] = open_sources(settings)
    assert isinstance(source, DescribedSource)
    assert source.described == DESCRIBED
    (tmp_path / "lung.txt").write_text("The lung takes up oxygen.", encoding="utf-8")
    add(library, "omni.book", find_inputs([tmp_path / "lung.txt"]))
    assert library.info("omni.book").described == DESCRIBED
    build(library, "mine", find_inputs([tmp_path / "heart.txt"]))
    with BlockingEngine(settings, corpora="mine") as engine:
        assert [one.source for one in engine.search("heart").searches] == ["corpus:mine"]


def test_a_half_built_or_unknown_base_is_not_opened(library: Library, home: Path) -> None:
    Bases(home).write(Base(name="omni", pending=("book", "wiki"), spec="kb.toml"))
    with pytest.raises(UsageError, match=r"half-built; finish it with medground kb build kb\.toml"):
        BlockingEngine(Settings.load(options={"retrieval.knowledge_base": "omni"}))
    with pytest.raises(UsageError, match=r"no knowledge base 'onmi' \(existing: omni\)"):
        BlockingEngine(Settings.load(options={"retrieval.knowledge_base": "onmi"}))
    for name in ("../omni", "a/b", "", ".", "Omni", "o" * 32):
        with pytest.raises(UsageError, match="not a name of a knowledge base"):
            Bases(home).find(name)
