"""Pools from any data set: BioASQ's golden files, PubMedQA's training records, questions of your own; the commands."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from rows import each_row

from medground.answering.trace import read_trace
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.engine.engine import Engine
from medground.errors import ConfigError, UsageError
from medground.home.settings import Settings
from medground.models.base import Keyless
from medground.models.operators.reasoning import ReasonOutput, SubClaim
from medground.models.registry import Models
from medground.recipes.reason_and_verify.demonstrations import fits
from medground.recipes.reason_and_verify.pool import Pool, PoolManifest, Solved, pool_path, read_pool
from medground.recipes.settings import ReasonAndVerifySettings
from medground.testing.command import run
from medground.values.question import Question
from medground_evaluate.pools import build_pool
from medground_evaluate.training_questions import Source

pytestmark = pytest.mark.usefixtures("stems")

DRUGS = ["aspirin", "statins", "insulin", "zinc", "metformin", "exercise"]


def asked(task: int, number: int, kind: str, drug: str = "") -> dict[str, Any]:
    drug, pmid = drug or DRUGS[number], 100 * task + number
    where = f"http://www.ncbi.nlm.nih.gov/pubmed/{pmid}"
    text = f"{drug.title()} lowered the risk of stroke in ward {pmid}."
    question = {
        "id": f"{task}-{number}",
        "body": f"Does {drug} lower the risk of stroke?" if kind == "yesno" else f"Which risk does {drug} lower?",
        "type": kind,
        "ideal_answer": [f"{drug.title()} lowers the risk of stroke."],
        "documents": [where],
        "snippets": [
            {"document": where, "text": f"{drug.title()} and stroke", "beginSection": "title"},
            {"document": where, "text": text, "beginSection": "abstract", "offsetInBeginSection": 0},
        ],
    }
    return question | ({"exact_answer": "yes" if number % 2 else "no"} if kind == "yesno" else {})


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """Tasks 7b (six yes/no and two open questions) and 8b (one of which repeats a question of 7b)."""
    folder = tmp_path / "bioasq"
    folder.mkdir()
    first = [*(asked(7, n, "yesno") for n in range(6)), asked(7, 6, "factoid", "rest"), asked(7, 7, "summary", "tea")]
    second = [asked(8, 0, "yesno", "coffee"), asked(8, 1, "yesno", "zinc")]
    for name, questions in (("task7b.json", first), ("task8b.json", second)):
        (folder / name).write_text(json.dumps({"questions": questions}), encoding="utf-8")
    return folder


@pytest.fixture
def with_snippets(tmp_path: Path, golden: Path) -> Settings:
    """Settings with a home that has a corpus of the snippets."""
    home = tmp_path / "bioasq-home"
    build(Library(home), "bioasq", find_inputs([golden], "bioasq"))
    options = {"retrieval.corpora": ("bioasq",), "model.cache": False, "recipe.name": "reason-and-verify"}
    return Settings.load(environ={"MEDGROUND_HOME": str(home)}, options=options)


def made(settings: Settings, source: Source, **more: Any) -> tuple[PoolManifest, Pool]:
    manifest = asyncio.run(build_pool("bioasq", source, settings, **more))
    return manifest, read_pool("bioasq", settings.home)


def test_a_pool_keeps_its_passages_and_shows_them(with_snippets: Settings, golden: Path) -> None:
    manifest, pool = made(with_snippets, Source(golden, "bioasq"))
    assert (manifest.dataset, manifest.demonstrations, manifest.as_training) == ("bioasq", 7, False)
    assert manifest.left_out == {"refused: from the split test": 2, "repeats a held-out question": 1}
    assert {one.id.split("-")[0] for one in pool.solved} == {"7"}
    assert "Does zinc lower the risk of stroke?" not in {one.question for one in pool.solved}
    answers = {one.id: (one.task, one.answer, one.reference) for one in pool.solved}
    assert answers["7-1"] == ("yes-no", ("yes",), "")
    assert answers["7-6"] == ("free", ("answered",), "Rest lowers the risk of stroke.")

    _, pool = made(with_snippets, Source(golden, "bioasq-yesno"))
    for one in pool.solved:
        assert 1 <= len(one.passages) <= 5
        assert {quoted.document_id for quoted in one.evidence} <= {passage.document_id for passage in one.passages}
        shown, short = one.shown(passages=True), one.shown()
        assert list(shown.evidence) == [passage.quote for passage in one.passages]
        assert shown.rationale == one.linked and "[" in one.linked and "[" not in short.rationale
        assert short.evidence == tuple(quoted.quote for quoted in one.evidence)

    made(with_snippets.with_section(ReasonAndVerifySettings(passages=1)), Source(golden, "bioasq"))
    chosen = ReasonAndVerifySettings(passages=1, pool="bioasq", shots=2, shown="passages")

    async def ask() -> Any:
        async with await Engine.open(with_snippets.with_section(chosen)) as engine:
            return await engine.ask("Does coffee lower the risk of gout?", task="yes-no")

    answer = asyncio.run(ask())
    (span,) = [s for s in read_trace(with_snippets.home / "traces", answer.trace_id) if s["name"] == "demonstrations"]
    assert span["attributes"]["medground.left_out_other_form"] == 2
    shown = span["attributes"]["medground.shown"]
    assert len(shown) == 2 and not {"7-6", "7-7"} & set(shown)


def test_questions_that_will_be_asked_keep_theirs_out_of_the_pool(
    with_snippets: Settings, golden: Path, tmp_path: Path
) -> None:
    later = tmp_path / "mine.jsonl"
    mine = {"id": "m", "question": "Does insulin lower the risk of stroke?", "answer": "yes", "task": "yes-no"}
    later.write_text(json.dumps(mine | {"split": "train"}) + "\n", encoding="utf-8")
    manifest, pool = made(with_snippets, Source(golden, "bioasq-yesno", (later,)))
    assert manifest.against == ("mine.jsonl",)
    assert manifest.left_out["repeats a held-out question"] == 2
    assert mine["question"] not in {one.question for one in pool.solved}
    without, _ = made(with_snippets, Source(golden, "bioasq-yesno"))
    assert without.source_sha256 != manifest.source_sha256


def test_a_set_that_several_loaders_read_is_named(with_snippets: Settings, golden: Path) -> None:
    with pytest.raises(UsageError, match="can be read as bioasq, bioasq-yesno; choose one with --dataset NAME"):
        made(with_snippets, Source(golden / "task7b.json"))
    with pytest.raises(UsageError, match=r"from a training split; .*6 refused: from the split test"):
        made(with_snippets, Source(golden / "task7b.json", "bioasq-yesno"))


def solved(task: Any, *answer: str) -> Solved:
    return Solved.model_construct(task=task, answer=answer)


@each_row(
    ("task", "answer", "question", "expected"),
    [
        ("yes-no", "yes", "yes-no", True),
        ("yes-no", "no", "yes-no-maybe", True),
        ("yes-no-maybe", "no", "yes-no", True),
        ("yes-no-maybe", "maybe", "yes-no", False),
        ("free", "answered", "yes-no", False),
        ("free", "answered", "free", True),
    ],
)
def test_only_demonstrations_with_a_fitting_answer_are_shown(
    task: str, answer: str, question: Any, expected: bool
) -> None:
    assert fits(solved(task, answer), Question.ask("Does it help?", task=question)) is expected


def test_a_pool_without_passages_cannot_show_them(with_snippets: Settings, golden: Path) -> None:
    made(with_snippets, Source(golden, "bioasq"))
    file = pool_path("bioasq", with_snippets.home)
    lines = [json.loads(line) | {"passages": []} for line in file.read_text(encoding="utf-8").splitlines()]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    manifest = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    manifest["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    file.with_suffix(".json").write_text(json.dumps(manifest), encoding="utf-8")
    chosen = ReasonAndVerifySettings(pool="bioasq", shots=2, shown="passages")
    with pytest.raises(ConfigError, match="has no passages of its demonstrations"):
        asyncio.run(opened(with_snippets.with_section(chosen)))


async def opened(settings: Settings) -> None:
    async with await Engine.open(settings) as engine:
        await engine.ask("Does coffee lower the risk of gout?")


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
    data = Path(__file__).resolve().parents[4] / "shared" / "data" / "pubmedqa" / "pqa_l.jsonl.gz"
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
