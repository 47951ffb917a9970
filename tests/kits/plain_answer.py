"""The least that an answer holds, to be filled by a test."""

from datetime import UTC, datetime
from typing import Any

from medground.values.answer import Answer
from medground.values.decision import YesNoDecision
from medground.values.question import Question


def plain_answer(**changes: Any) -> Answer:
    """An answer without a sentence, with fields changed as needed."""
    content: dict[str, Any] = {
        "id": "a1",
        "question": Question.ask("Does aspirin prevent stroke?", task="yes-no"),
        "decision": YesNoDecision(status="not judged"),
        "recipe": "ground",
        "settings_hash": "0123456789abcdef",
        "trace_id": "20260101-t1",
        "created": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return Answer(**(content | changes))
