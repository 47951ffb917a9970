"""A run: its budget, failures and retrieved documents, and what it counts without a search."""

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from rows import each_row

from medground.answering.kept_lookups import KeptLookups
from medground.answering.run import Run
from medground.answering.trace import Trace, read_trace
from medground.corpus.chunk import chunk
from medground.errors import BudgetExhausted, ConfigError, ModelFailed, SourceUnavailable, UsageError
from medground.home.settings import Settings
from medground.models.operators.reading import ScreenInput, ScreenOutput, screen
from medground.values.answer import SnapshotReference
from medground.values.document import Document, Hit
from medground.values.graph import GraphFact, GraphFinding
from medground.values.lookup import Found, Lookup
from medground.values.query import Filters, Words
from medground.values.usage import Usage

MakeRun = Callable[..., Run]


def ask(run: Run) -> None:
    asyncio.run(run.ask(screen, ASKED))


PAPER = Document(id="PMID:1", title="Lens", text="The lens moved in Marfan syndrome.")
ASKED = ScreenInput(question="lens?", passages=())


def test_calls_are_counted_and_limited(make_run: MakeRun, scripted_model: Any) -> None:
    model = scripted_model(
        {"screen": ScreenOutput(relevant=())},
        usage=Usage(input_tokens=10, output_tokens=5, model_calls=1, price=Decimal("0.01")),
    )
    run = make_run("lens?", model=model, by_model=["screen"], options={"budget.tokens": 40})
    for _ in range(2):
        ask(run)
    assert (run.usage.tokens, run.usage.model_calls, run.usage.price) == (30, 2, Decimal("0.02"))
    assert run.answered_by == {"screen": "scripted:model"}
    with pytest.raises(BudgetExhausted, match=r"budget of 40 tokens is used up \(spent: 45\)"):
        ask(run)
    assert len(model.seen) == 3
    with pytest.raises(BudgetExhausted):
        ask(run)
    assert len(model.seen) == 3, "a spent budget is noticed before the call"


def test_an_unknown_price_is_never_free_and_a_failed_call_is_paid_for(make_run: MakeRun, scripted_model: Any) -> None:
    used = Usage(input_tokens=7, output_tokens=3, model_calls=2, price=None)
    model = scripted_model({"screen": ScreenOutput(relevant=())}, usage=used)
    run = make_run("lens?", model=model, by_model=["screen"], options={"budget.money": 5})
    with pytest.raises(BudgetExhausted, match="money"):
        ask(run)
    assert run.report().price is None
    model = scripted_model({"screen": ModelFailed("rubbish", model="scripted:model", usage=used)})
    run = make_run("lens?", model=model, by_model=["screen"])
    with pytest.raises(ModelFailed, match="rubbish"):
        ask(run)
    assert (run.usage.tokens, run.usage.model_calls) == (10, 2)


def test_documents_come_from_the_first_source_that_holds_them(make_run: MakeRun, memory_source: Any) -> None:
    class Broken(memory_source):  # type: ignore[misc]
        async def fetch(self, ids: Any) -> dict[str, Document]:
            raise SourceUnavailable("down", source=self.name)

    broken = Broken([], name="pubmed")
    other = memory_source([Document(id="PMID:1", text="Another text."), Document(id="PMID:2", text="x")], name="b")
    run = make_run("lens?", [broken, memory_source([PAPER]), other])
    asyncio.run(run.retrieve(["PMID:1", "PMID:2", "PMID:1"]))
    assert run.ledger.documents["PMID:1"].text == PAPER.text
    assert run.origins == {"PMID:1": "corpus:test", "PMID:2": "b"}
    with pytest.raises(SourceUnavailable, match="down"):
        asyncio.run(run.retrieve(["PMID:1", "PMID:9"]))


PAPERS = [Document(id=f"PMID:{n}", title="Lens", text="The lens moved in Marfan syndrome.") for n in (1, 2)]
COUNTED = Lookup(asked=Words(text="lens"), text="lens")


def test_only_a_source_that_cannot_count_is_searched_and_a_failure_is_told(
    make_run: MakeRun, memory_source: Any
) -> None:
    class Counting(memory_source):  # type: ignore[misc]
        async def count(self, lookup: Lookup, filters: Filters) -> int:
            if self._fails:
                raise self._fails
            return 1_000_000

    down = Counting([], "corpus:down", fails=SourceUnavailable("no answer", source="corpus:down"))
    run = make_run("x", [Counting(PAPERS, "corpus:a"), memory_source(PAPERS, "corpus:b"), down])
    assert asyncio.run(run.count(COUNTED)) == 1_000_002
    assert (run.usage.counts, run.usage.searches, len(run.searches)) == (2, 1, 1)
    assert not run.ledger.documents
    assert any("corpus:down could not be searched" in warning for warning in run.warnings)
    with pytest.raises(SourceUnavailable):
        asyncio.run(make_run("x", [down]).count(COUNTED))


NO_FILTERS = Filters()
KEPT = Document(id="PMID:1", title="Lens", text="The lens moved.", identifiers={"doi": "10.1/x"})
ANOTHER = Document(id="PMID:2", text="Another paper — with “quotes”, a \u2028 separator and\ta tab.")
LENS = Lookup.words("lens")


class Shelf:
    """As much of a source as the store reads, with one paper at hand."""

    name = "shelf"
    kinds = frozenset(["research"])

    def __init__(self, state: str = "1") -> None:
        self.state = SnapshotReference(name="shelf", hash=state)

    def held(self, ids: Sequence[str]) -> dict[str, Document]:
        return {KEPT.id: KEPT} if KEPT.id in ids else {}


