"""Answers that other versions kept: each is listed, shown and exported, or named and left as it is."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from plain_answer import plain_answer

from medground.values.answer import Answer
from medground.values.question import Question

NAME = "20260101-120000-00000001"
ESTIMATE = {"status": "lean", "basis": "lean", "probability": 0.63, "reason": "Estimated from word statistics"}


def kept(home: Path, **changes: Any) -> Path:
    """An answer in this home, with fields of its file changed."""
    content = plain_answer(trace_id=NAME).model_dump(mode="json") | changes
    file = home / "answers" / f"{NAME}.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(content))
    return file


@pytest.mark.parametrize(
    ("task", "value"),
    [
        ("yes-no", {"value": "yes"}),
        ("yes-no-maybe", {"value": "maybe"}),
        ("single-choice", {"value": "A"}),
        ("multiple-choice", {"values": ["A", "B"]}),
        ("free", {"value": "34 percent"}),
    ],
)
def test_an_estimate_of_an_older_version_is_read_and_decides_nothing(
    home: Path, said: Callable[..., Any], task: str, value: dict[str, Any]
) -> None:
    question = {"text": "Does aspirin prevent stroke?", "task": task}
    kept(home, schema_version="1.8", question=question, decision={"task": task} | ESTIMATE | value)
    assert question["text"] in said("history").out
    assert "such estimates are not shown" in " ".join(said("show", NAME).out.split())
    decision = json.loads(said("show", NAME, "--json").out)["decision"]
    assert (decision["status"], decision["basis"], decision["probability"]) == ("not judged", None, None)
    assert not decision.get("value") and not decision.get("values")


def test_an_answer_of_a_newer_minor_version_is_read_without_what_is_new(home: Path, said: Callable[..., Any]) -> None:
    question = Question.ask("Does aspirin prevent stroke?", task="yes-no").model_dump(mode="json")
    kept(home, schema_version="1.99", mood="calm", question=question | {"tone": "polite"})
    assert said("show", "last").out.startswith("Not judged")
    assert json.loads(said("history", "--json").out)["problem"] is None


@pytest.mark.parametrize("changes", [{"schema_version": "2.0", "decision": {"verdict": "yes"}}, {"statements": 1}])
def test_what_cannot_be_read_is_listed_counted_and_kept(
    home: Path, said: Callable[..., Any], changes: dict[str, Any]
) -> None:
    file = kept(home, made_by="medground 9.0", **changes)
    before = file.read_bytes()
    listed = said("history")
    assert "Does aspirin prevent stroke?" in listed.out
    assert "1 of these cannot be read by this version of Medground; their files are kept" in listed.err
    assert f"{file} cannot be read by this version" in json.loads(said("history", "--json").out)["problem"]
    refusal = said("show", NAME, code=2).err
    assert "it is kept, and was made by medground 9.0" in " ".join(refusal.split())
    assert "remove" not in refusal
    assert file.read_bytes() == before


@pytest.mark.parametrize("version", ["0.1.0", "0.2.0"])
def test_a_home_of_a_released_version_loses_no_answer(
    shared: Path, home: Path, said: Callable[..., Any], version: str
) -> None:
    shutil.copytree(shared / "old_homes" / version, home)
    names = {file.stem for file in (home / "answers").iterdir()}
    listed = [json.loads(line) for line in said("history", "--json").out.splitlines()]
    assert {past["trace_id"] for past in listed} == names
    for name in names:
        Answer.model_validate_json(said("show", name, "--json").out)
        for form in ("ris", "bibtex", "csl-json", "markdown"):
            assert "Zotromab" in said("export", name, "--format", form).out
