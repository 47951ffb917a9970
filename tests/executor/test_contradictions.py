"""Looking for contradicting findings by words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from medground.document import Document
from medground.errors import SourceUnavailable
from medground.executor.contradictions import contradicting, opposing_words, opposition, subject_of
from medground.research_plan import SubQuestion
from medground.run import Run

MakeRun = Callable[..., Run]
FINDING = "Losartan significantly reduced dilation of the aortic root in Marfan syndrome."
ONE = SubQuestion(id="q1", text="Does losartan slow dilation?", keywords=("losartan", "aortic root"))
OWN = Document(id="PMID:1", title="A trial of losartan", text=f"Background. {FINDING}")
AGREES = Document(
    id="PMID:2", title="Losartan again", text="In Marfan syndrome losartan lowered the aortic root dilation."
)
OPPOSES = Document(
    id="PMID:3", title="No benefit", text="Losartan did not change dilation of the aortic root in Marfan syndrome."
)
AWAY = Document(id="PMID:4", title="Fins", text="Zebrafish fins did not regenerate.")


def found(run: Run) -> list[str]:
    hits = asyncio.run(contradicting(FINDING, ONE, run))
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    return [hit.passage.document_id for hit in hits]


def test_an_opposing_finding_comes_first_and_the_finding_itself_is_left_out(
    make_run: MakeRun, memory_source: Any
) -> None:
    run = make_run("q", [memory_source([OWN, AGREES, OPPOSES, AWAY])])
    assert found(run)[:2] == ["PMID:3", "PMID:2"]
    assert "PMID:1" not in found(run)
    assert {search.node for search in run.searches} == {"q1 contradictions"}


def test_a_retracted_paper_contradicts_nothing(make_run: MakeRun, memory_source: Any) -> None:
    retracted = OPPOSES.model_copy(update={"retraction": "retracted"})
    assert "PMID:3" not in found(make_run("q", [memory_source([AGREES, retracted])]))


def test_a_source_that_fails_is_warned_of_and_others_are_read(make_run: MakeRun, memory_source: Any) -> None:
    failing = memory_source([], "europepmc", SourceUnavailable("status 503", source="europepmc"))
    run = make_run("q", [failing, memory_source([OPPOSES])])
    assert found(run) == ["PMID:3"]
    assert run.warnings == ["europepmc could not be searched: status 503"]
    assert found(make_run("q", [failing])) == []


def test_services_are_asked_for_the_keywords_with_opposing_words(make_run: MakeRun, memory_source: Any) -> None:
    run = make_run("q", [memory_source([OPPOSES], "pubmed:live")])
    assert found(run) == ["PMID:3"]
    (search,) = run.searches
    assert search.source == "pubmed:live"


@pytest.mark.parametrize(
    ("sentence", "subject", "words"),
    [
        ("Aspirin increased bleeding.", "Aspirin bleeding.", {"decreased", "not"}),
        ("Aspirin did not reduce stroke.", "Aspirin did stroke.", {"increased", "associated"}),
        ("Aspirin binds COX.", "Aspirin binds COX.", {"not", "without"}),
    ],
)
def test_the_subject_and_its_opposing_words(sentence: str, subject: str, words: set[str]) -> None:
    assert subject_of(sentence) == subject
    assert words <= set(opposing_words(sentence))


def test_opposition_needs_the_same_subject() -> None:
    assert opposition(FINDING, OPPOSES.text) > 0.9
    assert opposition(FINDING, AGREES.text) == 0.0
    assert opposition(FINDING, AWAY.text) == 0.0
    assert opposition(FINDING, "") == 0.0
