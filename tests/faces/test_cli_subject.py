"""The first line over quotes about something else, and all names and spellings of what is asked, in a terminal."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import Said
from rows import each_row

TRIALS = (
    ("Tranexamic acid in brain haemorrhage", "Tranexamic acid did not reduce deaths in intracerebral haemorrhage."),
    ("Iron and anemia", "Oral iron significantly improved hemoglobin in women with anemia."),
    ("Acetaminophen for fever", "Acetaminophen significantly reduced fever in adults with influenza."),
    ("Trastuzumab", "Trastuzumab prolonged survival of patients with HER-2 positive tumors."),
    ("Bladder infections", "Nitrofurantoin cured bladder infections in 900 pregnant women."),
)
PAPERS = [{"id": f"PMID:{n}", "title": t, "text": x} for n, (t, x) in enumerate(TRIALS, start=1)]


def test_quotes_about_something_else_are_announced_as_such_and_decide_nothing(papers: Path, said: Said) -> None:
    question = "Is tranexamic acid effective in postpartum haemorrhage?"
    shown = " ".join(said("ask", "-q", "-c", "papers", question, code=3).out.split())
    first = "No passage found mentions postpartum haemorrhage. Nearest passages, about something else:"
    assert shown.removeprefix(question).strip().startswith(first)
    assert "intracerebral haemorrhage" in shown
    decision = json.loads(said("ask", "-q", "-c", "papers", "--json", question, code=3).out)["decision"]
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
    papers: Path, said: Said, question: str, paper: str
) -> None:
    answer = json.loads(said("ask", "-q", "-c", "papers", "--json", question).out)
    assert answer["evidence"][0]["document_id"] == paper
    assert not answer["decision"]["unmentioned"]
    assert paper in said("corpus", "search", "papers", question, "--limit", "1").out
