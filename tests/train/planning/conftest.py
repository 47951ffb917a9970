"""Judged questions without any search, for tests of what is learned from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medground.values.source_plan import SourceDescription, SourceQuery
from medground_evaluate.planning.work import Asked, Head, Judged, JudgedQuery, WorkFile

SOURCES = (
    SourceDescription(name="book", kind="book", about="Textbooks.", licence="CC BY 4.0", origin="made by the test"),
    SourceDescription(name="graph", kind="graph", about="Concepts.", licence="CC0", origin="made by the test"),
)
TOPICS = ("zinc", "aspirin", "insulin", "statins", "exercise", "surgery")


def judged_question(number: int, *, positive: bool = True, negative: bool = True) -> Judged:
    """A question whose book helps and whose graph does not."""
    topic = TOPICS[number % len(TOPICS)]
    asked = Asked(id=f"Q{number}", text=f"Does {topic} prevent gout?", task="yes-no-maybe", gold=("yes",), answer="yes")
    queries = []
    if positive:
        queries.append(JudgedQuery(source="book", query=SourceQuery(text=f"{topic} gout"), label="positive"))
    if negative:
        query = SourceQuery(term=topic, text="gout prevention")
        queries.append(JudgedQuery(source="graph", query=query, label="negative"))
    return Judged(question=asked, queries=tuple(queries))


@pytest.fixture
def judged_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of judgements: of six questions, or of those given."""

    def write(*lines: Judged, name: str = "judged.jsonl") -> Path:
        head = Head(step="judgements", dataset="made", digest="0", model="keyless", sources=SOURCES)
        with WorkFile(tmp_path / name, head, Judged) as work:
            for line in lines or map(judged_question, range(6)):
                work.add(line)
        return tmp_path / name

    return write


@pytest.fixture
def a_judged_question() -> Callable[..., Judged]:
    """Makes a question whose book helps and whose graph does not, or without one of the two."""
    return judged_question
