"""Questions to the starter corpus of a small release, from build to verdict, through the engine."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from medground.blocking import BlockingEngine
from medground.corpus.library import Library
from medground.corpus.starter import build_starter
from medground.evidence import Evidence
from medground.graph.hpo import Hpo
from medground.settings import Settings


@pytest.fixture
def engine(home: Path, release: Hpo) -> Iterator[BlockingEngine]:
    """An engine over the starter corpus of the small release."""
    build_starter(Library(home), release=release)
    with BlockingEngine(Settings.load()) as opened:
        yield opened


def test_a_stored_relation_is_yes_and_supported_by_its_line(engine: BlockingEngine, home: Path) -> None:
    answer = engine.ask("Is odd lens a feature of Alpha syndrome 1?")
    assert (answer.decision.shown(), answer.decision.status, answer.decision.basis) == ("yes", "decided", "graph fact")
    assert [s.verdict.label for s in answer.statements] == ["supported"]
    assert answer.statements[0].verdict.critic == "graph"
    assert "3 of 4 patients" in answer.evidence[0].quote
    assert "PMID:11, PMID:12" in answer.evidence[0].quote
    with Library(home).open("starter") as snapshot:
        documents = snapshot.documents([e.document_id for e in answer.evidence])
    for evidence in answer.evidence:
        Evidence.model_validate(evidence.model_dump(), context={"documents": documents})
    assert answer.usage.model_calls == 0
    assert [(s.source, s.status, s.hits) for s in answer.searches] == [("graph:HPO 2030-02-03", "found", 1)]


def test_the_qualifier_not_is_no(engine: BlockingEngine) -> None:
    answer = engine.ask("Is odd lens a feature of Gamma disease?")
    assert (answer.decision.shown(), answer.decision.basis) == ("no", "graph fact")


def test_seen_in_none_of_a_few_patients_decides_nothing(engine: BlockingEngine) -> None:
    answer = engine.ask("Is blue toe a feature of OMIM:1?")
    assert answer.decision.status == "not judged"
    assert "not enough for a no" in answer.decision.reason
    assert [s.verdict.label for s in answer.statements] == ["supported"]
    assert "0 of 12 patients" in answer.rationale


def test_what_is_not_recorded_is_unanswerable_and_never_no(engine: BlockingEngine) -> None:
    answer = engine.ask("Is blue toe a feature of Beta disease, odd type?")
    assert answer.decision.status == "unanswerable"
    assert "not recorded in HPO 2030-02-03" in answer.decision.reason
    assert answer.evidence == ()


def test_an_open_question_has_a_short_answer(engine: BlockingEngine) -> None:
    answer = engine.ask("Which genes are associated with Alpha syndrome 1?")
    assert answer.decision.shown() == "ABC1"


def test_an_unusable_starter_is_rebuilt(
    home: Path, release: Hpo, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("medground.corpus.starter.build_starter", functools.partial(build_starter, release=release))
    build_starter(Library(home), release=release)
    manifest = next(home.glob("corpora/starter/*/manifest.json"))
    stored = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps(stored | {"format": 0}), encoding="utf-8")
    with BlockingEngine(Settings.load()) as engine:
        assert engine.ask("Is odd lens a feature of Alpha syndrome 1?").decision.shown() == "yes"
    assert "is rebuilt" in caplog.text
