"""Pools of demonstrations: built from training splits only, decontaminated, selected, and refused if changed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rows import each_row

from medground.answering.trace import read_trace
from medground.engine.engine import Engine
from medground.errors import BadDocument, ConfigError, ModelFailed, SnapshotCorrupt, UsageError
from medground.home.settings import Settings
from medground.models.base import Keyless
from medground.models.operators.reasoning import ReasonOutput, SubClaim
from medground.models.registry import Models
from medground.recipes.reason_and_verify.demonstrations import selected
from medground.recipes.reason_and_verify.pool import (
    NEAR_DUPLICATE,
    Pool,
    PoolManifest,
    Solved,
    decontaminated,
    manifest_path,
    packed,
    read_pool,
)
from medground.recipes.settings import ReasonAndVerifySettings
from medground_evaluate.pools import build_pool
from medground_evaluate.training_questions import Source

pytestmark = pytest.mark.usefixtures("stems")
Records = Callable[..., Path]


def built(settings: Settings, source: Path | Source, **more: Any) -> PoolManifest:
    source = source if isinstance(source, Source) else Source(source)
    return asyncio.run(build_pool("small", source, settings, **more))


def asked(settings: Settings, question: str, **choices: Any) -> tuple[Any, dict[str, Any]]:
    """The answer to a question with demonstrations, and their attributes in the trace."""
    chosen = settings.section(ReasonAndVerifySettings).model_copy(update={"pool": "small", "shots": 2, **choices})

    async def ask() -> Any:
        async with Engine.open(settings.with_section(chosen)) as engine:
            return await engine.ask(question)

    answer = asyncio.run(ask())
    found = [s for s in read_trace(settings.home / "traces", answer.trace_id) if s["name"] == "demonstrations"]
    return answer, found[0]["attributes"]


def test_a_pool_is_made_of_training_records_and_says_how(settings: Settings, records_file: Path) -> None:
    manifest = built(settings, records_file)
    pool = read_pool("small", settings.home)
    assert pool.manifest == manifest
    assert manifest.demonstrations == 11
    assert manifest.left_out == {"refused: from the split test": 4, "repeats a held-out question": 1}
    assert manifest.models == {"reason": "keyless", "rewrite": "keyless"}
    assert manifest.agreed == 0
    assert {one.split for one in pool.solved} == {"train"}
    for one in pool.solved:
        assert one.answer == (("yes", "no", "maybe")[(int(one.id) - 1000) % 3],)
        assert f"PMID:{one.id}" in one.documents
        assert one.rationale and all(q.quote in one.rationale for q in one.evidence)

    first = built(settings, records_file, limit=3, seed=9)
    stored = json.loads((settings.home / "demonstrations" / "small.json").read_text(encoding="utf-8"))
    assert stored["seed"] == 9 and stored["limit"] == stored["demonstrations"] == 3
    assert stored["snapshots"][0]["name"] == "small"
    assert stored["settings"]["passages"] == 5 and stored["settings"]["shots"] == 0
    assert len(stored["source_sha256"]) == len(stored["sha256"]) == 64
    again, other = (built(settings, records_file, limit=3, seed=seed) for seed in (9, 4))
    assert first.sha256 == again.sha256 != other.sha256
    assert not (settings.home / "demonstrations" / "small.partial").exists()


def use(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give rationales by this model; questions are rewritten without one."""
    models = Models(model.name, {"rewrite": "keyless"}, {model.name: model, "keyless": Keyless()})
    monkeypatch.setattr("medground.engine.opening.open_models", lambda settings, operators: models)


def test_a_stopped_build_resumes(
    settings: Settings, records_file: Path, monkeypatch: pytest.MonkeyPatch, scripted_model: Any
) -> None:
    calls: list[str] = []

    def reasons(value: Any) -> ReasonOutput:
        calls.append(value.question)
        if len(calls) == 4:
            raise KeyboardInterrupt
        sentence = value.passages[0].sentences[0]
        return ReasonOutput(claims=(SubClaim(text="So it is.", sentences=(sentence.id,)),), answer=("yes",))

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
    def sometimes(value: Any) -> Any:
        if "stroke" in value.question:
            return ModelFailed("no usable output", model="scripted:model")
        sentence = value.passages[0].sentences[0]
        return ReasonOutput(claims=(SubClaim(text="So it is.", sentences=(sentence.id,)),), answer=("yes",))

    use(scripted_model({"reason": sometimes}), monkeypatch)
    manifest = built(settings, records_file)
    assert manifest.left_out["the model failed"] + manifest.demonstrations == 11
    use(scripted_model({"reason": ModelFailed("no usable output", model="scripted:model")}), monkeypatch)
    with pytest.raises(ModelFailed):
        built(settings, records_file, seed=1)


