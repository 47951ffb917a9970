"""Traces: spans as JSON Lines, errors recorded, secrets removed, incomplete lines skipped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from medground.answering.trace import Trace, _Outgoing, read_trace
from medground.errors import ConfigError, UsageError
from medground.home.settings import Settings


def test_spans_nest_and_keep_what_failed(tmp_path: Path) -> None:
    trace = Trace("run-1", tmp_path / "run-1.jsonl")
    with pytest.raises(ValueError, match="boom"), trace.span("outer", hits=3), trace.span("inner") as inner:
        inner.set(names=("a", "b"))
        inner.text(prompt="what")
        raise ValueError("boom")
    trace.close()
    outer, inner_span = read_trace(tmp_path, "run-1")
    assert (outer["name"], inner_span["name"]) == ("outer", "inner")
    assert inner_span["parent"] == outer["id"]
    assert inner_span["attributes"]["medground.names"] == ["a", "b"]
    assert inner_span["attributes"]["medground.text.prompt"] == "what"
    assert inner_span["status"] == "ERROR"
    assert inner_span["error"] == "ValueError: boom"


def test_secrets_never_reach_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unusual = 'gehe"ím-sécret'
    monkeypatch.setenv("SOME_API_KEY", "ambient-secret-1")
    try:
        monkeypatch.setenv("AZURE_OPENAI_KEY", unusual)
    except UnicodeEncodeError:
        pytest.skip("the environment takes ASCII only in this locale")
    settings = Settings.load(environ={}, options={"keys.openai": "named-secret-2"})
    trace = Trace("run-2", tmp_path / "run-2.jsonl", settings)
    with trace.span("call") as span:
        span.text(header="Bearer named-secret-2 and ambient-secret-1", plain=unusual)
        span.text(**{f"body{ascii}": json.dumps({"key": unusual}, ensure_ascii=ascii) for ascii in (True, False)})
    trace.close()
    written = (tmp_path / "run-2.jsonl").read_text(encoding="utf-8")
    assert not [secret for secret in ("secret-1", "secret-2", "gehe") if secret in written]
    assert written.count("********") == 5


def test_an_incomplete_last_line_is_skipped_and_line_separators_are_text(tmp_path: Path) -> None:
    trace = Trace("run-5", tmp_path / "run-5.jsonl")
    with trace.span("call") as span:
        span.text(prompt="One.\u2028Two.\x85Three.\r\nFour.")
    trace.close()
    with (tmp_path / "run-5.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"name": "b')
    (written,) = read_trace(tmp_path, "run-5")
    assert written["attributes"]["medground.text.prompt"] == "One.\u2028Two.\x85Three.\r\nFour."


def test_an_unknown_trace_is_one_line(tmp_path: Path) -> None:
    for name in ("absent", "../settings", "a/b", ""):
        with pytest.raises(UsageError, match="no trace"):
            read_trace(tmp_path, name)


def test_a_collector_needs_its_extra(tmp_path: Path) -> None:
    pytest.importorskip("opentelemetry.sdk")
    settings = Settings.load(environ={}, options={"trace.otlp_endpoint": "http://127.0.0.1:9/v1/traces"})
    try:
        import opentelemetry.exporter.otlp.proto.http  # noqa: F401
    except ImportError:
        with pytest.raises(ConfigError, match="otlp"):
            Trace("run-3", None, settings)


def test_what_goes_to_a_collector_has_no_secret_and_no_text(tmp_path: Path) -> None:
    collected = InMemorySpanExporter()
    quiet, open_ = (
        _Outgoing(collected, "http://127.0.0.1:9", ("hidden-key-1",), send_text=send) for send in (False, True)
    )
    for exporter in (quiet, open_):
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        with provider.get_tracer("t").start_as_current_span("step") as span:
            span.set_attributes({"medground.text.prompt": "a quote", "medground.names": ["x hidden-key-1"]})
            span.set_status(StatusCode.ERROR, "ValueError: a quote with hidden-key-1")
    first, second = collected.get_finished_spans()
    assert "medground.text.prompt" not in (first.attributes or {})
    assert first.status.description is None
    assert (second.attributes or {})["medground.text.prompt"] == "a quote"
    for span in (first, second):
        assert "hidden-key-1" not in span.to_json()
