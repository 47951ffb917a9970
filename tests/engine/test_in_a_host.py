"""An engine inside another program, which has OpenTelemetry settings of its own and may fork."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ASK = """
import os
import medground
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
trace.set_tracer_provider(TracerProvider())
unsampled = trace.SpanContext(1, 1, is_remote=True, trace_flags=trace.TraceFlags(0))
with trace.use_span(trace.NonRecordingSpan(unsampled)):
    for settings in {settings!r}:
        os.environ.update(settings)
        medground.ask("Does aspirin reduce stroke?", corpora="papers")
        for name in settings:
            del os.environ[name]
"""
SETTINGS = [
    {"OTEL_SDK_DISABLED": "true"},
    {"OTEL_TRACES_SAMPLER": "always_off", "OTEL_PYTHON_METER_PROVIDER": "missing"},
    {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0"},
    {"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "1", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": "3"},
    {"OTEL_ATTRIBUTE_COUNT_LIMIT": "0", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT": "1"},
]
FORK = """
import asyncio, os, signal
from medground import BlockingEngine, Engine

QUESTION = "Does aspirin reduce stroke?"

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
in_a_fork(lambda: engine.ask(QUESTION))
in_a_fork(lambda: list(engine.ask_each([QUESTION])))
in_a_fork(engine.close)
in_a_fork(lambda: asyncio.run(awaited.ask(QUESTION)))
in_a_fork(lambda: asyncio.run(awaited.search(QUESTION)))
in_a_fork(lambda: asyncio.run(closed(awaited)))
in_a_fork(lambda: BlockingEngine(corpora="papers").ask(QUESTION).question.text)
print(engine.ask(QUESTION).question.text)
engine.close()
"""


def run(script: str, more: dict[str, str] | None = None) -> str:
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script]
    done = subprocess.run(command, env={**os.environ, **(more or {})}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_trace_is_whole_whatever_the_host_says_of_opentelemetry(papers: Path) -> None:
    """Some of it is read when OpenTelemetry is imported, so the first process starts with limits."""
    run(ASK.replace("{settings!r}", repr(SETTINGS)), SETTINGS[-1])
    files = list((papers / "traces").iterdir())
    assert len(files) == len(SETTINGS)
    for file in files:
        spans = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        assert len(spans) > 5
        assert all(span["attributes"]["medground.run"] == file.stem for span in spans)
        assert max(len(span["attributes"]) for span in spans) > 5


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_an_engine_that_is_used_after_a_fork_says_so(papers: Path) -> None:
    refused = "UsageError: this engine was opened before the process forked; open another one in the new process"
    question = "Does aspirin reduce stroke?"
    assert run(FORK).splitlines() == [refused, refused, "None", refused, refused, "None", question, question]