@each_row("split", ["test", ""])
def test_held_out_splits_are_refused_in_one_line(
    settings: Settings, write_records: Records, a_record: Any, split: str
) -> None:
    where = split if split == "test" else "unknown"
    with pytest.raises(UsageError, match=f"from a training split; .*1 refused: from the split {where}") as caught:
        built(settings, write_records([a_record(1, split)]))
    assert "\n" not in str(caught.value)


def test_what_cannot_be_a_pool_is_one_line(
    settings: Settings, write_records: Records, a_record: Any, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=r"records\.jsonl\.gz:2"):
        built(settings, Source(write_records([a_record(1, "train"), "{"]), "pubmedqa"))
    with pytest.raises(UsageError, match="final_decision is 'perhaps'"):
        built(settings, write_records([{**a_record(1, "train"), "final_decision": "perhaps"}]))

    with pytest.raises(UsageError, match="does not exist"):
        built(settings, tmp_path / "absent.jsonl")
    with pytest.raises(UsageError, match="not a valid pool name"):
        asyncio.run(build_pool("../evil", Source(tmp_path / "absent.jsonl"), settings))
    with pytest.raises(ConfigError, match="medground demonstrations build"):
        read_pool("absent", settings.home)


def test_a_pool_that_has_changed_is_refused(settings: Settings, records_file: Path) -> None:
    built(settings, records_file)
    file = settings.home / "demonstrations" / "small.jsonl"
    whole = file.read_text(encoding="utf-8")
    lines = whole.splitlines(keepends=True)

    def damaged(content: str, error: type[Exception], match: str) -> None:
        file.write_text(content, encoding="utf-8")
        with pytest.raises(error, match=match):
            read_pool(str(file), settings.home)

    damaged(whole.replace('"train"', '"test"', 1), UsageError, r"small\.jsonl:1 is from the split 'test'")
    damaged("".join(lines[:2]) + "{half\n" + "".join(lines[3:]), BadDocument, r"small\.jsonl:3")
    bad_vector = lines[0].replace('"embedding":"', '"embedding":"*')
    damaged(bad_vector + "".join(lines[1:]), BadDocument, r"small\.jsonl:1")
    damaged("".join(lines[1:]), SnapshotCorrupt, "has changed since it was built")
    damaged("", SnapshotCorrupt, "has changed since it was built")
    file.write_text(whole, encoding="utf-8")
    assert len(read_pool(str(file), settings.home).solved) == 11
    manifest_path(file).write_text("{}", encoding="utf-8")
    with pytest.raises(SnapshotCorrupt, match="not a pool manifest"):
        read_pool("small", settings.home)


def test_a_question_is_shown_clean_demonstrations_nearest_first(settings: Settings, records_file: Path) -> None:
    built(settings, records_file)
    pool = read_pool("small", settings.home)
    answer, seen = asked(settings, "Does exercise prevent asthma in ward 7?")
    read = {e.document_id for e in answer.evidence}
    shown = [one for one in pool.solved if one.id in seen["medground.shown"]]
    assert len(shown) == 2 and all(read.isdisjoint(one.documents) for one in shown)
    assert seen["medground.left_out_shared_document"] > 0
    repeated, seen_again = asked(settings, "Does zinc prevent migraine in ward 93?")
    assert "1003" not in seen_again["medground.shown"]
    assert not [w for w in (*repeated.warnings, *answer.warnings) if "demonstrations" in w]


def test_fewer_than_wanted_are_shown_and_the_answer_says_so(settings: Settings, records_file: Path) -> None:
    built(settings, records_file, limit=1)
    answer, seen = asked(settings, "Does exercise prevent asthma in ward 7?", shots=4)
    assert len(seen["medground.shown"]) <= 1
    assert any("of 4 demonstrations were shown" in warning for warning in answer.warnings)


