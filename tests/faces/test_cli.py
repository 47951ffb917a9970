"""The command line as a user meets it: one line for a mistake, the right exit status, nothing lost."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import Said
from markdown_it import MarkdownIt
from rows import each_row

from medground.testing.command import run

PAPERS = [
    {
        "id": "PMID:1",
        "title": "Aspirin and stroke",
        "text": "Aspirin significantly reduced the risk of stroke. Bleeding rose.",
    },
    {"id": "PMID:2", "title": "Statins", "text": "Statins lowered cholesterol in adults with diabetes."},
]
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


def test_a_question_that_nothing_can_answer_exits_with_3(papers: Path, said: Said) -> None:
    assert "Unanswerable" in said("ask", "--corpus", "papers", "--quiet", "Does yoga shorten labour?", code=3).out
    assert (
        json.loads(said("ask", "--corpus", "papers", "--json", "--quiet", "Does yoga shorten labour?", code=3).out)[
            "decision"
        ]["status"]
        == "unanswerable"
    )


def test_details_show_label_offsets_hash_and_trace(papers: Path, said: Said) -> None:
    shown = said("ask", "--corpus", "papers", "--details", QUESTION).out
    for part in ("Label: CORRECT-EXPLICIT", "characters 0-49", "Settings: ", "medground trace show "):
        assert part in shown
    assert "## Details" in said("ask", "--corpus", "papers", "--details", "--markdown", QUESTION).out


def test_json_is_an_answer_and_its_trace_can_be_shown(
    papers: Path, capsys: pytest.CaptureFixture[str], said: Said
) -> None:
    assert run("ask", "--corpus", "papers", "--json", QUESTION) == 0
    from medground.values.answer import Answer

    answer = Answer.model_validate_json(capsys.readouterr().out)
    assert answer.snapshots[0].name == "papers"
    assert (papers / "answers" / f"{answer.trace_id}.json").is_file()
    shown = said("trace", "show", answer.trace_id).out
    assert "search corpus:papers" in shown
    assert "operator extract" in shown
    assert "Aspirin" not in shown
    assert "Aspirin" in said("trace", "show", answer.trace_id, "--text").out


def test_markdown_cannot_be_broken_by_a_document(home: Path, tmp_path: Path, said: Said) -> None:
    file = tmp_path / "bad.jsonl"
    text = (
        "Aspirin reduced the risk of stroke <script>alert(1)</script> [x](javascript:alert(1)) # \x1b[31mred "
        "https://evil.example www.evil.example."
    )
    file.write_text(json.dumps({"id": "PMID:1", "title": "<b>Aspirin</b> stroke", "text": text}), encoding="utf-8")
    assert run("corpus", "build", "bad", str(file), "-q") == 0
    report = said("ask", "-c", "bad", "--markdown", QUESTION).out
    page = MarkdownIt("gfm-like", {"html": True}).render(report)
    assert "evil.example" in page
    assert re.findall('href="(http[^"]*)', page) == ["https://pubmed.ncbi.nlm.nih.gov/1/"]
    assert "<script" not in page
    assert "<b>" not in page
    assert 'href="javascript' not in page
    assert "\x1b" not in report
    assert "\x1b[31m" not in said("ask", "-c", "bad", QUESTION).out


@each_row(
    ("words", "message"),
    [
        (["ask", "-c", "papers", ""], "the question is empty"),
        (["ask", "-c", "papers", "a" * 20_000], "20,000 characters"),
        (
            ["ask", "-c", "papers", "--recipe", "best", QUESTION],
            "unknown recipe 'best'; choose one of biomed",
        ),
        (["ask", "-c", "papers", "--model", "gpt", QUESTION], "unknown model 'gpt'"),
        (["ask", "-c", "nothing", QUESTION], "no corpus 'nothing'"),
        (["ask", "-c", "papers", "--set", "recipe.runds=1", QUESTION], "recipe.runds"),
        (["ask", "-c", "papers", "--task", "essay", QUESTION], "unknown task"),
        (["ask", "-c", "papers", "--year-from", "2020", "--year-to", "2010", QUESTION], "after the last"),
        (["ask", "-c", "papers", "--json", "--markdown", QUESTION], "choose one"),
        (["ask", "-c", "papers", "--preset", "best", QUESTION], "unknown preset"),
        (["ask"], "there is no question; write one in quotes"),
        (["answer", "it"], "No such command"),
        (["corpus", "build", "papers2", "/nowhere/at/all"], "nowhere"),
        (["trace", "show", "../x"], "no trace"),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_2(
    papers: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    capsys.readouterr()
    assert run(*words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("medground: ")
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_several_problems_come_in_one_report(papers: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    report = said("ask", "-c", "papers", "--model", "openai:gpt-5", "--recipe", "best", QUESTION, code=2).err
    assert "unknown recipe" in report
    assert "OPENAI_API_KEY" in report


def test_a_flipped_byte_is_never_read(papers: Path, capsys: pytest.CaptureFixture[str], said: Said) -> None:
    database = next(papers.glob("corpora/papers/*/documents.sqlite"))
    content = bytearray(database.read_bytes())
    place = content.index(b"Aspirin significantly")
    content[place] ^= 0x20
    database.unlink()  # a new file: a reader may have the old one open or mapped
    database.write_bytes(bytes(content))
    assert "documents.sqlite" in said("corpus", "verify", "papers", code=1).err
    assert run("ask", "-c", "papers", QUESTION) in (1,)
    captured = capsys.readouterr()
    assert "aspirin significantly" not in captured.out
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
