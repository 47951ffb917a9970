"""Cosines of texts outside any corpus."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from medground.answering.rank.cosine import cosines
from medground.answering.run import Run
from medground.home.settings import Settings
from medground.recipes.settings import BioMedSearchSettings

ASKED = "Does exercise lower blood pressure?"
OTHERS = [
    "Aerobic training reduced systolic blood pressure in adults with hypertension.",
    "Zebrafish fins regenerate after amputation.",
    "",
]
MakeRun = Callable[..., Run]


def cosines_of(run: Run, text: str = ASKED, others: list[str] = OTHERS) -> list[float]:
    return asyncio.run(cosines(text, others, run, embedder=run.settings.section(BioMedSearchSettings).embedder))


def test_without_a_model_words_count_and_the_answer_says_so_once(make_run: MakeRun) -> None:
    run = make_run("q")
    assert cosines_of(run, others=[]) == []
    assert run.warnings == [], "nothing to compare opens no model"
    near, far, empty = cosines_of(run)
    assert 0 < near <= 1
    assert (far, empty) == (0.0, 0.0)
    assert cosines_of(run, OTHERS[0], [OTHERS[0]]) == [pytest.approx(1.0)]
    (told,) = run.warnings
    assert "minilm" in told.lower()
    assert "medground models fetch" in told or "pip install" in told
    run.settings = run.settings.with_section(BioMedSearchSettings(embedder="no/such-model"))
    assert cosines_of(run)[0] > 0
    assert len(run.warnings) == 2


def test_the_model_orders_by_meaning_and_repeats_give_the_same(make_run: MakeRun, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    given = os.environ.get("MODELS_FOR_TESTS")
    models = Path(given) if given else Settings().home / "models"
    if not models.is_dir():
        pytest.skip("MiniLM was not fetched: medground models fetch minilm, or MODELS_FOR_TESTS=FOLDER")
    (tmp_path / "models").symlink_to(models.resolve())
    run = make_run("q")
    first = cosines_of(run)
    if run.warnings:
        pytest.skip(run.warnings[0])
    assert first[0] > 0.4 > first[1]
    assert first[2] == 0.0
    assert cosines_of(run, others=OTHERS[::-1]) == pytest.approx(first[::-1], abs=2e-4)
