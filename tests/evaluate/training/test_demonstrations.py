"""Pools of demonstrations: built from training splits only, decontaminated, selected, and refused if changed."""

import asyncio
import hashlib
import importlib.util
import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refused

from medground.answering.trace import read_trace
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.engine.engine import Engine
from medground.errors import ConfigError, ModelFailed, SnapshotCorrupt, UsageError
from medground.home.settings import Settings
from medground.models.base import Keyless
from medground.models.operators.reasoning import ReasonOutput, SubClaim
from medground.models.registry import Models
from medground.recipes.reason_and_verify import pool as pools
from medground.recipes.reason_and_verify.demonstrations import selected
from medground.recipes.settings import ReasonAndVerifySettings
from medground.values.answer import Answer
from medground_evaluate.datasets.registry import Source
from medground_evaluate.pools import build_pool

pytestmark = pytest.mark.usefixtures("stems")
Records = Callable[..., Path]


def made_pool(settings: Settings, source: Path | Source, **more: Any) -> tuple[pools.PoolManifest, pools.Pool]:
    source = source if isinstance(source, Source) else Source(source)
    manifest = asyncio.run(build_pool("small", source, settings, **more))
    return manifest, pools.read_pool("small", settings.home)


def built(settings: Settings, source: Path | Source, **more: Any) -> pools.PoolManifest:
    return made_pool(settings, source, **more)[0]


def asked(settings: Settings, question: str, **choices: Any) -> tuple[Any, dict[str, Any]]:
    """The answer to a question with demonstrations, and their attributes in the trace."""
    chosen = settings.section(ReasonAndVerifySettings).model_copy(update={"pool": "small", "shots": 2, **choices})
    return answered(settings.with_section(chosen), question)


def test_a_pool_is_made_of_training_records_and_says_how(settings: Settings, records_file: Path) -> None:
    manifest, pool = made_pool(settings, records_file)
    assert pool.manifest == manifest
    assert (manifest.demonstrations, manifest.agreed) == (11, 0)
    assert manifest.left_out == {"refused: from the split test": 4, "repeats a held-out question": 1}
    assert manifest.models == {"reason": "keyless", "rewrite": "keyless"}
    assert {one.split for one in pool.solved} == {"train"}
    for one in pool.solved:
        assert one.answer == (("yes", "no", "maybe")[(int(one.id) - 1000) % 3],)
        assert f"PMID:{one.id}" in one.documents
        assert one.rationale and all(q.quote in one.rationale for q in one.evidence)

    first = built(settings, records_file, limit=3, seed=9)
    stored = json.loads((settings.home / "demonstrations" / "small.json").read_text(encoding="utf-8"))
    assert stored["seed"] == 9 and stored["limit"] == stored["demonstrations"] == 3
    assert stored["snapshots"][0]["name"] == "small" and stored["settings"]["shots"] == 0
    assert len(stored["source_sha256"]) == len(stored["sha256"]) == 64
    again, other = (built(settings, records_file, limit=3, seed=seed) for seed in (9, 4))
    assert first.sha256 == again.sha256 != other.sha256
    assert not (settings.home / "demonstrations" / "small.partial").exists()


