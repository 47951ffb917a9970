"""Answers are consistent: citations resolve, decisions have a basis, retracted papers support nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from medground.values.answer import Answer, SourceDocument
from medground.values.decision import YesNoDecision
from medground.values.question import Question

EVIDENCE = {"id": "E1", "document_id": "PMID:1", "start": 0, "end": 3, "quote": "It."}


def answer(**changes: Any) -> Answer:
    content: dict[str, Any] = {
        "id": "a",
        "question": Question.ask("Is it?", task="yes-no"),
        "decision": {"task": "yes-no", "status": "decided", "value": "yes", "basis": "model"},
        "rationale": "It. [E1]",
        "statements": [
            {
                "text": "It.",
                "start": 0,
                "end": 3,
                "evidence": ["E1"],
                "verdict": {"label": "supported", "critic": "c", "best": "E1"},
            }
        ],
        "evidence": [EVIDENCE],
        "documents": [SourceDocument(id="PMID:1", title="t", kind="research")],
        "recipe": "ground",
        "settings_hash": "h",
        "trace_id": "t",
        "created": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return Answer.model_validate(content | changes)


def test_a_whole_answer_survives_json() -> None:
    whole = answer()
    assert Answer.model_validate_json(whole.model_dump_json()) == whole


def test_an_answer_of_the_schema_before_this_one_loads() -> None:
    stored = answer().model_dump(mode="json", exclude={"quoted"}) | {"schema_version": "1.1", "support": 1.0}
    loaded = Answer.model_validate(stored)
    assert (loaded.schema_version, loaded.support, loaded.quoted) == ("1.1", 1.0, None)


def test_an_unknown_citation_cannot_be_written() -> None:
    verdict = {"label": "related", "critic": "c"}
    with pytest.raises(ValidationError, match="unknown evidence E9"):
        answer(statements=[{"text": "It.", "start": 0, "end": 3, "evidence": ["E9"], "verdict": verdict}])
    with pytest.raises(ValidationError, match="does not list"):
        answer(documents=[])


def test_a_statement_is_a_slice_of_the_rationale() -> None:
    with pytest.raises(ValidationError, match="not a slice"):
        answer(rationale="No. [E1]")


def test_retracted_papers_cannot_support_a_statement() -> None:
    with pytest.raises(ValidationError, match="only retracted papers and notices"):
        answer(documents=[SourceDocument(id="PMID:1", title="t", kind="research", retraction="retracted")])


def test_a_decision_needs_evidence() -> None:
    with pytest.raises(ValidationError, match="a decision but no evidence"):
        answer(rationale="", statements=[], evidence=[], documents=[])


@pytest.mark.parametrize(
    "decision",
    [
        {"status": "decided", "value": "yes"},
        {"status": "decided", "basis": "model"},
        {"status": "unanswerable", "value": "no", "basis": "model"},
        {"status": "decided", "value": "maybe", "basis": "model"},
    ],
)
def test_inconsistent_decisions_are_refused(decision: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        YesNoDecision.model_validate(decision)
