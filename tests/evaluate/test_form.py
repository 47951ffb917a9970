"""The form in which people mark long answers (Omni-RAG, E.12): written blank, filled in, read, never guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row
from typer.testing import CliRunner

from medground.errors import BadDocument, UsageError
from medground.models.operators.base import EvidenceView
from medground_evaluate.cli.commands import eval_app
from medground_evaluate.compare import Result
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.items import RunHeader, RunLine
from medground_evaluate.judges.form import FormLine, blank_form, read_marked, write_form
from medground_evaluate.judges.judgements import LONG_AXES
from medground_evaluate.judges.results import long_results

REFERENCES = {"q1": "With rest.", "q2": "With sleep.", "q4": "With food."}
MARK = st.integers(1, 5)


def a_run(digest: str = "d") -> Result:
    known: dict[str, Any] = {"dataset_hash": digest, "settings": {}, "settings_hash": "s", "prompts_hash": "p"}
    header = RunHeader(dataset="jsonl", split="test", recipe="rag", model="keyless", items=4, **known)
    texts = {
        "q1": "It is treated with rest.",
        "q2": "It is treated with sleep.",
        "q3": "Unknown.",
        "q4": "",
    }
    lines = {
        i: RunLine(id=i, question="How is it treated?", task="free", status="answered", text=text)
        for i, text in texts.items()
    }
    return Result(name="long", header=header, lines=lines)


def a_form(folder: Path) -> tuple[Path, list[dict[str, Any]]]:
    quotes = {"q1": (EvidenceView(id="E1", quote="Rest helps."),)}
    path = folder / "form.jsonl"
    write_form(list(blank_form(a_run(), REFERENCES, quotes)), path)
    return path, [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def put(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_a_form_is_blank_and_filled_lines_are_averaged(tmp_path: Path) -> None:
    path, records = a_form(tmp_path)
    assert [record["item"] for record in records] == ["q1", "q2"]  # q3 has no reference, q4 no text
    assert records[0]["documents"] == ["Rest helps."]
    assert records[0]["marks"] == dict.fromkeys(LONG_AXES)
    assert set(records[1]["marks"]) == set(LONG_AXES) - {"interpretability"}  # no documents, nothing to mark
    with pytest.raises(UsageError, match="all 2 lines are still blank"):
        read_marked([path])
    with pytest.raises(UsageError, match="may hold marks"):
        write_form(list(blank_form(a_run(), REFERENCES, {})), path)
    with pytest.raises(UsageError, match="no long answer"):
        write_form([], tmp_path / "none.jsonl")

    path.unlink()
    path, records = a_form(tmp_path)
    records[0] |= {"judge": "anna", "marks": dict(zip(LONG_AXES, (5, 4, 3, 2), strict=True))}
    other = [{**records[0], "judge": "bert", "marks": dict(zip(LONG_AXES, (4, 4, 4, 4), strict=True))}]
    found = read_marked([put(path, records), put(tmp_path / "bert.jsonl", other)])
    assert found.blank == 1
    by_judge = {result.judge: result.means for result in long_results(found.lines)}
    assert by_judge["anna"] == dict(zip(LONG_AXES, (5.0, 4.0, 3.0, 2.0), strict=True))
    assert by_judge["bert"]["relevance"] == 4.0
    with pytest.raises(UsageError, match="2 times"):
        read_marked([path, path])


@each_row(
    ("change", "problem"),
    [
        ({"marks": {"relevance": 4}}, "completeness, proficiency, interpretability not marked"),
        ({"marks": dict.fromkeys(LONG_AXES, 6)}, "less than or equal to 5"),
        ({"marks": dict.fromkeys(LONG_AXES, 4), "judge": " "}, "`judge` is missing"),
        ({"marks": {**dict.fromkeys(LONG_AXES, 4), "beauty": 4}}, "unknown axes beauty"),
        ({"marks": {"relevance": "good"}}, "marks"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_line_that_is_not_well_marked_is_refused(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    path, records = a_form(tmp_path)
    with pytest.raises(BadDocument, match=problem) as raised:
        read_marked([put(path, [{**records[0], "judge": "anna", **change}])])
    assert raised.value.position == 1
    assert "\n" not in str(raised.value)


@given(st.lists(st.tuples(MARK, MARK, MARK, MARK), min_size=1, max_size=8))
def test_what_is_marked_is_what_is_read(tmp_path_factory: pytest.TempPathFactory, marks: list[tuple[int, ...]]) -> None:
    lines = [
        FormLine(
            item=f"q{n}", shown="long", judge="anna", documents=("a",), marks=dict(zip(LONG_AXES, one, strict=True))
        )
        for n, one in enumerate(marks)
    ]
    path = tmp_path_factory.mktemp("form") / "form.jsonl"
    write_form(lines, path)
    (result,) = long_results(read_marked([path]).lines)
    assert result.judged == len(marks)
    for place, axis in enumerate(LONG_AXES):
        assert result.means[axis] == pytest.approx(sum(one[place] for one in marks) / len(marks))


def test_the_commands(home: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": "q1", "question": "How is it treated?", "reference": "With rest."}\n', "utf-8")
    run = a_run(open_dataset("jsonl").hash(questions))
    path, form = tmp_path / "long.jsonl", tmp_path / "form.jsonl"
    path.write_text("".join(line.model_dump_json() + "\n" for line in (run.header, *run.lines.values())), "utf-8")
    words = ["form", str(path), "--data", str(questions), "--out", str(form)]
    shown = CliRunner().invoke(eval_app, words, catch_exceptions=False).output
    assert "1 answer to mark" in shown
    assert "completeness" in shown
    record = json.loads(form.read_text(encoding="utf-8"))
    filled = {**record, "judge": "anna", "marks": dict.fromkeys(record["marks"], 4)}
    put(form, [filled, {**record, "item": "q9"}])
    shown = CliRunner().invoke(eval_app, ["judged", str(form)], catch_exceptions=False).output
    assert "marked by anna" in shown
    assert "1 answer not marked yet" in shown
