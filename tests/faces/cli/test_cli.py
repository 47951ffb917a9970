"""The command line as a user meets it: one line for a mistake, the right exit status, nothing lost."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import Said
from rows import each_row

from medground.testing.command import run
from medground.values.answer import Answer

TEXTS = (
    ("Aspirin and stroke", "Aspirin significantly reduced the risk of stroke. Bleeding rose."),
    ("Statins", "Statins lowered cholesterol in adults with diabetes."),
)
PAPERS = [{"id": f"PMID:{n}", "title": t, "text": x} for n, (t, x) in enumerate(TEXTS, start=1)]
QUESTION = "Does aspirin reduce the risk of stroke?"


def test_ask_prints_decision_quotes_verdicts_and_cost(papers: Path, said: Said) -> None:
    shown = said("ask", "--corpus", "papers", QUESTION).out
    for part in (
        "Aspirin significantly reduced",
        "[E1]",
        "PMID:1",
        "Quoted from the source",
        "1. Aspirin and stroke.",
        "https://pubmed.ncbi.nlm.nih.gov/1/",
        "Searched: corpus papers",
        "Cost: $0, no model calls",
    ):
        assert part in shown
    assert "trace" not in shown
    assert shown.count("Aspirin significantly reduced") == 1
    shown = said("ask", "--corpus", "papers", "--details", QUESTION).out
    for part in ("Label: CORRECT-EXPLICIT", "characters 0-", "Settings: ", "medground trace show "):
        assert part in shown
    assert "## Details" in said("ask", "--corpus", "papers", "--details", "--markdown", QUESTION).out


def test_a_question_that_nothing_can_answer_exits_with_3(papers: Path, said: Said) -> None:
    ask = ("ask", "--corpus", "papers", "--quiet", "Does yoga shorten labour?")
    assert said(*ask, code=3).out.startswith("Nothing found on yoga in corpus papers")
    assert json.loads(said(*ask, "--json", code=3).out)["decision"]["status"] == "unanswerable"


def test_json_is_an_answer_and_its_trace_can_be_shown(papers: Path, said: Said) -> None:
    answer = Answer.model_validate_json(said("ask", "--corpus", "papers", "--json", QUESTION).out)
    assert answer.snapshots[0].name == "papers"
    assert (papers / "answers" / f"{answer.trace_id}.json").is_file()
    shown = said("trace", "show", answer.trace_id).out
    assert "search corpus:papers" in shown
    assert "operator extract" in shown
    assert "Aspirin" not in shown
    assert "Aspirin" in said("trace", "show", answer.trace_id, "--text").out


@each_row(
    ("words", "message"),
    [
        (["ask", "-c", "papers", ""], "the question is empty"),
        (["ask", "-c", "papers", "a" * 20_000], "20,000 characters"),
        (["ask", "-c", "papers", "--recipe", "best", QUESTION], "unknown recipe 'best'; choose one of biomed"),
        (["ask", "-c", "papers", "--model", "gpt", "--task", "essay", QUESTION], "unknown task"),
        (["ask", "-c", "nothing", QUESTION], "no corpus 'nothing'"),
        (["ask", "-c", "papers", "--set", "recipe.runds=1", QUESTION], "recipe.runds"),
        (["ask", "-c", "papers", "--json", "--markdown", QUESTION], "choose one"),
        (["ask", "-c", "papers", "--preset", "best", QUESTION], "unknown preset"),
        (["ask"], "no question given; write one in quotes"),
        (["answer", "it"], "No such command"),
        (["trace", "show", "../x"], "no trace"),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_2(papers: Path, said: Said, words: list[str], message: str) -> None:
    captured = said(*words, code=2)
    assert captured.out == ""
    assert captured.err.startswith("medground: ")
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_config_schema_version_and_doctor(
    papers: Path, capsys: pytest.CaptureFixture[str], said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDGROUND_KEYS__OPENAI", "sk-very-secret-123")
    shown = said("config", "show", "--set", "recipe.batch=7").out
    assert "recipe.batch = 7" in shown
    assert "very-secret" not in shown
    shown = said("config", "show", "--set", "recipe.name=self-medrag", "--set", "reason_and_verify.shots=2").out
    assert "self_medrag.rounds = 3\n" in shown
    assert "reason_and_verify.shots = 2\n" in shown
    assert "sections" not in shown
    shown = said("config", "show", "--json", "--set", "recipe.name=self-medrag").out
    assert json.loads(shown)["self_medrag"]["rounds"] == 3
    assert "very-secret" not in shown
    assert json.loads(said("schema", "answer").out)["title"] == "Answer"
    assert run("version") == 0
    assert run("doctor") in (0, 1)
    shown = capsys.readouterr().out
    assert "extra dense" in shown
    assert "very-secret" not in shown
    monkeypatch.setenv("MEDGROUND_RECIPE__NAME", "best")
    monkeypatch.setenv("MEDGROUND_RETRIEVAL__SOURCES", "pubmed,unknown")
    shown = said("doctor", code=1).out
    assert "unknown recipe 'best'" in shown
    assert "unknown source 'unknown'" in shown


@each_row("words", [[], ["demonstrations"], ["corpus"]])
def test_no_arguments_show_the_help_as_it_is_laid_out(words: list[str], said: Said) -> None:
    lines = said(*words, code=2).err.splitlines()
    assert lines[0] == " ".join(["Usage: medground", *words, "[OPTIONS] COMMAND [ARGS]..."])
    assert "Commands:" in lines


def test_all_servers_can_run_at_once_by_default(said: Said) -> None:
    ports = []
    for command in ("serve", "web", "mcp"):
        ports += re.findall(r"--port <.*?\[default:\s*(\d+)", said(command, "--help").out, re.DOTALL)
    assert len(ports) == len(set(ports)) == 3


def test_a_folder_in_place_of_a_collection_is_answered_with_the_line_that_builds_it(said: Said, tmp_path: Path) -> None:
    folder = tmp_path / "My papers"
    folder.mkdir()
    refused = said("ask", "-c", str(folder), "Does yoga help?", code=2).err
    assert f"medground corpus build my-papers {folder}" in refused
