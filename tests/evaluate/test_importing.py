"""Predictions of another system become a run beside ours; what is wrong in their file is one line."""

import json
import tomllib
from pathlib import Path

import pytest
from command_line import EXAMPLES, run
from refusals import refused
from rows import each_row

from medground.errors import UsageError
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.importing import import_run
from medground_evaluate.run_file import read_run
from medground_evaluate.runner import Selection

EXAMPLE = EXAMPLES / "questions"
QUESTIONS = EXAMPLE / "questions.jsonl"
TABLES = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))


def test_another_system_and_a_run_of_ours_in_one_table(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours, theirs, data = home / "ours.jsonl", home / "theirs.jsonl", ("--data", str(QUESTIONS))
    assert (
        run(
            "eval",
            "run",
            "jsonl",
            *data,
            "--recipe",
            "model-only",
            "--set",
            "retrieval.corpora=",
            "--out",
            str(ours),
            "-q",
        )
        == 0
    )
    named = ("eval", "import", str(EXAMPLE / "predictions.jsonl"), *data, "--name", "another system")
    assert run(*named, "--out", str(theirs)) == run(*named, "--out", str(theirs)) == run(*named) == 0
    assert capsys.readouterr().out.count("75.0% [40.9%, 92.9%] (6 of 8; 95 % Wilson)") == 3
    assert len([*(home / "runs").glob("jsonl_test_another-system_imported_*.jsonl")]) == 1
    assert run("eval", "compare", str(ours), str(theirs), *data) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "another system 75.0 % 40.9 - 92.9 6 of 8" in told
    assert "another system 75.0% 0.917 0.688" in told  # answers that cite, precision, recall
    assert "accuracy +75.0% [+18.2%, +92.9%] (95 %, Tango's score interval)" in told
    assert "another system unknown unknown" in told and "cost (x: ratio to model-only)" in told
    assert "differs: model was keyless, is imported differs: recipe was model-only, is another system warnings" in told
    assert run("eval", "compare", str(theirs), str(ours), "--retrieval") == 0
    assert "another system - - - -" in " ".join(capsys.readouterr().out.split())  # no ranking was given
    assert run("eval", "report", str(theirs), str(ours), "--out", str(home / "report")) == 0
    assert "| another system | unknown |" in (home / "report" / "report.md").read_text(encoding="utf-8")
    assert run(*named, "--out", str(ours)) == 2 and run("eval", "compare", str(ours), str(ours)) == 2


def test_words_and_letters(tmp_path: Path) -> None:
    asked = [
        {"id": "7", "question": "Which two?", "options": ["x", "y", "z"], "answer": ["A", "C"]},
        {"id": "8", "question": "Why?", "reference": "Because."},
    ]
    said = [{"id": 8, "answer": "It is so.", "found": ["PMID:1"]}, {"id": 7, "answer": ["C", "A"], "text": "Both."}]
    for name, records in (("asked", asked), ("said", said)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    selection = Selection(open_dataset("jsonl"), tmp_path / "asked")
    tally, out = import_run(tmp_path / "said", selection, "mine", tmp_path / "run.jsonl")
    assert (tally.right, tally.lines, tally.statuses) == (1, 2, {"answered": 2})
    _, lines = read_run(out)
    assert [(line.text, line.found) for line in lines] == [("Both.", ()), ("It is so.", ("PMID:1",))]


@each_row(("line", "message"), TABLES["predictions"])
def test_what_is_no_prediction_is_one_line(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "p.jsonl").write_text('{"id": "walking", "answer": "yes"}\n' + line + "\n", encoding="utf-8")
    selection = Selection(open_dataset("jsonl"), QUESTIONS)
    refused(UsageError, message, import_run, tmp_path / "p.jsonl", selection, "x", tmp_path / "run.jsonl")
    assert not (tmp_path / "run.jsonl").exists()
