"""`medground research` as a user types it: over a corpus, over recorded replies, from a plan, again after a limit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Printed, corpus_of, printing
from rows import each_row

QUESTION = "Does aspirin reduce the risk of stroke?"
PAPERS = (
    ("PMID:1", "Aspirin and stroke", "Aspirin reduced the risk of stroke by 22% in 4,000 adults. Bleeding was rare."),
    ("PMID:2", "Bleeding under aspirin", "Aspirin increased the risk of bleeding in adults with stroke."),
    ("PMID:3", "Mechanism of aspirin", "The mechanism of aspirin is inhibition of platelets, which prevents stroke."),
)


@pytest.fixture
def run(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Printed:
    """Runs the program in an empty folder, and gives its exit status, output and messages."""
    monkeypatch.chdir(tmp_path)
    return printing(capsys)


@pytest.fixture
def papers(run: Printed) -> str:
    """The corpus `papers`."""
    corpus_of(*({"id": name, "title": title, "text": text, "year": 2020} for name, title, text in PAPERS))
    return "papers"


def test_a_report_over_a_corpus(run: Printed, papers: str) -> None:
    code, out, err = run("research", QUESTION, "-c", papers, "--json", "-q")
    assert code == 0, err
    answer = json.loads(out)
    assert answer["recipe"] == "biomedsearch"
    assert {one["document_id"] for one in answer["evidence"]} <= {name for name, _, _ in PAPERS}
    assert any(one["document_id"] == "PMID:1" for one in answer["evidence"])
    assert answer["report"]["plan"]["question"] == QUESTION
    assert {one["kind"] for one in answer["report"]["sections"]} >= {"findings", "searched"}
    assert run("show", "last")[0] == 0


@each_row("name", ["report.md", "report.json", "REPORT.MD"])
def test_a_report_as_a_file(run: Printed, papers: str, name: str) -> None:
    code, out, err = run("research", QUESTION, "-c", papers, "-o", name)
    assert (code, out) == (0, "")
    assert f"the report is in {name}" in err
    assert "Aspirin reduced the risk of stroke" in Path(name).read_text(encoding="utf-8")


def test_the_plan_is_shown_edited_and_followed(run: Printed, papers: str) -> None:
    code, out, _ = run("research", QUESTION, "--plan", "-q")
    assert code == 0
    assert "q1" in out and "aspirin" in out
    assert run("research", QUESTION, "--plan", "-o", "plan.json", "-q")[0] == 0
    plan: dict[str, Any] = json.loads(Path("plan.json").read_text(encoding="utf-8"))
    plan["subquestions"] = plan["subquestions"][1:2]
    Path("mine.json").write_text(json.dumps(plan), encoding="utf-8")
    code, out, err = run("research", "--from-plan", "mine.json", "-c", papers, "--json", "-q")
    assert code == 0, err
    answer = json.loads(out)
    assert [one["id"] for one in answer["report"]["plan"]["subquestions"]] == [plan["subquestions"][0]["id"]]
    assert answer["question"]["plan"] == answer["report"]["plan"]


def test_options_are_answered_from_the_report(run: Printed, papers: str) -> None:
    options = ("--option", "It reduces the risk", "--option", "It raises the risk")
    code, out, err = run("research", QUESTION, "-c", papers, "--json", "-q", "--task", "multiple-choice", *options)
    assert code == 0, err
    answer = json.loads(out)
    assert answer["decision"]["task"] == "multiple-choice"
    assert answer["decision"]["status"] == "not judged"
    assert any("word statistics lean to" in warning for warning in answer["warnings"])


def test_a_limit_ends_in_a_report_and_can_be_raised(run: Printed, papers: str) -> None:
    code, _, err = run("research", QUESTION, "-c", papers, "-o", "r.json", "--set", "budget.seconds=0.00001")
    assert code == 1
    assert "go on with it: medground research --resume " in err
    assert json.loads(Path("r.json").read_text(encoding="utf-8"))["stopped"]
    name = err.split("--resume ")[1].split()[0]
    assert "raise it with --set budget.seconds" in run("research", "--resume")[2]
    code, out, err = run("research", "--resume", name, "--set", "budget.seconds=60", "--json", "-q")
    assert code == 0, err
    assert json.loads(out)["stopped"] is None
    code, _, err = run("research", "--resume", name)
    assert (code, err) == (2, f"medground: no unfinished research has the id '{name}'; latest: there is none\n")


@each_row(
    ("words", "line"),
    [
        ((), "there is no question; write one in quotes, or - to read it from standard input"),
        (("What is the capital of France?",), "the question names nothing biomedical; ask about a gene"),
        (("aspirin " * 3000,), "the question has 23,999 characters; shorten it to at most 4,000"),
        ((QUESTION, "-o", "report.odt"), "cannot write a report as report.odt; end the name with .md, .html, .docx"),
        ((QUESTION, "-o", "none/report.md"), "there is no folder none; make it, or name another file"),
        ((QUESTION, "-o", "folder.md"), "cannot write folder.md; name another file"),
        ((QUESTION, "--replay", "nothing"), "there is no folder nothing to replay; record one with --record nothing"),
        (
            (QUESTION, "--replay", "a", "--record", "b"),
            "replies are either replayed or recorded; leave out --replay or",
        ),
        ((QUESTION, "--from-plan", "missing.json"), "missing.json"),
        ((QUESTION, "--from-plan", "cycle.json"), "cycle.json: "),
        ((QUESTION, "--from-plan", "other.json"), "the plan is of another question; leave the question out, or edit"),
        ((QUESTION, "--tools", "books"), "biomedsearch.tools"),
        (("--resume",), "no research is unfinished; ask a question with medground research"),
        (("--resume", "x", "-c", "papers"), "--resume takes question and settings from the research; only --set and"),
        ((QUESTION, "--json", "--markdown"), "choose one of --json and --markdown"),
    ],
)
def test_mistakes_are_one_line(run: Printed, papers: str, words: tuple[str, ...], line: str) -> None:
    keyword = {"name": "a", "tools": ["literature"]}
    plan = {
        "question": "Does aspirin help?",
        "subquestions": [{"id": "q1", "text": "Does it?", "keywords": ["a", "b"]}],
        "keywords": [keyword, {"name": "b"}],
        "edges": [],
    }
    Path("other.json").write_text(json.dumps(plan), encoding="utf-8")
    edges = [{"before": "a", "after": "b"}, {"before": "b", "after": "a"}]
    Path("cycle.json").write_text(json.dumps({**plan, "question": QUESTION, "edges": edges}), encoding="utf-8")
    Path("folder.md").mkdir(exist_ok=True)
    named = () if "--resume" in words or "--replay" in words else ("-c", papers)
    code, _, err = run("research", *words, *named)
    assert code == 2, err
    assert line in err
    assert err.count("\n") == 1
