"""Trace a run as spans: stored as JSON Lines, and given to OpenTelemetry where the host or a collector wants them.

Attribute names follow the GenAI conventions where these exist. Attributes under `medground.text.` hold document and
prompt text: they stay in the local file unless the settings allow sending them. Secrets are always removed.

The file needs no OpenTelemetry, so no `OTEL_*` setting of the host can silence it. The host's spans are made by its own
provider, below its current span, or by that of `trace.otlp_endpoint` where it is set.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import secrets
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from medground.errors import ConfigError, UsageError
from medground.home.files import open_private, tell_not_kept, writing_to
from medground.home.secrets import known_secrets, masked, shown_address
from medground.home.settings import Settings
from medground.values.steps import FACT, TEXT, Step

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span as OtelSpan

log = logging.getLogger(__name__)

_TRACE_ID = re.compile(r"[A-Za-z0-9-]{1,64}")
_PARENT: ContextVar[str | None] = ContextVar("medground_parent", default=None)
"""The id of the span that is open."""


class Span:
    """A span that has not ended; `told` is the host's, if any."""

    def __init__(self, name: str, told: OtelSpan | None, leave: _Leaving) -> None:
        self._told = told
        self._leave = leave
        context = told.get_span_context() if told is not None else None
        made = context if told is not None and told.is_recording() else None
        around = getattr(told, "parent", None) if made else context
        self.kept: dict[str, Any] = {
            "name": name,
            "id": f"{made.span_id:016x}" if made else secrets.token_hex(8),
            "parent": _PARENT.get() or (f"{around.span_id:016x}" if around and around.is_valid else None),
            "start": time.time_ns(),
            "end": None,
            "status": "UNSET",
            "error": None,
            "attributes": {},
        }

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
        plain = {name: _plain(value) for name, value in attributes.items()}
        self.kept["attributes"].update(plain)
        if self._told is not None:
            self._told.set_attributes(self._leave.attributes(plain))

    def fail(self, error: BaseException) -> None:
        """Mark the step as failed."""
        said = f"{type(error).__name__}: {error}"
        self.kept |= {"status": "ERROR", "error": said}
        if self._told is not None:
            from opentelemetry.trace import StatusCode  # there, since a host's span is

            self._told.set_status(StatusCode.ERROR, self._leave.text(said))


class _Leaving:
    """What may leave this computer: no secret, and no text unless the settings allow it."""

    def __init__(self, known: Sequence[str], *, send_text: bool) -> None:
        self._known = known
        self._send_text = send_text

    def attributes(self, given: Mapping[str, Any]) -> dict[str, Any]:
        allowed = given if self._send_text else {k: v for k, v in given.items() if not k.startswith(TEXT)}
        return {name: self._blanked(value) for name, value in allowed.items()}

    def text(self, said: str) -> str | None:
        return masked(said, self._known) if self._send_text else None

    def _blanked(self, value: Any) -> Any:
        if isinstance(value, str):
            return masked(value, self._known)
        return [self._blanked(v) for v in value] if isinstance(value, list) else value


class Trace:
    """The spans of one run, written to `path` as they end.

    Raises ConfigError: a collector is configured, but the `otlp` extra is missing.
    """

    def __init__(self, run_id: str, path: Path | None, settings: Settings | None = None) -> None:
        self.id = run_id
        self.path = path
        known = known_secrets(settings)
        self._file = _JsonLines(path, known) if path is not None else None
        self._leave = _Leaving(known, send_text=settings is not None and settings.trace.send_text)
        address = settings.trace.otlp_endpoint if settings is not None else None
        self._provider = _provider(address) if address else None

    @contextlib.contextmanager
    def span(self, name: str, **attributes: Any) -> Iterator[Span]:
        """Open a span. An exception inside it is recorded and raised again."""
        with self._told(name) as told:
            step = Span(name, told, self._leave)
            step.set(run=self.id, **attributes)
            inside = _PARENT.set(step.kept["id"])
            try:
                yield step
            except BaseException as error:
                step.fail(error)
                raise
            finally:
                _PARENT.reset(inside)
                step.kept["end"] = time.time_ns()
                if self._file is not None:
                    self._file.write(step.kept)

    def _told(self, name: str) -> contextlib.AbstractContextManager[OtelSpan | None]:
        """The span for the collector, or the host where it uses OpenTelemetry at all."""
        maker = self._provider or sys.modules.get("opentelemetry.trace")
        if maker is None:
            return contextlib.nullcontext()
        tracer = maker.get_tracer("medground")
        return tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False)

    @contextlib.contextmanager
    def step(self, step: Step) -> Iterator[Span]:
        """Open a span for a typed step, with its fields."""
        with self.span(step.span_name) as span:
            span.record(step)
            yield span

    def close(self) -> None:
        """Send remaining spans and close the file."""
        if self._provider is not None:
            self._provider.shutdown()
        if self._file is not None:
            self._file.close()


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


class _JsonLines:
    """The file of a run, one line of JSON for each span."""

    def __init__(self, path: Path, known: Sequence[str]) -> None:
        self._path = path
        self._known = known
        self._file: IO[str] | None = None
        self._failed = False
        self._lock = threading.Lock()

    def write(self, span: Mapping[str, Any]) -> None:
        """Write a span. If that fails, it is logged once: the answer is worth more than its trace."""
        with self._lock:
            if self._failed:
                return
            try:
                self._file = self._file or open_private(self._path)
                self._file.write(masked(json.dumps(span, ensure_ascii=False), self._known) + "\n")
                self._file.flush()
            except OSError as error:
                self._failed = True
                tell_not_kept(self._path, error)

    def close(self) -> None:
        with self._lock:
            file, self._file = self._file, None
            if file is not None:
                with contextlib.suppress(OSError):  # what it holds back cannot be written either
                    file.close()


def _provider(address: str) -> TracerProvider:
    """A provider that sends spans to a collector, and logs once where it does not take them."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError:
        raise ConfigError('trace.otlp_endpoint needs the extra "otlp": pip install "medground[otlp]"') from None
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult

    # Its own lines repeat what the collector says, which may be a password.
    logging.getLogger(OTLPSpanExporter.__module__).disabled = True

    class Outgoing(OTLPSpanExporter):  # type: ignore[misc]
        failed = False

        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            result: SpanExportResult = super().export(spans)
            if result is SpanExportResult.FAILURE and not self.failed:
                self.failed = True
                log.warning("the trace is not sent: the collector at %s does not take it", shown_address(address))
            return result

    provider = TracerProvider(resource=Resource({"service.name": "medground"}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(Outgoing(endpoint=address)))
    return provider


def _plain(value: Any) -> str | int | float | bool | list[str]:
    if isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, (list, tuple)):
        return [str(v) for v in value]
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
