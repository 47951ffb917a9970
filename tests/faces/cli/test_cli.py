"""The command line as a user meets it: one line for a mistake, the right exit status, nothing lost."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import Said, corpus_of
from markdown_it import MarkdownIt
from rows import each_row

from medground.testing.command import run
from medground.values.answer import Answer

TEXTS = (
    ("Aspirin and stroke", "Aspirin significantly reduced the risk of stroke. Bleeding rose."),
    ("Statins", "Statins lowered cholesterol in adults with diabetes."),
    ("Tranexamic acid in brain haemorrhage", "Tranexamic acid did not reduce deaths in intracerebral haemorrhage."),
    ("Iron and anemia", "Oral iron significantly improved hemoglobin in women with anemia."),
    ("Acetaminophen for fever", "Acetaminophen significantly reduced fever in adults with influenza."),
    ("Trastuzumab", "Trastuzumab prolonged survival of patients with HER-2 positive tumors."),
    ("Bladder infections", "Nitrofurantoin cured bladder infections in 900 pregnant women."),
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


def test_a_question_that_nothing_can_answer_exits_with_3(papers: Path, said: Said) -> None:
    ask = ("ask", "--corpus", "papers", "--quiet", "Does yoga shorten labour?")
    assert "Nothing found on yoga in corpus papers" in said(*ask, code=3).out
    assert json.loads(said(*ask, "--json", code=3).out)["decision"]["status"] == "unanswerable"


def test_quotes_about_something_else_are_announced_as_such_and_decide_nothing(papers: Path, said: Said) -> None:
    question = "Is tranexamic acid effective in postpartum haemorrhage?"
    shown = " ".join(said("ask", "-q", "-c", "papers", question, code=3).out.split())
    first = "Nothing found on postpartum haemorrhage in corpus papers. Nearest, about something else:"
    assert shown.removeprefix(question).strip().startswith(first)
    assert "intracerebral haemorrhage" in shown
    decision = json.loads(said("ask", "-q", "-c", "papers", "--json", question, code=3).out)["decision"]
    assert (decision["value"], decision["unmentioned"]) == (None, ["postpartum haemorrhage"])


@each_row(
    ("question", "paper"),
    [
        ("Does oral iron help in anaemia?", "PMID:4"),
        ("Does oral iron increase haemoglobin?", "PMID:4"),
        ("Does paracetamol reduce fever?", "PMID:5"),
        ("Does Tylenol reduce fever?", "PMID:5"),
        ("Which drug helps in HER2 positive tumours?", "PMID:6"),
        ("Does nitrofurantoin cure bladder infections in pregnancy?", "PMID:7"),
    ],
)
def test_every_name_and_spelling_is_answered_by_the_same_paper(
    papers: Path, said: Said, question: str, paper: str
) -> None:
    answer = json.loads(said("ask", "-q", "-c", "papers", "--json", question).out)
    assert answer["evidence"][0]["document_id"] == paper
    assert not answer["decision"]["unmentioned"]
    assert paper in said("corpus", "search", "papers", question, "--limit", "1").out


def test_details_show_label_offsets_hash_and_trace(papers: Path, said: Said) -> None:
    shown = said("ask", "--corpus", "papers", "--details", QUESTION).out
    for part in ("Label: CORRECT-EXPLICIT", "characters 0-49", "Settings: ", "medground trace show "):
        assert part in shown
    assert "## Details" in said("ask", "--corpus", "papers", "--details", "--markdown", QUESTION).out


def test_json_is_an_answer_and_its_trace_can_be_shown(papers: Path, said: Said) -> None:
    answer = Answer.model_validate_json(said("ask", "--corpus", "papers", "--json", QUESTION).out)
    assert answer.snapshots[0].name == "papers"
    assert (papers / "answers" / f"{answer.trace_id}.json").is_file()
    shown = said("trace", "show", answer.trace_id).out
    assert "search corpus:papers" in shown
    assert "operator extract" in shown
    assert "Aspirin" not in shown
    assert "Aspirin" in said("trace", "show", answer.trace_id, "--text").out


def test_markdown_cannot_be_broken_by_a_document(here: Path, said: Said) -> None:
    text = (
        "Aspirin reduced the risk of stroke <script>alert(1)</script> [x](javascript:alert(1)) # \x1b[31mred "
        "https://evil.example www.evil.example."
    )
    corpus_of({"id": "PMID:1", "title": "<b>Aspirin</b> stroke", "text": text}, name="bad")
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
        (["ask", "-c", "papers", "--recipe", "best", QUESTION], "unknown recipe 'best'; choose one of biomed"),
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
def test_a_mistake_is_one_line_and_exit_status_2(papers: Path, said: Said, words: list[str], message: str) -> None:
    captured = said(*words, code=2)
    assert captured.out == ""
    assert captured.err.startswith("medground: ")
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_several_problems_come_in_one_report(papers: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    report = said("ask", "-c", "papers", "--model", "openai:gpt-5", "--recipe", "best", QUESTION, code=2).err
    assert "unknown recipe" in report
    assert "OPENAI_API_KEY" in report


def test_a_flipped_byte_is_never_read(papers: Path, said: Said) -> None:
    database = next(papers.glob("corpora/papers/*/documents.sqlite"))
    content = bytearray(database.read_bytes())
    place = content.index(b"Aspirin significantly")
    content[place] ^= 0x20
    database.unlink()  # a new file: a reader may have the old one open or mapped
    database.write_bytes(bytes(content))
    assert "documents.sqlite" in said("corpus", "verify", "papers", code=1).err
    captured = said("ask", "-c", "papers", QUESTION, code=1)
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


def test_a_folder_in_place_of_a_collection_is_answered_with_the_line_that_builds_it(said: Said, tmp_path: Path) -> None:
    folder = tmp_path / "My papers"
    folder.mkdir()
    refused = said("ask", "-c", str(folder), "Does yoga help?", code=2).err
    assert f"medground corpus build my-papers {folder}" in refused
