"""Where a person may be at risk, the notice comes first, whatever else is wrong with the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Said, type_in
from rows import each_row

from medground.testing.command import run

EMERGENCY = "I took 40 paracetamol tablets, what now?"
PAPERS = ({"id": "PMID:1", "title": "Aspirin", "text": "Aspirin significantly reduced the risk of stroke."},)


@each_row(
    "words",
    [
        ("-c", "papers", "--where", "ward=ICU"),
        ("-c", "papers", "--where", "year=soon"),
        ("-c", "papers", "--set", "no.such=1"),
        ("-c", "papers", "--follow", "missing"),
        ("-c", "papers", "--json", "--markdown"),
        ("-c", "missing"),
    ],
)
def test_the_notice_comes_before_a_mistake(papers: Path, words: tuple[str, ...], said: Said) -> None:
    notice, mistake = said("ask", "-q", EMERGENCY, *words, code=2).err.splitlines()
    assert "call your local emergency number" in notice
    assert mistake.startswith("medground: ")


def test_a_claim_standard_input_and_a_context_too(papers: Path, monkeypatch: pytest.MonkeyPatch, said: Said) -> None:
    Path("mine.txt").write_text("I want to kill myself tonight.", encoding="utf-8")
    shown = said("ask", "-q", "-c", "papers", "--context", "mine.txt", "Does aspirin reduce stroke?", code=3).out
    assert "You do not have to face this alone" in " ".join(shown.split())
    assert "Aspirin significantly" not in shown
    assert said("verify", EMERGENCY, "-c", "missing", code=2).err.startswith("If this is happening now")
    type_in(monkeypatch, EMERGENCY)
    assert said("ask", "-", "-c", "missing", code=2).err.startswith("If this is happening now")


def test_a_file_of_questions_shows_each_notice(papers: Path, capsys: pytest.CaptureFixture[str], said: Said) -> None:
    Path("questions.txt").write_text(f"Does aspirin help?\n{EMERGENCY}\n", encoding="utf-8")
    words = ("ask", "-q", "-c", "papers", "--where", "ward=ICU", "--from", "questions.txt")
    assert run(*words) == 2
    shown = capsys.readouterr()
    assert "call your local emergency number" in shown.out
    assert "2 of 2 questions failed; change the command as the errors say" in shown.err
    lines = [json.loads(line) for line in said(*words, "--json", code=2).out.splitlines()]
    assert [line["error"]["notice"] is None for line in lines] == [True, False]
