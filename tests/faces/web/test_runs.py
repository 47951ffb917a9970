"""Evaluation runs over HTTP: listed, opened, with failures in the denominator; only files of the folder are found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runs import line, write_run

from medground.home.settings import Settings

Visit = Callable[..., Any]


@pytest.fixture
def run_file(papers: Settings) -> Path:
    """A run of ten items: five right, one wrong, two failed, two unfinished."""
    folder = papers.home / "runs"
    folder.mkdir()
    answers = ["yes"] * 5 + ["no", "", ""]
    lines = [
        line(f"q{n}", "yes", answer, question=f"Question <b>{n}</b>?")
        if answer
        else line(f"q{n}", "yes", status="failed", error="the model did not answer")
        for n, answer in enumerate(answers)
    ]
    path = write_run(folder / "pubmedqa_test.jsonl", lines, recipe="ground", items=10)
    (folder / "notes.jsonl").write_text('{"not": "a run"}\n')
    (papers.home / "outside.jsonl").write_text(path.read_text())
    (folder / "linked.jsonl").symlink_to(papers.home / "outside.jsonl")
    return path


async def test_runs_are_listed_and_every_item_counts(visit: Visit, run_file: Path) -> None:
    async with visit() as site:
        by_id = {run["id"]: run for run in (await site.client.get("/v1/runs")).json()["runs"]}
    assert set(by_id) == {"pubmedqa_test", "notes"}
    run = by_id["pubmedqa_test"]
    assert (run["dataset"], run["recipe"], run["items"], run["unfinished"]) == ("pubmedqa", "ground", 10, 2)
    assert run["statuses"] == {"answered": 6, "failed": 2}
    accuracy = run["accuracy"]
    assert (accuracy["right"], accuracy["of"], accuracy["value"]) == (5, 10, 0.5)
    assert accuracy["low"] == pytest.approx(0.2366, abs=1e-4)
    assert accuracy["high"] == pytest.approx(0.7634, abs=1e-4)
    assert by_id["notes"]["problem"].startswith("notes.jsonl is not a Medground run")


async def test_a_run_is_opened_with_intervals_outcomes_classes_questions_and_a_report(
    visit: Visit, run_file: Path
) -> None:
    queries = ({"limit": 3, "offset": 2}, {"which": "wrong"}, {"which": "failed", "limit": 1})
    async with visit() as site:
        ask, place = site.client.get, "/v1/runs/pubmedqa_test"
        opened = (await ask(place)).json()
        page, wrong, failed = [(await ask(f"{place}/questions", params=query)).json() for query in queries]
        report = await ask(f"{place}/report")
    metrics = {one["name"]: (one["right"], one["of"]) for one in opened["metrics"]}
    assert metrics == {
        "accuracy": (5, 10),
        "answered": (6, 10),
        "correct when it answered": (5, 6),
        "cites evidence": (0, 10),
    }
    assert all(one["low"] <= (one["value"] or 0) <= one["high"] for one in opened["metrics"])
    assert {one["name"]: one["right"] for one in opened["outcomes"]} == {"answered": 6, "failed": 2, "unfinished": 2}
    assert {one["of"] for one in opened["outcomes"]} == {10}
    assert [one["label"] for one in opened["classes"]] == ["no", "yes"]
    assert "2 of 10 questions are unfinished and count as wrong" in opened["warnings"]
    assert ([q["id"] for q in page["questions"]], page["total"]) == (["q2", "q3", "q4"], 8)
    assert ([q["id"] for q in wrong["questions"]], wrong["total"]) == (["q5", "q6", "q7"], 3)
    assert ([q["error"] for q in failed["questions"]], failed["total"]) == (["the model did not answer"], 2)
    assert report.headers["content-disposition"] == 'attachment; filename="pubmedqa_test.html"'
    assert report.headers["content-security-policy"].startswith("default-src 'none'")
    assert "<b>1</b>" not in report.text
    assert "50.0" in report.text


async def test_only_runs_of_the_folder_are_found(visit: Visit, run_file: Path) -> None:
    names = ["gone", "notes", "linked", "..%2Foutside", "%2e%2e%2foutside", "outside", "x" * 300, "%00"]
    async with visit() as site:
        for name in names:
            for end in ("", "/questions", "/report"):
                assert (await site.client.get(f"/v1/runs/{name}{end}")).status_code == 404, name
