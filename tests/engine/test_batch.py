"""Many questions at once: in order, each asked once, and by one process at a time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medground.engine.batch import Batch, Outcome, Progress, in_order
from medground.errors import SourceUnavailable, UsageError
from medground.values.question import Question


@given(
    names=st.lists(st.sampled_from("abcdef"), max_size=12),
    failing=st.sets(st.sampled_from("abcdef")),
    concurrency=st.integers(1, 4),
)
def test_outcomes_are_in_order_and_each_question_is_asked_once(
    names: list[str], failing: set[str], concurrency: int
) -> None:
    questions = tuple(Question(text=name, task="free") for name in names)
    asked: list[str] = []
    under_way = most = 0

    async def ask(question: Question) -> Outcome:
        nonlocal under_way, most
        asked.append(question.text)
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0 if question.text in "ace" else 0.0001)
        under_way -= 1
        error = SourceUnavailable("down", source="x") if question.text in failing else None
        return Outcome(question.text, error=error)

    async def run() -> list[Outcome]:
        return [o async for o in in_order(Batch(Path(), questions, tuple(names)), progress, ask, concurrency)]

    progress = Progress({})
    outcomes = asyncio.run(run())
    assert [outcome.question for outcome in outcomes] == names
    assert sorted(asked) == sorted(set(names))
    assert progress.failed == sum(name in failing for name in names)
    assert most <= concurrency


def test_a_caller_that_stops_early_ends_the_questions_under_way(tmp_path: Path) -> None:
    ended: list[str] = []

    async def ask(question: Question) -> Outcome:
        try:
            await asyncio.sleep(0 if question.text == "a" else 60)
        finally:
            ended.append(question.text)
        return Outcome(question.text)

    async def run() -> None:
        questions = tuple(Question(text=name, task="free") for name in "abc")
        outcomes = in_order(Batch(tmp_path, questions, ("a", "b", "c")), Progress({}), ask, 2)
        assert (await anext(outcomes)).question == "a"
        await asyncio.sleep(0)
        await outcomes.aclose()  # type: ignore[attr-defined]

    asyncio.run(run())
    assert set(ended) >= {"a"}
    assert len(ended) >= 2


def test_the_same_questions_are_asked_by_one_process_at_a_time(tmp_path: Path) -> None:
    batch = Batch(tmp_path, (), ("a",))
    with batch.begun(), pytest.raises(UsageError, match="another process is asking these questions"), batch.begun():
        pass
    with batch.begun() as progress:
        progress.failed = 1
    assert [path.suffix for path in (tmp_path / "batches").iterdir() if not path.suffix] == [""], "it resumes"
