"""The first line over quotes about something else, and all names and spellings of what is asked, in a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import corpus_of
from rows import each_row

from medground.testing.command import run

TRIALS = (
    ("Tranexamic acid in brain haemorrhage", "Tranexamic acid did not reduce deaths in intracerebral haemorrhage."),
    ("Iron and anemia", "Oral iron significantly improved hemoglobin in women with anemia."),
    ("Acetaminophen for fever", "Acetaminophen significantly reduced fever in adults with influenza."),
    ("Trastuzumab", "Trastuzumab prolonged survival of patients with HER-2 positive tumors."),
    ("Bladder infections", "Nitrofurantoin cured bladder infections in 900 pregnant women."),
)


@pytest.fixture
def trials(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home with the corpus `trials`."""
    monkeypatch.chdir(tmp_path)
    rows = ({"id": f"PMID:{n}", "title": t, "text": x} for n, (t, x) in enumerate(TRIALS, start=1))
    corpus_of(*rows, name="trials")


def test_quotes_about_something_else_are_announced_as_such_and_decide_nothing(
    trials: None, capsys: pytest.CaptureFixture[str]
) -> None:
    question = "Is tranexamic acid effective in postpartum haemorrhage?"
    assert run("ask", "-q", "-c", "trials", question) == 3
    shown = " ".join(capsys.readouterr().out.split())
    first = "No passage found mentions postpartum haemorrhage. Nearest passages, about something else:"
    assert shown.removeprefix(question).strip().startswith(first)
    assert "intracerebral haemorrhage" in shown
    assert run("ask", "-q", "-c", "trials", "--json", question) == 3
    decision = json.loads(capsys.readouterr().out)["decision"]
    assert (decision["value"], decision["unmentioned"]) == (None, ["postpartum haemorrhage"])


@each_row(
    ("question", "paper"),
    [
        ("Does oral iron help in anaemia?", "PMID:2"),
        ("Does oral iron increase haemoglobin?", "PMID:2"),
        ("Does paracetamol reduce fever?", "PMID:3"),
        ("Does Tylenol reduce fever?", "PMID:3"),
        ("Which drug helps in HER2 positive tumours?", "PMID:4"),
        ("Does nitrofurantoin cure bladder infections in pregnancy?", "PMID:5"),
    ],
)
def test_every_name_and_spelling_is_answered_by_the_same_paper(
    trials: None, capsys: pytest.CaptureFixture[str], question: str, paper: str
) -> None:
    assert run("ask", "-q", "-c", "trials", "--json", question) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["evidence"][0]["document_id"] == paper
    assert not answer["decision"]["unmentioned"]
    assert run("corpus", "search", "trials", question, "--limit", "1") == 0
    assert paper in capsys.readouterr().out
