"""Trace a run as OpenTelemetry spans, stored as JSON Lines and sent to a collector if one is configured.

Attribute names follow the GenAI conventions where these exist. Attributes under `medground.text.` hold document and
prompt text: they stay in the local file unless the settings allow sending them. Secrets are always removed.

What is traced does not depend on the OpenTelemetry settings (`OTEL_*`) of the program that Medground is a part of.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import Span as OtelSpan
from opentelemetry.trace import Status, StatusCode

from medground.errors import ConfigError, UsageError
from medground.home.files import open_private, tell_not_kept, writing_to
from medground.home.secrets import known_secrets, masked, shown_address
from medground.home.settings import Settings
from medground.values.steps import FACT, TEXT, Step

log = logging.getLogger(__name__)

_TRACE_ID = re.compile(r"[A-Za-z0-9-]{1,64}")
_NO_LIMITS = SpanLimits(*[SpanLimits.UNSET] * 8)
_NO_METRICS = NoOpMeterProvider()


class Span:
    """A span that has not ended."""

    def __init__(self, span: OtelSpan) -> None:
        self._span = span

    def set(self, **attributes: Any) -> None:
        """Record facts: numbers, names, short lists."""
        self._put({FACT + name: value for name, value in attributes.items()})

    def genai(self, **attributes: Any) -> None:
        """Record facts that the GenAI conventions define: `request_model` becomes `gen_ai.request.model`."""
        self._put({"gen_ai." + name.replace("_", ".", 1): value for name, value in attributes.items()})

    def text(self, **attributes: Any) -> None:
        """Record document or prompt text, which stays on this machine by default."""
        self._put({TEXT + name: value for name, value in attributes.items()})

    def record(self, step: Step) -> None:
        """Record the fields of a typed step."""
        self._put(step.attributes())

    def _put(self, attributes: Mapping[str, Any]) -> None:
        for name, value in attributes.items():
            self._span.set_attribute(name, _plain(value))

    def fail(self, error: BaseException) -> None:
        """Mark the step as failed."""
        self._span.set_status(StatusCode.ERROR, f"{type(error).__name__}: {error}")


class Trace:
    """The spans of one run, written to `path` as they end.

    Raises ConfigError: a collector is configured, but the `otlp` extra is missing.
    """

    def __init__(self, run_id: str, path: Path | None, settings: Settings | None = None) -> None:
        self.id = run_id
        self.path = path
        self._provider = _provider()
        secrets = known_secrets(settings)
        if path is not None:
            self._provider.add_span_processor(
                SimpleSpanProcessor(_JsonLines(path, secrets), meter_provider=_NO_METRICS)
            )
        if settings is not None and settings.trace.otlp_endpoint:
            collector = _collector(settings, secrets)
            self._provider.add_span_processor(BatchSpanProcessor(collector, meter_provider=_NO_METRICS))
        self._tracer = self._provider.get_tracer("medground")

    @contextlib.contextmanager
    def span(self, name: str, **attributes: Any) -> Iterator[Span]:
        """Open a span. An exception inside it is recorded and raised again."""
        with self._tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:
            step = Span(span)
            step.set(run=self.id, **attributes)
            try:
                yield step
            except BaseException as error:
                step.fail(error)
                raise

    @contextlib.contextmanager
    def step(self, step: Step) -> Iterator[Span]:
        """Open a span for a typed step, with its fields."""
        with self.span(step.span_name) as span:
            span.record(step)
            yield span

    def close(self) -> None:
        """Write remaining spans and close the file."""
        self._provider.shutdown()


def _provider() -> TracerProvider:
    """A provider that records every span whole, whatever the environment and the current span of the host say."""
    provider = TracerProvider(
        sampler=ALWAYS_ON,
        resource=Resource({"service.name": "medground"}),
        shutdown_on_exit=False,
        span_limits=_NO_LIMITS,
        meter_provider=_NO_METRICS,
    )
    provider._disabled = False  # no argument overrides OTEL_SDK_DISABLED
    return provider


def read_trace(folder: Path, trace_id: str) -> list[dict[str, Any]]:
    """The spans of a stored trace, in the order they started. Raises UsageError: there is no trace with that id."""
    path = folder / f"{trace_id}.jsonl"
    if not _TRACE_ID.fullmatch(trace_id) or not path.is_file():
        raise UsageError(f"no trace {trace_id[:64]!r} in {folder}; use the trace_id of an answer")
    spans = []
    for line in path.read_text(encoding="utf-8").split("\n"):  # `splitlines` would also split at U+2028
        with contextlib.suppress(json.JSONDecodeError):  # the last line of a killed run may be incomplete
            spans.append(json.loads(line))
    return sorted(spans, key=lambda s: s["start"])


def remove_trace(folder: Path, trace_id: str) -> None:
    """Delete a stored trace, if there is one. Raises StorageFailed: it cannot be deleted."""
    if _TRACE_ID.fullmatch(trace_id):
        with writing_to(folder):
            (folder / f"{trace_id}.jsonl").unlink(missing_ok=True)


class _JsonLines(SpanExporter):
    def __init__(self, path: Path, secrets: Sequence[str]) -> None:
        self._path = path
        self._secrets = secrets
        self._file: IO[str] | None = None
        self._failed = False
        self._lock = threading.Lock()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Write spans to the file of the run, one line of JSON each. If that fails, it is logged once: the answer is
        worth more than its trace."""
        with self._lock:
            if self._failed:
                return SpanExportResult.FAILURE
            try:
                self._file = self._file or open_private(self._path)
                for span in spans:
                    self._file.write(masked(json.dumps(_as_json(span), ensure_ascii=False), self._secrets) + "\n")
                self._file.flush()
            except OSError as error:
                self._failed = True
                tell_not_kept(self._path, error)
                return SpanExportResult.FAILURE
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        with self._lock:
            file, self._file = self._file, None
            if file is not None:
                with contextlib.suppress(OSError):  # what it holds back cannot be written either
                    file.close()


