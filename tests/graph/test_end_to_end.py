"""Questions to the starter corpus of a small release, from build to verdict, through the engine."""

from __future__ import annotations

import functools
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rows import each_row

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.engine.blocking import BlockingEngine
from medground.errors import UsageError
from medground.graph.starter import build_starter
from medground.graph.vocabularies.hpo import Hpo
from medground.home.settings import Settings
from medground.values.evidence import Evidence
from medground.values.question import Question

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


@each_row(
    ("text", "decided", "status", "said"),
    [
        ("Is odd lens a feature of Gamma disease?", "no", "decided", ""),  # stored with NOT
        ("Is blue toe a feature of OMIM:1?", "", "not judged", "not enough for a no"),  # 0 of 12 patients
        ("Is blue toe a feature of Beta disease, odd type?", "", "unanswerable", "not recorded in HPO 2030-02-03"),
        ("Which genes are associated with Alpha syndrome 1?", "ABC1", "decided", ""),
    ],
)
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
