"""Research that was killed, stopped or reached a limit is gone on with, and makes no finished call twice."""

import asyncio
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import slow_research
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

import medground.engine.opening as opening
from medground import resume
from medground.engine.blocking import BlockingEngine
from medground.engine.engine import Engine
from medground.engine.unfinished import Batch, Outcome, Progress, in_order
from medground.errors import BudgetExhausted, SourceUnavailable, UsageError
from medground.home.registry import RECIPES, SOURCES
from medground.home.settings import Settings
from medground.values.question import Question
from medground.values.research_plan import ResearchPlan, SubQuestion

QUESTION = "About topics"
EVERYTHING = [f"T:{topic}" for topic in slow_research.TOPICS]


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file in which calls of this process are written down; the recipe, the source and the model are there."""
    for table, name in ((RECIPES, "slow-research"), (SOURCES, "slow")):
        monkeypatch.setitem(table, name, "")  # removed again at the end
    monkeypatch.setattr(opening, "open_models_of", opening.open_models_of)
    slow_research.install(tmp_path / "calls")
    yield tmp_path / "calls"


def made(calls: Path) -> Counter[str]:
    return Counter(calls.read_text().splitlines()) if calls.exists() else Counter()


def settings(**more: Any) -> Settings:
    return Settings.load(options=slow_research.options(**more))


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on_without_a_second_call(home: Path, calls: Path) -> None:
    command = [sys.executable, slow_research.__file__, str(home), str(calls)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        while process.poll() is None and len(made(calls)) < 7:
            time.sleep(0.01)
        process.kill()
    assert 7 <= len(made(calls)) < 3 * len(EVERYTHING)
    assert [document.id for document in resume(name, settings=settings()).documents] == EVERYTHING
    total = made(calls)
    assert len(total) == 3 * len(EVERYTHING)
    assert sum(total.values()) - len(total) <= 3, "what is interrupted is sent again: at most the three under way"


def test_a_limit_leaves_research_that_goes_on_with_a_higher_one(home: Path, calls: Path) -> None:
    with BlockingEngine(settings(**{"budget.calls": 5, "model.cache": False})) as engine:
        with pytest.raises(BudgetExhausted) as reached:
            engine.ask(QUESTION)
        assert (name := reached.value.research) == engine.unfinished()[0].id
    assert not FileLock(home / "research" / str(name) / "lock", timeout=0).is_locked
    before = made(calls)
    answer = resume(changes={"budget.calls": 100})
    assert [document.id for document in answer.documents] == EVERYTHING
    again = made(calls)
    assert [line for line in before if line.startswith("search") and again[line] > 1] == []
    assert answer.usage.model_calls == len(EVERYTHING) - sum(line.startswith("call") for line in before)
    with pytest.raises(UsageError, match=r"there is no unfinished research; ask with recipe=\"biomedsearch\""):
        resume()


def test_what_cannot_be_gone_on_with_is_said_and_a_few_are_kept(
    home: Path, calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def both() -> None:
        async with Engine.open(settings()) as engine:
            with pytest.raises(UsageError, match=r"no unfinished research has the id '\.\./x'; latest: there is none"):
                await engine.resume("../x")
            asked = asyncio.ensure_future(engine.ask(QUESTION))
            await asyncio.sleep(0.03)
            name = engine.unfinished()[0].id
            with pytest.raises(UsageError, match=f"another process is working on research {name}; wait for it"):
                await engine.resume(name)
            assert (await asked).documents

    asyncio.run(both())
    damaged = home / "research" / "x"
    damaged.mkdir()
    (damaged / "asked.json").write_text("{")
    with BlockingEngine(settings()) as engine, pytest.raises(UsageError, match="no unfinished research has the id 'x'"):
        engine.resume("x")
    monkeypatch.setattr("medground.engine.unfinished._MOST_KEPT", 3)
    with BlockingEngine(settings(**{"budget.seconds": 0.000001})) as engine:
        for _ in range(5):
            with pytest.raises(BudgetExhausted):
                engine.ask(QUESTION)
        assert len(engine.unfinished()) == 3


def test_a_question_brings_its_plan_and_other_recipes_take_none(home: Path, calls: Path) -> None:
    plan = ResearchPlan(question=QUESTION, subquestions=(SubQuestion(id="q1", text="topic3"),))
    with BlockingEngine(settings()) as engine:
        answer = engine.ask(QUESTION, plan=plan)
        assert [document.id for document in answer.documents] == ["T:topic3"]
        assert answer.question.plan == plan
        assert answer.id != engine.ask(QUESTION).id
        with pytest.raises(
            UsageError, match="the recipe ground follows no plan of research; use the recipe biomedsearch"
        ):
            engine.ask(QUESTION, plan=plan, recipe="ground")


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
        outcomes = in_order(Batch(tmp_path, questions, tuple("abc")), Progress({}), ask, 2)
        assert (await anext(outcomes)).question == "a"
        await asyncio.sleep(0)
        await outcomes.aclose()  # type: ignore[attr-defined]

    asyncio.run(run())
    assert "a" in ended and len(ended) >= 2


def test_the_same_questions_are_asked_by_one_process_at_a_time(tmp_path: Path) -> None:
    batch = Batch(tmp_path, (), ("a",))
    with batch.begun(), pytest.raises(UsageError, match="another process is asking these questions"), batch.begun():
        pass
    with batch.begun() as progress:
        progress.failed = 1
    assert [path.suffix for path in (tmp_path / "batches").iterdir() if not path.suffix] == [""], "it resumes"
