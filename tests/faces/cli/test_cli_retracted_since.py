"""A paper is retracted after its corpus was built and its answers were kept: every way to them says so at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Said, corpus_of

from medground.corpus import retraction
from medground.engine.blocking import BlockingEngine
from medground.values.answer import Answer
from medground.values.document import Retraction
from medground.wording.view import view

QUESTION = "Does aspirin reduce the risk of stroke?"
TRIAL = {
    "id": "PMID:70001",
    "title": "Aspirin for stroke",
    "text": "Aspirin significantly reduced the risk of stroke in 900 adults.",
    "doi": "10.1000/asp.1",
}
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
def kept(here: Path, ask: Said) -> Said:
    """Gives the answer from a corpus of some papers, as it is kept."""

    def answered(*papers: dict[str, str]) -> Any:
        corpus_of(*papers)
        answer = ask("-c", "papers", QUESTION)
        assert {one["retraction"] for one in answer["documents"]} == {"none"}
        assert answer["statements"][0]["verdict"]["label"] == "quoted"
        return answer

    return answered


def test_a_kept_answer_says_it_first_and_counts_nothing(home: Path, kept: Said, extend: Extend, said: Said) -> None:
    before = kept(TRIAL)
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
    kept: Said, extend: Extend, said: Said, ask: Said
) -> None:
    before = kept(TRIAL, OTHER)
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


def test_an_expression_of_concern_is_told_and_the_paper_stays_evidence(kept: Said, extend: Extend, said: Said) -> None:
    before = kept(TRIAL)
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
