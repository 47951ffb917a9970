"""Kept answers: exported, and marked everywhere once a paper was retracted."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest
import rispy
from command_line import Said, corpus_of, run
from rows import each_row, tables

from medground.corpus import retraction
from medground.engine.blocking import BlockingEngine
from medground.values.answer import Answer
from medground.values.document import Retraction
from medground.wording.view import view

TABLES = tables(__file__)

QUESTION = "Does aspirin reduce the risk of stroke?"
PAPER = TABLES["paper"]


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


def test_two_things_that_are_compared_have_a_column_each_and_each_study_a_row(kept: str, said: Said) -> None:
    with BlockingEngine(corpora="papers") as engine:
        compared = engine.ask("Is aspirin or warfarin better against stroke?").trace_id
    title, aspirin, warfarin = said("table", compared).out.splitlines()[:3]
    assert title.startswith("Aspirin and stroke")
    assert "Aspirin" in aspirin.partition(": ")[2]
    assert warfarin == "  warfarin: not reported"


@each_row(("words", "message"), TABLES["a_mistake_is_one_line_and_leaves_nothing"])
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
    assert "give --out FILE" in said("export", kept, "--format", "docx", code=2).err


def test_an_answer_of_words_alone_leads_with_its_quotes(
    kept: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = home / "answers" / f"{kept}.json"
    content = json.loads(file.read_bytes())
    assert (content["decision"]["status"], content["decision"]["value"]) == ("not judged", None)
    capsys.readouterr()
    for words in (["show", kept], ["show", kept, "--json"], ["history"]):
        assert run(*words) == 0
    for form in ("markdown", "html", "ris"):
        assert run("export", kept, "--format", form) == 0
    shown = capsys.readouterr().out
    assert "Aspirin significantly reduced the risk of stroke. [E1]\nAspirin and stroke, doi.org." in shown
    assert '"status": "not judged"' in shown


TRIAL = TABLES["trial"]
OTHER = {"id": "PMID:70002", "title": "Again", "text": "Aspirin reduced the risk of stroke in a registry."}
TOP = "Retracted since this answer was given: “Aspirin for stroke” (PMID:70001)."
RETRACTED = "RETRACTED: not used as evidence."

Extend = Callable[[str, Retraction], None]


@pytest.fixture
def extend(monkeypatch: pytest.MonkeyPatch) -> Extend:
    """Makes the list of retracted papers longer by one."""

    def longer(name: str, state: Retraction) -> None:
        known = {**retraction.listed(), name: state}
        monkeypatch.setattr(retraction, "listed", lambda: known)

    return longer


@pytest.fixture
def given(here: Path, ask: Said) -> Said:
    """Gives the answer from a corpus of some papers, as it is given."""

    def answered(*papers: dict[str, str]) -> Any:
        corpus_of(*papers)
        answer = ask("-c", "papers", QUESTION)
        assert {one["retraction"] for one in answer["documents"]} == {"none"}
        assert answer["statements"][0]["verdict"]["label"] == "quoted"
        return answer

    return answered


def test_a_kept_answer_says_it_first_and_counts_nothing(home: Path, given: Said, extend: Extend, said: Said) -> None:
    before = given(TRIAL)
    trace = before["trace_id"]
    file = home / "answers" / f"{trace}.json"
    stored = file.read_bytes()
    extend("pmid:70001", "retracted")
    shown = said("show", trace).out
    assert shown.index(TOP) < shown.index("reduced the risk")
    assert RETRACTED in shown
    assert "it cites only papers that were retracted since" in shown
    now = Answer.model_validate_json(said("show", trace, "--json").out)  # it passes the checks of an answer
    assert (now.decision.status, now.support, now.quoted) == ("unanswerable", None, None)
    assert [(one.retraction, one.cautions) for one in now.documents] == [("retracted", (retraction.ON_THE_LIST,))]
    assert {one.verdict.label for one in now.statements} == {"not found"}
    for form in ("markdown", "html"):
        text = said("export", trace, "--format", form).out
        assert TOP in text
        assert RETRACTED in text
    for form in ("ris", "bibtex", "csl-json"):
        assert RETRACTED in said("export", trace, "--format", form).out
    assert "unanswerable" in said("history").out
    assert view(now).reason.startswith(TOP)
    assert file.read_bytes() == stored


def test_the_old_corpus_is_marked_without_a_rebuild_and_a_sound_paper_stays(
    given: Said, extend: Extend, said: Said, ask: Said
) -> None:
    before = given(TRIAL, OTHER)
    name = before["trace_id"]
    extend("doi:10.1000/asp.1", "retracted")
    after = ask("-c", "papers", QUESTION)
    followed = ask("--follow", name, "Does it reduce the risk?")
    for answer in (after, followed):
        assert {one["document_id"] for one in answer["evidence"]} == {"PMID:70002"}
        assert {one["id"]: one["retraction"] for one in answer["documents"]}["PMID:70001"] == "retracted"
    now = json.loads(said("show", name, "--json").out)
    assert (now["decision"]["status"], now["decision"]["value"]) == ("not judged", None)
    cited = {one["id"]: one["document_id"] for one in now["evidence"]}
    labels = {cited[one["evidence"][0]]: one["verdict"]["label"] for one in now["statements"]}
    assert labels == {"PMID:70001": "not found", "PMID:70002": "quoted"}
    again = ask("--again", name)
    assert again["before"] == before
    assert [(one["document_id"], one["now"]) for one in again["changes"]["marked"]] == [("PMID:70001", "retracted")]
    gone = [("PMID:70001", "retracted")]
    assert [(one["document_id"], one["why"]) for one in again["changes"]["gone"]] == gone
    with BlockingEngine(corpora="papers") as engine:
        hits = engine.search("aspirin stroke").hits
        assert {h.passage.document_id for h in hits if h.passage.retraction == "retracted"} == {"PMID:70001"}
        assert engine.document("PMID:70001").retraction == "retracted"
    corpus_of(OTHER)  # also where it is no longer in the corpus
    again = ask("--again", name)
    assert [(one["document_id"], one["why"]) for one in again["changes"]["gone"]] == gone


def test_an_expression_of_concern_is_told_and_the_paper_stays_evidence(given: Said, extend: Extend, said: Said) -> None:
    before = given(TRIAL)
    extend("doi:10.1000/asp.1", "concern")
    for shown in (said("show", before["trace_id"]).out, said("ask", "-q", "-c", "papers", QUESTION).out):
        assert "An expression of concern has been published about this paper." in shown
        assert "PMID:70001 has a published expression of concern; check it before you rely on it." in " ".join(
            shown.split()
        )
        assert "RETRACTED" not in shown
    now = json.loads(said("show", before["trace_id"], "--json").out)
    assert now["decision"] == before["decision"]
    assert now["statements"] == before["statements"]