def what_was_found() -> Found:
    passage = next(iter(chunk(KEPT)))
    hit = Hit(passage=passage, ranker="bm25", rank=1, score=0.1 + 0.2, source="shelf", scores={"bm25": 0.3})
    fact = GraphFact(sentence="A is B.", document_id="HP:1", start=0, end=7)
    return Found(
        LENS,
        "shelf",
        rankings=((hit,), ()),
        finding=GraphFinding(relation="feature of", status="recorded", facts=(fact,)),
        notes=("a note",),
        wordings=("ask it so",),
    )


def filled(folder: Path) -> KeptLookups:
    store = KeptLookups(folder)
    store.keep_found(Shelf(), NO_FILTERS, what_was_found())
    store.keep_documents(Shelf(), ["PMID:2", "PMID:3"], {"PMID:2": ANOTHER})
    store.keep_count(Shelf(), LENS, NO_FILTERS, 7)
    return store


def test_what_was_kept_is_read_unchanged_and_only_for_the_same_lookup(tmp_path: Path) -> None:
    filled(tmp_path)
    again = KeptLookups(tmp_path)
    read = again.found(Shelf(), LENS, NO_FILTERS)
    assert read == what_was_found()
    assert read.rankings[0][0].passage.paper == KEPT.paper
    assert read.rankings[0][0].scores == {"bm25": 0.3}
    ids = ["PMID:1", "PMID:2", "PMID:3", "PMID:4"]
    assert again.documents(Shelf(), ids) == {"PMID:1": KEPT, "PMID:2": ANOTHER, "PMID:3": None}
    assert again.counted(Shelf(), LENS, NO_FILTERS) == 7
    assert again.found(Shelf("2"), LENS, NO_FILTERS) is None
    assert again.documents(Shelf("2"), ["PMID:1"]) == {}
    assert again.found(Shelf(), LENS, Filters(year_from=2000)) is None
    assert again.found(Shelf(), LENS.model_copy(update={"limit": 3}), NO_FILTERS) is None
    assert again.found(Shelf(), LENS.model_copy(update={"node": "q1 literature"}), NO_FILTERS) is not None


@each_row("cut", [1, 5, 11])
def test_a_line_that_was_cut_off_or_damaged_is_lost_and_no_other(tmp_path: Path, cut: int) -> None:
    filled(tmp_path)
    file = tmp_path / "lookups.jsonl"
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    file.write_bytes(whole[: len(whole) - len(lines[-1]) * cut // 12])
    store = KeptLookups(tmp_path)
    assert store.counted(Shelf(), LENS, NO_FILTERS) is None
    store.keep_count(Shelf(), LENS, NO_FILTERS, 8)
    again = KeptLookups(tmp_path)
    assert again.counted(Shelf(), LENS, NO_FILTERS) == 8
    assert again.found(Shelf(), LENS, NO_FILTERS) == what_was_found()
    file.write_bytes(file.read_bytes().replace(b"a note", b"b note") + b'{"sha256": 1}\n[]\n\xff\n')
    again = KeptLookups(tmp_path)
    assert again.found(Shelf(), LENS, NO_FILTERS) is None
    assert again.counted(Shelf(), LENS, NO_FILTERS) == 8


def test_a_file_that_cannot_be_written_costs_nothing_but_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept = filled(tmp_path)
    (tmp_path / "lookups.jsonl").unlink()
    (tmp_path / "lookups.jsonl").mkdir()
    for number in range(2):
        kept.keep_count(Shelf(), LENS, NO_FILTERS, number)
    assert len(caplog.records) == 1
    assert "cannot keep what was found" in caplog.text


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
    for name in ("absent", "../settings", "a/b", ""):
        with pytest.raises(UsageError, match="no trace"):
            read_trace(tmp_path, name)


def test_a_collector_needs_its_extra_and_gets_no_secret_and_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    settings = Settings.load(environ={}, options={"trace.otlp_endpoint": "http://127.0.0.1:9/v1/traces"})
    with pytest.raises(ConfigError, match="otlp"):
        Trace("run-3", None, settings)


def test_the_hosts_provider_gets_the_spans_below_its_own_without_secret_and_without_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected, host = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    host.add_span_processor(SimpleSpanProcessor(collected))
    monkeypatch.setattr("opentelemetry.trace.get_tracer", host.get_tracer)
    for send in (False, True):
        settings = Settings.load(environ={}, options={"keys.openai": "hidden-key-1", "trace.send_text": send})
        trace = Trace("run-9", tmp_path / f"run-{send}.jsonl", settings)
        with (
            host.get_tracer("host").start_as_current_span("of the host"),
            pytest.raises(ValueError, match="quote"),
            trace.span("outer", names=["x hidden-key-1"]) as span,
            trace.span("inner"),
        ):
            span.text(prompt="a quote")
            raise ValueError("a quote with hidden-key-1")
        trace.close()
        inner, outer, own = collected.get_finished_spans()
        collected.clear()
        assert (inner.parent.span_id, outer.parent.span_id) == (outer.context.span_id, own.context.span_id)
        assert ("medground.text.prompt" in outer.attributes) == send
        assert (outer.status.description is None) == (not send)
        assert "hidden-key-1" not in outer.to_json() + (tmp_path / f"run-{send}.jsonl").read_text()
        first, second = read_trace(tmp_path, f"run-{send}")
        assert [first["parent"], second["parent"]] == [f"{own.context.span_id:016x}", first["id"]]
