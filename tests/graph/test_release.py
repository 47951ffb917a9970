"""The release of an ontology: read, worded, and asked from end to end."""

import contextlib
import functools
import importlib.util
import json
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from refusals import refused
from rows import each_row, tables

from medground.corpus.build import build
from medground.corpus.library import GRAPH_FILE, Library
from medground.corpus.readers import find_inputs
from medground.engine.blocking import BlockingEngine
from medground.errors import BadDocument, ConfigError, UsageError
from medground.graph.base import Graph, Named
from medground.graph.concept_store import ConceptStore
from medground.graph.names import FULL, disease_keys, name_key
from medground.graph.relation import frequency
from medground.graph.starter import GraphWriter, Page, build_starter, pages, starter_input
from medground.graph.store import GraphStore
from medground.graph.vocabularies.hpo import Hpo
from medground.graph.vocabularies.hpo import hpo as vocabulary
from medground.graph.writing import build_graph
from medground.home.settings import Settings
from medground.values.evidence import Evidence
from medground.values.question import Question
from medground.wording.phrases import headline

TABLES = tables(__file__)

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


@each_row(("name", "before", "after", "says"), TABLES["an_invalid_or_missing_file"])
def test_an_invalid_or_missing_file(
    release: Hpo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, before: str, after: str, says: str
) -> None:
    path = shutil.copytree(release.folder, tmp_path / "changed") / name
    path.write_text(path.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    refused(BadDocument, says, lambda: list(pages(Hpo.open(path.parent))))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    refused(ConfigError, r'pip install "medground\[starter\]"', Hpo.open)


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


@each_row("names", TABLES["spellings_of_one_name_have_one_key"])
def test_spellings_of_one_name_have_one_key(names: tuple[str, ...]) -> None:
    assert len({name_key(name) for name in names}) == 1


@each_row(("one", "other"), TABLES["different_names_have_different_keys"])
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


PAPER = {
    "id": "PMID:77",
    "title": "Odd lens in Alpha syndrome 1",
    "text": "Odd lens was found in 60 of 80 adults with Alpha syndrome 1. Vision was normal.",
}
Engines = Callable[..., BlockingEngine]


@pytest.fixture(scope="module")
def engines(built_starter: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """Engines over the starter corpus of the small release and one paper, each opened once."""
    home = shutil.copytree(built_starter, tmp_path_factory.mktemp("home") / "home")
    (home / "paper.jsonl").write_text(json.dumps(PAPER), encoding="utf-8")
    build(Library(home), "papers", find_inputs([home / "paper.jsonl"]))
    opened: dict[tuple[str, ...], BlockingEngine] = {}

    def engine(*corpora: str) -> BlockingEngine:
        if corpora not in opened:
            settings = Settings.load(environ={"MEDGROUND_HOME": str(home)}, options={"retrieval.corpora": corpora})
            opened[corpora] = BlockingEngine(settings)
        return opened[corpora]

    yield engine
    for one in opened.values():
        one.close()


@pytest.fixture
def engine(engines: Engines) -> BlockingEngine:
    """An engine over the starter corpus of the small release."""
    return engines("starter")


@pytest.fixture
def beside(engines: Engines) -> BlockingEngine:
    """An engine over the starter corpus and one paper."""
    return engines("starter", "papers")


def test_a_stored_relation_is_yes_and_supported_by_its_line(engine: BlockingEngine, built_starter: Path) -> None:
    answer = engine.ask("Is odd lens a feature of Alpha syndrome 1?")
    assert (answer.decision.shown(), answer.decision.status, answer.decision.basis) == ("yes", "decided", "graph fact")
    assert [(s.verdict.label, s.verdict.critic) for s in answer.statements] == [("supported", "graph")]
    assert "3 of 4 patients" in answer.evidence[0].quote
    assert "PMID:11, PMID:12" in answer.evidence[0].quote
    with Library(built_starter).open("starter") as snapshot:
        documents = snapshot.documents([e.document_id for e in answer.evidence])
    for evidence in answer.evidence:
        Evidence.model_validate(evidence.model_dump(), context={"documents": documents})
    assert answer.usage.model_calls == 0
    assert [(s.source, s.status, s.hits) for s in answer.searches] == [("graph:HPO 2030-02-03", "found", 1)]


@each_row(("text", "decided", "status", "said"), TABLES["stored"])
def test_what_is_stored_decides(engine: BlockingEngine, text: str, decided: str, status: str, said: str) -> None:
    answer = engine.ask(text)
    assert answer.decision.status == status
    assert not decided or answer.decision.shown() == decided
    assert said in answer.decision.reason
    assert [s.verdict.label for s in answer.statements] == ["supported"] * len(answer.evidence)
    assert bool(answer.evidence) == (status != "unanswerable")


def test_an_unusable_starter_is_rebuilt(
    built_starter: Path, home: Path, release: Hpo, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("medground.graph.starter.build_starter", functools.partial(build_starter, release=release))
    shutil.copytree(built_starter, home)
    manifest = next(home.glob("corpora/starter/*/manifest.json"))
    stored = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps(stored | {"format": 0}), encoding="utf-8")
    with BlockingEngine(Settings.load()) as engine:
        assert engine.ask("Is odd lens a feature of Alpha syndrome 1?").decision.shown() == "yes"
    assert "is rebuilt" in caplog.text


def test_facts_come_first_then_the_literature_and_the_facts_decide(beside: BlockingEngine) -> None:
    answer = beside.ask("Is odd lens a feature of Alpha syndrome 1?")
    assert (answer.decision.shown(), answer.decision.basis) == ("yes", "graph fact")
    assert [s.verdict.label for s in answer.statements] == ["supported", "quoted"]
    assert [e.document_id for e in answer.evidence] == ["OMIM:1", "PMID:77"]
    assert {s.source for s in answer.searches} == {"graph:HPO 2030-02-03", "corpus:papers"}
    answer = beside.ask("Is left odd lens a feature of Beta disease, odd type?")  # of which the paper says nothing
    assert {e.document_id for e in answer.evidence} == {"OMIM:3"}
    answer = beside.ask("Is blue toe a feature of Beta disease, odd type?")
    assert answer.decision.reason == "not recorded in HPO 2030-02-03; the texts searched have no evidence on it"


def test_a_question_that_is_not_understood_gets_wordings_that_work(engine: BlockingEngine) -> None:
    answer = engine.ask("What is the best treatment of Alpha syndrome 1?")
    assert answer.decision.status == "unanswerable"
    assert "did not understand the question" in answer.decision.reason
    assert "no evidence on this question" not in answer.decision.reason
    wordings = re.findall("“(.+?)”", answer.decision.reason)
    assert wordings
    for wording in wordings:
        assert engine.ask(wording).evidence


def test_bad_input_is_refused_truthfully(engine: BlockingEngine) -> None:
    for text in ("x", "42", "a\x00\x07b", "zzz \U0001f9ec zzz", "Alpha syndorme 1 and blue tow"):
        assert engine.ask(text).decision.status == "unanswerable"
    for text in ("\U0001f600\U0001f9ec", "\x01\x02", "", "???"):
        with pytest.raises(UsageError, match=r"write it in words|is empty"):
            engine.ask(text)
    with pytest.raises(UsageError, match="at most 26 options; 40 were given"):
        Question.ask("Which one?", options=[f"option {number}" for number in range(40)])


def test_another_language_is_said_and_searched_all_the_same(beside: BlockingEngine) -> None:
    foreign = ("¿Cuáles son los síntomas del síndrome de Alpha?", "Quels sont les signes?", "Was sind die Symptome?")
    for text in (*foreign, "What are the symptoms of Alpha syndrome?", "Cri du chat syndrome"):
        answer = beside.ask(text)
        assert any("only English is read" in warning for warning in answer.warnings) is (text in foreign), text
        assert answer.searches
    assert headline(beside.ask("Was sind die Symptome?")).endswith("and nothing was translated")
