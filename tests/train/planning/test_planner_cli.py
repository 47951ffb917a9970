"""`medground train planner` from exploring to the training set, as a user runs it."""

from __future__ import annotations

import csv
import json
from functools import partial
from pathlib import Path

import pytest
from rows import each_row

from medground.home.settings import Settings
from medground.testing.command import run as medground

run = partial(medground, "train", "planner")


def test_explore_judge_label_agree_and_export(
    settings: Settings,
    records_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setenv("MEDGROUND_HOME", str(settings.home))
    explored, judged, sheet = (str(tmp_path / name) for name in ("explored.jsonl", "judged.jsonl", "sheet.csv"))
    source = ("explore", "--from", str(records_file), "--out", explored, "-c", "small", "-q", "--queries", "2")
    assert run(*source, "--check") == 0
    assert "12 questions: at most 24 searches, 12 calls" in capsys.readouterr().out
    assert not Path(explored).exists()
    assert run(*source, "--workers", "3") == 0
    said = capsys.readouterr().out
    assert "12 questions of pubmedqa, exploration by keyless" in said and "small: 24 queries (" in said
    assert "retrieval s" in said and "US$ a question" in said
    assert run("judge", explored, "--out", judged, "--check") == 0
    assert "0 searches, 24 calls" in capsys.readouterr().out
    assert run("judge", explored, "--out", judged, "-q") == 0
    assert "judgements by keyless" in capsys.readouterr().out
    assert run("label", explored, "--out", sheet, "--samples", "5") == 0
    with Path(sheet).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with Path(sheet).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows({**row, "supports": "yes" if n else "no"} for n, row in enumerate(rows))
    assert run("agreement", sheet, judged) == 0
    told = capsys.readouterr().out.splitlines()[-1]
    assert told.startswith("judge keyless: kappa ") and "with 5 labels made by hand, 4 of them yes" in told
    assert run("export", judged, "--out", str(tmp_path / "set"), "--labels", sheet) == 0
    said = capsys.readouterr().out
    assert "labelled by judge keyless" in said and "licence     small: not recorded" in said and told in said
    manifest = json.loads((tmp_path / "set" / "manifest.json").read_text())
    assert manifest["agreement"] == told and manifest["counts"]["positive"] > 0


@each_row(
    ("words", "told"),
    [
        (("judge", "absent.jsonl", "--out", "x"), "absent.jsonl cannot be read"),
        (("judge", "absent.jsonl", "--out", "x", "--by", "luck"), "unknown signal 'luck'"),
        (("label", "absent.jsonl", "--out", "x"), "cannot be read"),
        (("agreement", "absent.csv", "absent.jsonl"), "cannot be read"),
        (("sft", "absent", "--out", "x", "--base", "y"), "absent holds no training set"),
        (("sft", "absent", "--out", "x", "--check"), "name the model to train with --base"),
        (("sft", "absent", "--out", "x", "--base", "y", "--ratio", "7"), "--ratio: "),
        (("dpo", "absent", "--out", "x", "--adapter", "y", "--check"), "y holds no trained planner"),
        (("merge", "absent", "--out", "x"), "absent holds no trained planner"),
    ],
)
def test_a_mistake_is_one_line(
    words: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    assert run(*words) == 2
    said = capsys.readouterr().err.strip()
    assert told in said and "\n" not in said
    assert not (tmp_path / "x").exists()
