"""Research that was killed, stopped or reached a limit is gone on with, and makes no finished call twice."""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import slow_research
from filelock import FileLock

import medground.engine.opening as opening
from medground import resume
from medground.engine.blocking import BlockingEngine
from medground.engine.engine import Engine
from medground.errors import BudgetExhausted, UsageError
from medground.home.registry import RECIPES, SOURCES
from medground.home.settings import Settings
from medground.values.research_plan import ResearchPlan, SubQuestion

QUESTION = "About topics"
EVERYTHING = [f"T:{topic}" for topic in slow_research.TOPICS]


class Stop(Exception):
    """Ends a run at one exact call."""


class Stopping:
    """Writes calls down, and stops the run before the call after the last that is left."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self.left = 5
        self.stopped = 0
        self._write = write

    def __call__(self, line: str) -> None:
        if not self.left:
            self.stopped += 1
            raise Stop
        self.left -= 1
        self._write(line)


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


def start(home: Path, calls: Path, *resumed: str) -> subprocess.Popen[str]:
    command = [sys.executable, slow_research.__file__, str(home), str(calls), *resumed]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_killed_or_stopped_at_any_moment_it_goes_on_without_a_second_call(home: Path, tmp_path: Path) -> None:
    moments, resumed, finished = random.Random(3), (), []
    for sent in (signal.SIGKILL, signal.SIGINT):
        process = start(home, calls := tmp_path / f"calls{sent}", *resumed)
        assert process.stdout is not None
        resumed = (process.stdout.readline().strip(),)
        time.sleep(moments.uniform(0.03, 0.1))
        process.send_signal(sent)
        process.communicate()
        finished.append(made(calls))
    last = start(home, tmp_path / "last", *resumed)
    assert last.communicate()[0].splitlines() == [resumed[0], " ".join(EVERYTHING)]
    finished.append(made(tmp_path / "last"))
    assert sum(len(one) > 0 for one in finished) > 1, "every process did all or nothing"
    # What is interrupted is sent again: at most the three calls that were under way.
    total = sum(finished, Counter())
    assert len(total) == 3 * len(EVERYTHING)
    assert sum(total.values()) - len(total) <= 2 * 3


def test_stopped_after_every_few_calls_it_asks_nothing_twice(
    home: Path, calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_research, "WAIT", 0)
    monkeypatch.setattr(slow_research, "log", log := Stopping(slow_research.log))
    with BlockingEngine(settings(**{"model.cache": False})) as engine:
        with pytest.raises(Stop):
            engine.ask(QUESTION)
        name, answer = engine.unfinished()[0].id, None
        while answer is None:
            log.left = 5
            with contextlib.suppress(Stop):
                answer = engine.resume(name)
        assert engine.unfinished() == []
    assert [document.id for document in answer.documents] == EVERYTHING
    assert log.stopped > 5
    total = made(calls)
    assert len(total) == 3 * len(EVERYTHING)
    assert sum(total.values()) - len(total) <= 2 * log.stopped, "at most the two beside the one that was stopped"


def test_a_limit_leaves_research_that_goes_on_with_a_higher_one(home: Path, calls: Path) -> None:
    with BlockingEngine(settings(**{"budget.calls": 5, "model.cache": False})) as engine:
        with pytest.raises(BudgetExhausted) as reached:
            engine.ask(QUESTION)
        assert reached.value.research == engine.unfinished()[0].id
        name = engine.unfinished()[0].id
    assert not FileLock(home / "research" / name / "lock", timeout=0).is_locked
    before = made(calls)
    answer = resume(changes={"budget.calls": 100})
    assert [document.id for document in answer.documents] == EVERYTHING
    again = made(calls)
    assert [line for line in before if line.startswith("search") and again[line] > 1] == []
    assert answer.usage.model_calls == len(EVERYTHING) - sum(line.startswith("call") for line in before)
    with pytest.raises(UsageError, match=r"no research is unfinished; ask a question with medground research"):
        resume()


def test_what_cannot_be_gone_on_with_is_said(home: Path, calls: Path) -> None:
    async def both() -> None:
        async with Engine.open(settings()) as engine:
            with pytest.raises(UsageError, match=r"no unfinished research has the id '\.\./x'; latest: there is none"):
                await engine.resume("../x")
            asked = asyncio.ensure_future(engine.ask(QUESTION))
            await asyncio.sleep(0.03)
            name = engine.unfinished()[0].id
            with pytest.raises(UsageError, match=f"another process is at work on research {name}; wait for it"):
                await engine.resume(name)
            assert (await asked).documents

    asyncio.run(both())
    damaged = home / "research" / "x"
    damaged.mkdir()
    (damaged / "asked.json").write_text("{")
    with BlockingEngine(settings()) as engine, pytest.raises(UsageError, match="no unfinished research has the id 'x'"):
        engine.resume("x")


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


def test_a_few_unfinished_ones_are_kept(home: Path, calls: Path) -> None:
    with BlockingEngine(settings(**{"budget.seconds": 0.000001})) as engine:
        for _ in range(22):
            with pytest.raises(BudgetExhausted):
                engine.ask(QUESTION)
        assert len(engine.unfinished()) == 20