def use(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give rationales by this model; questions are rewritten without one."""
    models = Models(model.name, {"rewrite": "keyless"}, {model.name: model, "keyless": Keyless()})
    monkeypatch.setattr("medground.engine.opening.open_models", lambda settings, operators: models)


def reasoned(value: Any) -> ReasonOutput:
    """Yes, as the first sentence says."""
    sentence = value.passages[0].sentences[0]
    return ReasonOutput(claims=(SubClaim(text="So it is.", sentences=(sentence.id,)),), answer=("yes",))


def test_a_stopped_build_resumes(
    settings: Settings, records_file: Path, monkeypatch: pytest.MonkeyPatch, scripted_model: Any
) -> None:
    calls: list[str] = []

    def reasons(value: Any) -> ReasonOutput:
        calls.append(value.question)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return reasoned(value)

    use(scripted_model({"reason": reasons}), monkeypatch)
    one_by_one = settings.model_copy(update={"model": settings.model.model_copy(update={"concurrency": 1})})
    with pytest.raises(KeyboardInterrupt):
        built(one_by_one, records_file)
    partial = settings.home / "demonstrations" / "small.partial"
    with partial.open("a", encoding="utf-8") as lines:
        lines.write('{"id": "PMID:1"')  # a build that was killed while writing
    manifest = built(one_by_one, records_file)
    assert manifest.demonstrations == 11
    assert len(calls) == 12  # only the interrupted one is asked twice
    assert manifest.agreed == manifest.classes["yes"]


def test_failures_of_the_model_are_counted_and_a_model_that_only_fails_is_an_error(
    settings: Settings, records_file: Path, monkeypatch: pytest.MonkeyPatch, scripted_model: Any
) -> None:
    failed = ModelFailed("no usable output", model="scripted:model")
    sometimes = scripted_model({"reason": lambda value: failed if "stroke" in value.question else reasoned(value)})
    use(sometimes, monkeypatch)
    manifest = built(settings, records_file)
    assert manifest.left_out["the model failed"] + manifest.demonstrations == 11
    use(scripted_model({"reason": failed}), monkeypatch)
    with pytest.raises(ModelFailed):
        built(settings, records_file, seed=1)


def test_what_cannot_be_a_pool_is_one_line(
    settings: Settings, write_records: Records, a_record: Any, tmp_path: Path
) -> None:
    for split, where in (("test", "test"), ("", "unknown")):
        with pytest.raises(UsageError, match=f"from a training split; .*1 refused: from the split {where}") as caught:
            built(settings, write_records([a_record(1, split)]))
        assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match="not a valid pool name"):
        asyncio.run(build_pool("../evil", Source(tmp_path / "absent.jsonl"), settings))
    refused(ConfigError, "medground demonstrations build", pools.read_pool, "absent", settings.home)


def test_a_pool_that_has_changed_is_refused(settings: Settings, records_file: Path) -> None:
    built(settings, records_file)
    file = settings.home / "demonstrations" / "small.jsonl"
    whole = file.read_text(encoding="utf-8")
    lines = whole.splitlines(keepends=True)

    halved = "".join(lines[:2]) + "{half\n" + "".join(lines[3:])
    for content in (whole.replace('"train"', '"test"', 1), halved, "".join(lines[1:]), ""):
        file.write_text(content, encoding="utf-8")
        refused(SnapshotCorrupt, "has changed since it was built", pools.read_pool, str(file), settings.home)
    file.write_text(whole, encoding="utf-8")
    assert len(pools.read_pool(str(file), settings.home).solved) == 11
    pools.manifest_path(file).write_text("{}", encoding="utf-8")
    refused(SnapshotCorrupt, "not a pool manifest", pools.read_pool, "small", settings.home)


def test_a_question_is_shown_clean_demonstrations_nearest_first(settings: Settings, records_file: Path) -> None:
    _, pool = made_pool(settings, records_file)
    answer, seen = asked(settings, "Does exercise prevent asthma in ward 7?")
    read = {e.document_id for e in answer.evidence}
    shown = [one for one in pool.solved if one.id in seen["medground.shown"]]
    assert len(shown) == 2 and all(read.isdisjoint(one.documents) for one in shown)
    assert seen["medground.left_out_shared_document"] > 0
    repeated, seen_again = asked(settings, "Does zinc prevent migraine in ward 93?")
    assert "1003" not in seen_again["medground.shown"]
    assert not [w for w in (*repeated.warnings, *answer.warnings) if "demonstrations" in w]

    built(settings, records_file, limit=1)
    answer, seen = asked(settings, "Does exercise prevent asthma in ward 7?", shots=4)
    assert len(seen["medground.shown"]) <= 1
    assert any("of 4 demonstrations were shown" in warning for warning in answer.warnings)


def test_shots_without_a_pool_or_with_another_embedding_model_are_refused(
    settings: Settings, records_file: Path, stems: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(ConfigError, "no pool is named", asked, settings, "Does zinc prevent gout?", pool=None)
    built(settings, records_file)
    monkeypatch.setattr(stems, "identity", "stems@2")
    refused(ConfigError, "stems@1", asked, settings, "Does zinc prevent gout?")


def unit(rows: np.ndarray) -> np.ndarray:
    rows = rows.astype(np.float32) + np.float32(1e-3)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def a_pool(vectors: np.ndarray, labels: list[str]) -> pools.Pool:
    known: dict[str, Any] = {"task": "yes-no-maybe", "rationale": "So.", "evidence": (), "split": "train"}
    solved = tuple(
        pools.Solved(id=i, question=f"{i}?", answer=(label,), documents=(i,), embedding=pools.packed(vector), **known)
        for i, vector, label in zip((f"PMID:{n}" for n in count()), vectors, labels, strict=False)
    )
    return pools.Pool(pools.PoolManifest.model_construct(name="p", sha256=""), solved)


def choices(shots: int = 3, **changes: Any) -> ReasonAndVerifySettings:
    return ReasonAndVerifySettings(shots=shots, **changes)


POOLS = arrays(np.float32, (8, 4), elements=st.floats(0, 1, width=16)).map(unit)
LABELS = st.lists(st.sampled_from(["yes", "no", "maybe"]), min_size=8, max_size=8)


@given(POOLS, LABELS, st.integers(0, 8), st.booleans(), st.sampled_from(["static", "dynamic"]), st.floats(0, 1))
def test_selected_places_are_unique_clean_diverse_and_not_too_many(
    vectors: np.ndarray, labels: list[str], shots: int, balanced: bool, selection: Any, diversity: float
) -> None:
    pool, clean = a_pool(vectors, labels), [0, 2, 3, 5, 7]
    wanted = choices(shots=shots, balanced=balanced, selection=selection, diversity=diversity)
    found = selected(pool, clean, pool.vectors[1], "q", wanted)
    assert found == selected(pool, clean, pool.vectors[1], "q", wanted)
    assert len(set(found.places)) == len(found.places) <= min(shots, len(clean))
    assert set(found.places) <= set(clean)
    chosen = pool.vectors[list(found.places)]
    near = chosen @ chosen.T - np.eye(len(chosen)) * 2
    assert not found.places or near.max() <= diversity + 1e-4
    assert found.places or not shots


def test_selection_takes_turns_fills_up_and_stays_the_same() -> None:
    vectors = unit(np.array([[1, n / 10, 0, 0] for n in range(6)], np.float32))
    pool = a_pool(vectors, ["yes", "yes", "yes", "yes", "no", "maybe"])
    for balanced, labels in ((False, ["yes", "yes", "yes"]), (True, ["yes", "no", "maybe"])):
        near = selected(pool, range(6), pool.vectors[0], "q", choices(diversity=1.0, balanced=balanced))
        assert [pool.solved[place].label for place in near.places] == labels

    pool = a_pool(unit(np.eye(8, 8, dtype=np.float32)), ["yes"] * 8)
    wanted = choices(selection="static", seed=5)
    one = selected(pool, range(8), pool.vectors[0], "one", wanted).places
    assert one == selected(pool, range(8), pool.vectors[7], "other", wanted).places
    without = selected(pool, [p for p in range(8) if p != one[0]], pool.vectors[0], "one", wanted).places
    assert without[:2] == one[1:]
    other = choices(selection="static", seed=6)
    assert selected(pool, range(8), pool.vectors[0], "one", other).places != one

    vectors = unit(np.array([[1, n / 1000, 0, 0] for n in range(6)], np.float32))
    pool = a_pool(vectors, ["yes"] * 6)
    none = selected(pool, range(6), pool.vectors[0], "q", choices(diversity=0.5))
    filled = selected(pool, range(6), pool.vectors[0], "q", choices(diversity=0.5, least=2))
    assert (len(none.places), none.alike, none.drawn) == (1, 5, 0)
    assert (len(set(filled.places)), filled.drawn) == (2, 1)
    assert filled == selected(pool, range(6), pool.vectors[0], "q", choices(diversity=0.5, least=2))
    assert len(selected(pool, range(6), pool.vectors[0], "q", choices(diversity=0.5, least=9)).places) == 3


@given(POOLS, st.lists(st.sets(st.integers(0, 9)), min_size=8, max_size=8), st.sets(st.integers(0, 9)))
def test_every_record_is_kept_or_counted_once(vectors: np.ndarray, ids: list[set[int]], held: set[int]) -> None:
    documents = [{f"PMID:{i}" for i in one} for one in ids]
    held_ids = {f"PMID:{i}" for i in held}
    clean = pools.decontaminated(documents, vectors, held_ids, vectors[:1])
    assert len(clean.places) + clean.shared + clean.near == 8
    assert clean.shared == sum(bool(one & held) for one in ids)
    for place in clean.places:
        assert held_ids.isdisjoint(documents[place]) and float(vectors[place] @ vectors[0]) < pools.NEAR_DUPLICATE


# Pools from any data set: BioASQ's golden files, questions of your own; the commands

DRUGS = ["aspirin", "statins", "insulin", "zinc", "metformin", "exercise"]


def golden_question(task: int, number: int, kind: str, drug: str = "") -> dict[str, Any]:
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
    first = [
        *(golden_question(7, n, "yesno") for n in range(6)),
        golden_question(7, 6, "factoid", "rest"),
        golden_question(7, 7, "summary", "tea"),
    ]
    second = [golden_question(8, 0, "yesno", "coffee"), golden_question(8, 1, "yesno", "zinc")]
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


def answered(settings: Settings, question: str, task: Any = None) -> tuple[Answer, dict[str, Any]]:
    """The answer to a question, and the attributes of its demonstrations in the trace."""

    async def ask() -> Answer:
        async with await Engine.open(settings) as engine:
            return await engine.ask(question, task=task)

    answer = asyncio.run(ask())
    spans = read_trace(settings.home / "traces", answer.trace_id) or ()
    (seen,) = (span["attributes"] for span in spans if span["name"] == "demonstrations")
    return answer, seen


def test_a_pool_keeps_its_passages_and_shows_them(with_snippets: Settings, golden: Path) -> None:
    manifest, pool = made_pool(with_snippets, Source(golden, "bioasq"))
    assert (manifest.dataset, manifest.demonstrations, manifest.as_training) == ("bioasq", 7, False)
    assert manifest.left_out == {"refused: from the split test": 2, "repeats a held-out question": 1}
    assert {one.id.split("-")[0] for one in pool.solved} == {"7"}
    assert "Does zinc lower the risk of stroke?" not in {one.question for one in pool.solved}
    answers = {one.id: (one.task, one.answer, one.reference) for one in pool.solved}
    assert answers["7-1"] == ("yes-no", ("yes",), "")
    assert answers["7-6"] == ("free", ("answered",), "Rest lowers the risk of stroke.")

    _, pool = made_pool(with_snippets, Source(golden, "bioasq-yesno"))
    for one in pool.solved:
        assert 1 <= len(one.passages) <= 5
        assert {quoted.document_id for quoted in one.evidence} <= {passage.document_id for passage in one.passages}
        shown, short = one.shown(passages=True), one.shown()
        assert list(shown.evidence) == [passage.quote for passage in one.passages]
        assert shown.rationale == one.linked and "[" in one.linked and "[" not in short.rationale
        assert short.evidence == tuple(quoted.quote for quoted in one.evidence)

    made_pool(with_snippets.with_section(ReasonAndVerifySettings(passages=1)), Source(golden, "bioasq"))
    chosen = ReasonAndVerifySettings(passages=1, pool="small", shots=2, shown="passages")

    _, seen = answered(with_snippets.with_section(chosen), "Does coffee lower the risk of gout?", "yes-no")
    assert seen["medground.left_out_other_form"] == 2
    assert len(seen["medground.shown"]) == 2 and not {"7-6", "7-7"} & set(seen["medground.shown"])


def test_questions_that_will_be_asked_keep_theirs_out_of_the_pool(
    with_snippets: Settings, golden: Path, tmp_path: Path
) -> None:
    later = tmp_path / "mine.jsonl"
    mine = {"id": "m", "question": "Does insulin lower the risk of stroke?", "answer": "yes", "task": "yes-no"}
    later.write_text(json.dumps(mine | {"split": "train"}) + "\n", encoding="utf-8")
    manifest, pool = made_pool(with_snippets, Source(golden, "bioasq-yesno", (later,)))
    assert manifest.against == ("mine.jsonl",)
    assert manifest.left_out["repeats a held-out question"] == 2
    assert mine["question"] not in {one.question for one in pool.solved}
    without, _ = made_pool(with_snippets, Source(golden, "bioasq-yesno"))
    assert without.source_sha256 != manifest.source_sha256


def test_a_set_that_several_loaders_read_is_named(with_snippets: Settings, golden: Path) -> None:
    with pytest.raises(UsageError, match="can be read as bioasq, bioasq-yesno; choose one with --dataset NAME"):
        made_pool(with_snippets, Source(golden / "task7b.json"))
    with pytest.raises(UsageError, match=r"from a training split; .*6 refused: from the split test"):
        made_pool(with_snippets, Source(golden / "task7b.json", "bioasq-yesno"))


def test_a_pool_without_passages_cannot_show_them(with_snippets: Settings, golden: Path) -> None:
    made_pool(with_snippets, Source(golden, "bioasq"))
    file = pools.pool_path("small", with_snippets.home)
    lines = [json.loads(line) | {"passages": []} for line in file.read_text(encoding="utf-8").splitlines()]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    manifest = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    manifest["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    file.with_suffix(".json").write_text(json.dumps(manifest), encoding="utf-8")
    chosen = ReasonAndVerifySettings(pool="small", shots=2, shown="passages")
    with pytest.raises(ConfigError, match="has no passages of its demonstrations"):
        answered(with_snippets.with_section(chosen), "Does coffee lower the risk of gout?")


def test_a_model_sees_the_demonstrations_that_the_trace_names(
    settings: Settings, records_file: Path, scripted_model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first_passage(value: Any) -> ReasonOutput:
        sentences = value.passages[0].sentences  # all of them, since one that states an aim does not support a decision
        return ReasonOutput(claims=tuple(SubClaim(text=s.text, sentences=(s.id,)) for s in sentences), answer=("yes",))

    asyncio.run(build_pool("pubmedqa", Source(records_file), settings))
    model = scripted_model({"reason_or_recall": first_passage})
    models = Models("keyless", {"reason_or_recall": model.name}, {"keyless": Keyless(), model.name: model})
    monkeypatch.setattr("medground.engine.opening.open_models", lambda settings, operators: models)
    options = {"retrieval.corpora": ("small",), "reason_and_verify.reranker": "none"}
    environ = {"MEDGROUND_HOME": str(settings.home)}
    preset = Settings.load(preset="dynamic-demonstrations", environ=environ, options=options)
    answer, seen = answered(preset, "Does statins prevent stroke in ward 403?", "yes-no-maybe")
    pool = {one.question: one for one in pools.read_pool("pubmedqa", settings.home).solved}
    ((_, value),) = model.seen
    assert all(shown.answer == pool[shown.question].answer for shown in value.demonstrations)
    assert seen["medground.shown"] == [pool[shown.question].id for shown in value.demonstrations] != []
    assert answer.statements[0].verdict.label == "quoted"
    assert answer.decision is not None and answer.decision.shown() == "yes"


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

    made = ("demonstrations", "build", "small", "--from", str(records_file), "-c", "small", "-q")
    assert run(*made, "--dataset", "pubmedqa", "--as-training", "--limit", "2") == 0
    capsys.readouterr()
    assert run("demonstrations", "info", "small") == 0
    assert "every split, as the user declared" in capsys.readouterr().out
    assert run(*made, "--against", str(records_file)) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert run(*made, "--dataset", "nothing") == 2
    assert "unknown data set 'nothing'" in capsys.readouterr().err
