"""Measures the cost of the evaluation harness: overhead, concurrency, resuming, memory.

    python benchmarks/harness.py [--questions 10000] [--overhead 300]

No real model is used. The limits are the project's own.

- Overhead: a run of questions through a recipe that answers at once, compared with `Engine.ask` on the same questions.
- Concurrency: 32 questions at once through a recipe with four sequential model calls of 200 ms each, compared with the
  critical path of 4 x 200 ms.
- Resuming: time from the call to the first question, for a run that is complete except for its last line.
- Memory: resident size after a tenth of the questions and at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from medground.answering.conclude.compose import compose
from medground.answering.run import Run
from medground.answering.write.draft import Draft
from medground.engine.engine import Engine
from medground.home.settings import Settings
from medground.models.base import CallLimits, Reply
from medground.models.operators.base import Operator
from medground.models.operators.writing import WriteOutput, WrittenSentence
from medground.models.registry import Models
from medground.recipes.base import Recipe
from medground.recipes.pubmed_reasoner.answering import RecallInput, recall
from medground.values.answer import Answer
from medground.values.evidence import Sentence
from medground.values.question import Question
from medground.values.statement import Verdict
from medground.values.usage import Usage
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.items import Tally
from medground_evaluate.runner import Selection, run_set

LATENCY = 0.2
CALLS = 4
AT_ONCE = 32
SENTENCE = "Aspirin lowers the risk of a second stroke in adults who had a transient attack."
NOTHING = Verdict(label="not found", critic="citation", note="written without evidence")


class SlowModel:
    """Answers yes after a delay."""

    name = identity = "stub"
    cacheable = False

    def __init__(self, latency: float) -> None:
        self._latency = latency

    async def answer(self, operator: Operator[Any, Any], value: Any, limits: CallLimits) -> Reply[Any]:
        await asyncio.sleep(self._latency)
        output = WriteOutput(sentences=(WrittenSentence(text=SENTENCE, evidence=()),), answer=("yes",))
        return Reply(output=output, usage=Usage(input_tokens=500, output_tokens=50, model_calls=1))

    async def close(self) -> None:
        return None


def recipe(calls: int) -> Recipe:
    """A recipe with a number of sequential model calls."""

    async def ask(question: Question, run: Run) -> Answer:
        for _ in range(calls):
            await run.ask(recall, RecallInput(question=question.text, task=question.task))
        draft = Draft(sentences=(Sentence(text=SENTENCE, evidence=()),), answer=("yes",), basis="model")
        return compose(run, draft, [NOTHING])

    return Recipe(name="model-only", run=ask, operators=(recall,), writers=(recall,), needs_evidence=False)


def engine(home: Path, calls: int, latency: float) -> Engine:
    """An engine that has no sources and uses the stub model."""
    options = {"recipe.name": "model-only", "model.concurrency": AT_ONCE}
    settings = Settings.load(environ={"MEDGROUND_HOME": str(home)}, options=options).model_copy(update={"home": home})
    models = Models("stub", {}, {"stub": SlowModel(latency)}, concurrency=AT_ONCE)
    return Engine(settings=settings, recipe=recipe(calls), sources=(), models=models)


def selection(folder: Path, count: int, name: str) -> Selection:
    """Write a number of questions to a file and select them."""
    path = folder / f"{name}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            question = f"Does drug number {n} lower the risk of a second stroke in adults after a transient attack?"
            file.write(json.dumps({"id": f"q{n}", "question": question, "answer": "yes" if n % 2 else "no"}) + "\n")
    return Selection(open_dataset("jsonl"), path)


def resident() -> float:
    """Resident memory of the process in megabytes."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1]) if sys.platform == "linux" else 0
    return pages * resource.getpagesize() / 1e6


@contextmanager
def timed() -> Iterator[Callable[[], float]]:
    """Yield a function that returns the seconds since the block began."""
    began = time.perf_counter()
    yield lambda: time.perf_counter() - began


async def overhead(folder: Path, count: int) -> float:
    """Milliseconds per question that a run adds to `Engine.ask`; the best of three, as the machine is noisy."""
    best = float("inf")
    for attempt in range(3):
        chosen = selection(folder, count, f"overhead-{attempt}")
        stub = engine(folder / "home", 0, 0.0)
        questions = [item.question for item in chosen.dataset.read(chosen.path, "test")]
        with timed() as seconds:
            for question in questions:
                await stub.ask(question)
            alone = seconds()
        with timed() as seconds:
            await run_set(stub, chosen, folder / f"overhead-{attempt}-run.jsonl")
            run = seconds()
        best = min(best, (run - alone) / count * 1000)
    return best


async def concurrency(folder: Path) -> float:
    """Time for all questions at once, as a multiple of the critical path; the best of three."""
    best = float("inf")
    for attempt in range(3):
        chosen = selection(folder, AT_ONCE, f"at-once-{attempt}")
        stub = engine(folder / "home", CALLS, LATENCY)
        with timed() as seconds:
            await run_set(stub, chosen, folder / f"at-once-{attempt}-run.jsonl", concurrency=AT_ONCE)
            best = min(best, seconds() / (CALLS * LATENCY))
    return best


async def memory(folder: Path, count: int) -> tuple[float, float]:
    """Megabytes after a tenth of the questions and after all of them."""
    sizes: dict[int, float] = {}

    def watch(tally: Tally) -> None:
        if tally.lines in (count // 10, count):
            sizes[tally.lines] = resident()

    await run_set(engine(folder / "home", 0, 0.0), selection(folder, count, "many"), folder / "run.jsonl", watch=watch)
    return sizes[count // 10], sizes[count]


async def resuming(folder: Path, count: int) -> float:
    """Seconds from the call to the first question, for a run whose last line was cut off; the best of three."""
    chosen, out = selection(folder, count, "many"), folder / "run.jsonl"
    best = float("inf")
    for _ in range(3):
        with out.open("r+b") as file:
            file.truncate(file.seek(0, 2) - 20)
        asked: list[float] = []
        stub = engine(folder / "home", 0, 0.0)
        answer = stub.recipe.run

        async def first(question: Question, run: Run, answer: Any = answer, asked: list[float] = asked) -> Answer:
            asked.append(time.perf_counter())
            result: Answer = await answer(question, run)
            return result

        stub.recipe = replace(stub.recipe, run=first)
        began = time.perf_counter()
        await run_set(stub, chosen, out)
        assert len(asked) == 1
        best = min(best, asked[0] - began)
    return best


async def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--overhead", type=int, default=300)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        beyond = await overhead(folder, arguments.overhead)
        times = await concurrency(folder)
        early, late = await memory(folder, arguments.questions)
        start = await resuming(folder, arguments.questions)
    print("| measure | here | limit |\n| --- | --- | --- |")
    print(f"| overhead per question beyond the recipe | {beyond:.2f} ms | 5 ms |")
    print(f"| {AT_ONCE} questions at once, {CALLS} calls of 200 ms each | {times:.2f} x critical path | 1.2 x |")
    print(f"| resuming a run of {arguments.questions:,} lines | {start:.2f} s | 1 s |")
    print(f"| memory after a tenth and after {arguments.questions:,} questions | {early:.0f}, {late:.0f} MB | flat |")


if __name__ == "__main__":
    asyncio.run(main())