class _Outgoing(SpanExporter):
    """Sends spans to a collector, without secrets, and without text unless the settings allow it."""

    def __init__(self, inner: SpanExporter, address: str, secrets: Sequence[str], *, send_text: bool) -> None:
        self._inner = inner
        self._address = address
        self._failed = False
        self._secrets = secrets
        self._send_text = send_text

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans; if that fails, it is logged once."""
        result = self._inner.export([self._cleaned(span) for span in spans])
        if result is SpanExportResult.FAILURE and not self._failed:
            self._failed = True
            log.warning("the trace is not sent: the collector at %s does not take it", shown_address(self._address))
        return result

    def shutdown(self) -> None:
        self._inner.shutdown()

    def _cleaned(self, span: ReadableSpan) -> ReadableSpan:
        described = self._send_text and span.status.description
        leaving = {k: v for k, v in (span.attributes or {}).items() if self._send_text or not k.startswith(TEXT)}
        return ReadableSpan(
            name=span.name,
            context=span.context,
            parent=span.parent,
            resource=span.resource,
            attributes={name: self._blanked(value) for name, value in leaving.items()},
            kind=span.kind,
            status=Status(span.status.status_code, self._blanked(described) if described else None),
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=span.instrumentation_scope,
        )

    def _blanked(self, value: Any) -> Any:
        if isinstance(value, str):
            return masked(value, self._secrets)
        return [self._blanked(v) for v in value] if isinstance(value, (list, tuple)) else value


def _collector(settings: Settings, secrets: Sequence[str]) -> SpanExporter:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError:
        raise ConfigError('trace.otlp_endpoint needs the extra "otlp": pip install "medground[otlp]"') from None
    # Its own lines repeat what the collector says, which may be a password.
    logging.getLogger(OTLPSpanExporter.__module__).disabled = True
    address = settings.trace.otlp_endpoint or ""
    inner: SpanExporter = OTLPSpanExporter(endpoint=address)
    return _Outgoing(inner, address, secrets, send_text=settings.trace.send_text)


def _as_json(span: ReadableSpan) -> dict[str, Any]:
    context = span.get_span_context()
    return {
        "name": span.name,
        "id": f"{context.span_id:016x}" if context else "",
        "parent": f"{span.parent.span_id:016x}" if span.parent else None,
        "start": span.start_time,
        "end": span.end_time,
        "status": span.status.status_code.name,
        "error": span.status.description,
        "attributes": dict(span.attributes or {}),
    }


def _plain(value: Any) -> str | int | float | bool | list[str]:
    if isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, (list, tuple)):
        return [str(v) for v in value]
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
