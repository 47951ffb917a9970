"""`medground export`: to standard output, to a file, and what a user may get wrong."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import docx
import pytest
import rispy
from command_line import Said, corpus_of
from rows import each_row

from medground.engine.blocking import BlockingEngine
from medground.testing.command import run

QUESTION = "Does aspirin reduce the risk of stroke?"
PAPER = {
    "id": "PMID:1",
    "title": "Aspirin and stroke",
    "text": "Aspirin significantly reduced the risk of stroke. Bleeding rose.",
    "authors": ["Smith JA"],
    "imprint": {"volume": "5"},
    "identifiers": {"doi": "10.1000/x"},
}


@pytest.fixture
def kept(here: Path) -> str:
    """The trace id of a kept answer."""
    corpus_of(PAPER)
    with BlockingEngine(corpora="papers") as engine:
        return engine.ask(QUESTION).trace_id


def test_a_reference_reaches_a_reference_manager_whole(kept: str, said: Said) -> None:
    (found,) = rispy.loads(said("export", kept, "--format", "ris").out)
    assert (found["title"], found["authors"], found["volume"]) == ("Aspirin and stroke", ["Smith, J. A."], "5")
    assert (found["doi"], found["accession_number"]) == ("10.1000/x", "1")
    assert "Aspirin significantly reduced the risk of stroke." in found["notes"][0]


def test_the_file_tells_the_format(kept: str, tmp_path: Path, said: Said) -> None:
    for name in ("a.docx", "a.html", "a.pdf", "a.md", "a.bib", "a.json", "a.ris"):
        assert said("export", kept, "-o", name).out == ""
    assert docx.Document(io.BytesIO((tmp_path / "a.docx").read_bytes())).paragraphs[0].text == QUESTION
    assert "Smith, J.A. (no date)" in (tmp_path / "a.md").read_text(encoding="utf-8")
    assert not list(tmp_path.glob("*.partial"))


def test_standard_output_takes_every_format(kept: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    capfdbinary.readouterr()
    assert run("export", kept) == 0
    assert capfdbinary.readouterr().out.startswith(b"# Does aspirin")
    assert run("export", kept, "--format", "docx") == 0
    assert capfdbinary.readouterr().out.startswith(b"PK")


@each_row(
    ("words", "message"),
    [
        (["--format", "odt"], "unknown format 'odt'; choose one of ris"),
        (["-o", "a.txt"], "cannot tell the format"),
        (["--format", "ris", "--style", "x"], "ris has no citation style"),
        (["--style", "no-such-style"], "no-such-style"),
        (["-o", "missing/a.ris"], "cannot write missing"),
        (["-o", "taken.md"], "cannot write taken.md"),
        (["nothing", "--format", "ris"], "no answer 'nothing'"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(
    kept: str, here: Path, words: list[str], message: str, said: Said
) -> None:
    (here / "taken.md").mkdir(exist_ok=True)
    error = said("export", *([] if "nothing" in words else [kept]), *words, code=2).err
    assert message in error
    assert error.count("\n") == 1
    assert not list(here.glob(".*partial"))


def test_a_word_document_is_not_printed_on_a_terminal(kept: str, monkeypatch: pytest.MonkeyPatch, said: Said) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert "give --output FILE" in said("export", kept, "--format", "docx", code=2).err


def test_an_answer_from_before_authors_were_kept_says_so(kept: str, home: Path, said: Said) -> None:
    file = home / "answers" / f"{kept}.json"
    content = json.loads(file.read_bytes()) | {"schema_version": "1.3"}
    content["documents"] = [
        {name: value for name, value in document.items() if name not in ("authors", "identifiers", "imprint")}
        for document in content["documents"]
    ]
    file.write_text(json.dumps(content), encoding="utf-8")
    shown = said("export", kept, "--format", "ris")
    assert f"before authors were recorded; run medground ask --again {kept}" in shown.err
    assert rispy.loads(shown.out)[0]["title"] == "Aspirin and stroke"


def test_an_answer_of_words_alone_leads_with_its_quotes_and_an_old_estimate_is_not_shown(
    kept: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As asked, and as a version kept it that estimated the answer from word statistics."""
    file = home / "answers" / f"{kept}.json"
    content = json.loads(file.read_bytes())
    assert (content["decision"]["status"], content["decision"]["value"]) == ("not judged", None)
    estimate = {"status": "lean", "basis": "lean", "value": "yes", "probability": 0.9668, "reason": "Estimated"}
    for decision in ({}, estimate):
        file.write_text(json.dumps(content | {"decision": content["decision"] | decision}), encoding="utf-8")
        capsys.readouterr()
        for words in (["show", kept], ["show", kept, "--json"], ["history"]):
            assert run(*words) == 0
        for form in ("markdown", "html", "ris"):
            assert run("export", kept, "--format", form) == 0
        shown = capsys.readouterr().out
        assert "What the sources say\n\nAspirin significantly reduced the risk of stroke." in shown
        assert '"status": "not judged"' in shown
        assert not re.search(r"(?i)\bleans?\b|estimated? |97 ?%|0\.9668", shown)