def test_shots_without_a_pool_or_with_another_embedding_model_are_refused(
    settings: Settings, records_file: Path, stems: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match="no pool is named"):
        asked(settings, "Does zinc prevent gout?", pool=None)
    built(settings, records_file)
    monkeypatch.setattr(stems, "identity", "stems-2")
    with pytest.raises(ConfigError, match="stems-1"):
        asked(settings, "Does zinc prevent gout?")


def unit(rows: np.ndarray) -> np.ndarray:
    rows = rows.astype(np.float32) + np.float32(1e-3)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def a_pool(vectors: np.ndarray, labels: list[str]) -> Pool:
    solved = tuple(
        Solved(
            id=f"PMID:{n}",
            question=f"Question {n}?",
            task="yes-no-maybe",
            rationale="So.",
            answer=(label,),
            evidence=(),
            documents=(f"PMID:{n}",),
            split="train",
            embedding=packed(vector),
        )
        for n, (vector, label) in enumerate(zip(vectors, labels, strict=True))
    )
    return Pool(PoolManifest.model_construct(name="p", sha256=""), solved)


def choices(**changes: Any) -> ReasonAndVerifySettings:
    return ReasonAndVerifySettings(shots=changes.pop("shots", 3), **changes)


POOLS = arrays(np.float32, (8, 4), elements=st.floats(0, 1, width=16)).map(unit)
LABELS = st.lists(st.sampled_from(["yes", "no", "maybe"]), min_size=8, max_size=8)


@settings_of(max_examples=40, deadline=None)
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
    near = {
        name: selected(pool, range(6), pool.vectors[0], "q", choices(diversity=1.0, balanced=name)).places
        for name in (False, True)
    }
    assert [pool.solved[p].label for p in near[False]] == ["yes", "yes", "yes"]
    assert [pool.solved[p].label for p in near[True]] == ["yes", "no", "maybe"]

    pool = a_pool(unit(np.eye(8, 8, dtype=np.float32)), ["yes"] * 8)
    wanted = choices(selection="static", seed=5)
    one = selected(pool, range(8), pool.vectors[0], "one", wanted).places
    assert one == selected(pool, range(8), pool.vectors[7], "other", wanted).places
    without = selected(pool, [p for p in range(8) if p != one[0]], pool.vectors[0], "one", wanted).places
    assert without[:2] == one[1:]
    assert {
        selected(pool, range(8), pool.vectors[0], "q", choices(selection="static", seed=s)).places for s in range(5)
    } != {one}

    vectors = unit(np.array([[1, n / 1000, 0, 0] for n in range(6)], np.float32))
    pool = a_pool(vectors, ["yes"] * 6)
    none = selected(pool, range(6), pool.vectors[0], "q", choices(diversity=0.5))
    filled = selected(pool, range(6), pool.vectors[0], "q", choices(diversity=0.5, least=2))
    assert (len(none.places), none.alike, none.drawn) == (1, 5, 0)
    assert (len(set(filled.places)), filled.drawn) == (2, 1)
    assert filled == selected(pool, range(6), pool.vectors[0], "q", choices(diversity=0.5, least=2))
    assert len(selected(pool, range(6), pool.vectors[0], "q", choices(diversity=0.5, least=9)).places) == 3


@settings_of(max_examples=40, deadline=None)
@given(POOLS, st.lists(st.sets(st.integers(0, 9)), min_size=8, max_size=8), st.sets(st.integers(0, 9)))
def test_every_record_is_kept_or_counted_once(vectors: np.ndarray, ids: list[set[int]], held: set[int]) -> None:
    documents = [{f"PMID:{i}" for i in one} for one in ids]
    held_ids = {f"PMID:{i}" for i in held}
    clean = decontaminated(documents, vectors, held_ids, vectors[:1])
    assert len(clean.places) + clean.shared + clean.near == 8
    assert clean.shared == sum(bool(one & held) for one in ids)
    assert all(
        held_ids.isdisjoint(documents[p]) and float(vectors[p] @ vectors[0]) < NEAR_DUPLICATE for p in clean.places
    )
