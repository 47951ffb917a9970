"""`medground demonstrations`, and a pool from PubMedQA's own training records."""

from __future__ import annotations

import asyncio
import gzip
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from medground.answering.trace import read_trace
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.engine.engine import Engine
from medground.home.settings import Settings
from medground.models.base import Keyless
from medground.models.operators.reasoning import ReasonOutput, SubClaim
from medground.models.registry import Models
from medground.recipes.reason_and_verify.pool import read_pool
from medground.testing.command import run
from medground_evaluate.pools import build_pool
from medground_evaluate.training_questions import Source

pytestmark = pytest.mark.usefixtures("stems")


def test_the_commands_build_show_and_refuse_pools(
    settings: Settings, records_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEDGROUND_HOME", str(settings.home))
    if importlib.util.find_spec("huggingface_hub"):
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)  # the preset's reranker is not at hand
    made = ("demonstrations", "build", "small", "--from", str(records_file), "-c", "small", "--limit", "6", "-q")
    assert run(*made) == 0
    said = capsys.readouterr()
    assert said.out.startswith("small: 6 demonstrations (")
    assert "refused: from the split test" in said.err
    assert run("demonstrations", "info", "small") == 0
    assert "keyless (reason)" in capsys.readouterr().out
    assert run("demonstrations", "info", "small", "--json") == 0
    assert json.loads(capsys.readouterr().out)["demonstrations"] == 6
    assert run("demonstrations", "info", "absent") == 2
    assert run("ask", "Does zinc prevent gout?", "--preset", "dynamic-demonstrations", "-c", "small", "-q") == 2
    said = capsys.readouterr()
    assert len(said.err.strip().splitlines()) == 2
    shown = ("--set", "reason_and_verify.pool=small", "--set", "reason_and_verify.reranker=none")
    asked = "Does exercise prevent asthma in ward 7?"
    assert run("ask", asked, "--preset", "dynamic-demonstrations", "-c", "small", "-q", *shown) == 0


def test_a_pool_from_held_out_questions_has_to_be_declared(
    settings: Settings, records_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEDGROUND_HOME", str(settings.home))
    made = ("demonstrations", "build", "small", "--from", str(records_file), "-c", "small", "-q")
    assert run(*made, "--dataset", "pubmedqa", "--as-training", "--limit", "2") == 0
    capsys.readouterr()
    assert run("demonstrations", "info", "small") == 0
    assert "every split, as the user declared" in capsys.readouterr().out
    assert run(*made, "--against", str(records_file)) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert run(*made, "--dataset", "nothing") == 2
    assert "unknown data set 'nothing'" in capsys.readouterr().err


FIRST = 120
"""Number of test records in the corpus, none of which may become a demonstration."""


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    data = Path(__file__).resolve().parents[3] / "shared" / "data" / "pubmedqa" / "pqa_l.jsonl.gz"
    if not data.is_file():
        pytest.skip("needs the real data in ../shared/data, which is absent here")
    with gzip.open(data, "rt", encoding="utf-8") as lines:
        read = [json.loads(line) for line in lines]
    kept = [r for r in read if r["split"] != "test"][:60] + [r for r in read if r["split"] == "test"][:FIRST]
    path = tmp_path_factory.mktemp("pubmedqa") / "some.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in kept), encoding="utf-8")
    return path, [r for r in kept if r["split"] == "test"]


@pytest.fixture(scope="module")
def home(records: tuple[Path, list[dict[str, Any]]], tmp_path_factory: pytest.TempPathFactory, stems: Any) -> Path:
    """A home folder with a corpus of these records and a pool of 40."""
    folder = tmp_path_factory.mktemp("home")
    build(Library(folder), "pubmedqa", find_inputs([records[0]]))
    settings = Settings.load(environ={"MEDGROUND_HOME": str(folder)}, options={"retrieval.corpora": ("pubmedqa",)})
    asyncio.run(build_pool("pubmedqa", Source(records[0]), settings, limit=40))
    return folder


def test_a_model_sees_demonstrations_for_real_questions(
    home: Path, records: tuple[Path, list[dict[str, Any]]], scripted_model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first_passage(value: Any) -> ReasonOutput:
        sentences = value.passages[0].sentences  # all of them, since one that states an aim does not support a decision
        return ReasonOutput(claims=tuple(SubClaim(text=s.text, sentences=(s.id,)) for s in sentences), answer=("yes",))

    model = scripted_model({"reason_or_recall": first_passage})
    models = Models("keyless", {"reason_or_recall": model.name}, {"keyless": Keyless(), model.name: model})
    monkeypatch.setattr("medground.engine.opening.open_models", lambda settings, operators: models)
    settings = Settings.load(
        preset="dynamic-demonstrations",
        environ={"MEDGROUND_HOME": str(home)},
        options={"retrieval.corpora": ("pubmedqa",), "reason_and_verify.reranker": "none"},
    )

    async def ask() -> list[Any]:
        async with await Engine.open(settings) as engine:
            return [await engine.ask(r["question"], task="yes-no-maybe") for r in records[1][:3]]

    made = read_pool("pubmedqa", home)
    assert made.manifest.demonstrations == 40
    assert made.manifest.left_out["refused: from the split test"] == FIRST
    assert {str(r["pmid"]) for r in records[1]}.isdisjoint(one.id for one in made.solved)
    pool = {one.question: one for one in made.solved}
    for answer, (_, value) in zip(asyncio.run(ask()), model.seen, strict=True):
        assert [d.question in pool for d in value.demonstrations] == [True, True]
        assert all(d.answer == pool[d.question].answer for d in value.demonstrations)
        (seen,) = [s for s in read_trace(home / "traces", answer.trace_id) if s["name"] == "demonstrations"]
        assert seen["attributes"]["medground.shown"] == [pool[d.question].id for d in value.demonstrations]
        (statement, *_) = answer.statements
        assert statement.verdict.label == "quoted"
        assert answer.decision.shown() == "yes"
