"""What faces need from the engine: choices per question, search, documents, claims, kept answers, steps, errors."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from refusals import refused

import medground
from medground.answering.trace import read_trace
from medground.engine.answers import Answers
from medground.engine.blocking import BlockingEngine
from medground.engine.engine import Engine
from medground.engine.search import SearchEngine
from medground.errors import BudgetExhausted, ConfigError, UsageError
from medground.home.settings import Settings
from medground.models.base import Keyless
from medground.models.registry import Models
from medground.values.answer import Answer
from medground.values.steps import AnyStep, Judging, Kept, ReadingBatch, Searched, Searching, Step

TEXT = "Aspirin reduced the risk of stroke in adults."
QUESTION = "Does aspirin reduce the risk of stroke?"


def test_recipe_model_and_settings_may_differ_per_question(papers: Path) -> None:
    assert TEXT in str(medground.ask(QUESTION, corpora="papers"))
    with BlockingEngine(corpora="papers") as engine:
        default = engine.ask(QUESTION)
        other = engine.ask(QUESTION, recipe="self-medrag", settings={"self_medrag.passages": 1})
        again = engine.ask(QUESTION)
        for changed in ({"retrieval.corpora": ("others",)}, {"home": "/elsewhere"}, {"keys.ncbi": "another key"}):
            refused(UsageError, "is fixed once an engine is open", engine.ask, QUESTION, settings=changed)
        with pytest.raises(ConfigError, match=r"recipe\.speed \(from the options\): is not a setting"):
            engine.ask(QUESTION, settings={"recipe.speed": 3})
        refused(UsageError, "unknown recipe 'best'", engine.ask, QUESTION, recipe="best")
        refused(ConfigError, "unknown model 'gpt'", engine.ask, QUESTION, model="gpt")
    engine.close()
    refused(UsageError, "this engine is closed", engine.ask, QUESTION)
    assert (default.recipe, other.recipe) == ("ground", "self-medrag")
    assert default.id == again.id != other.id


def test_errors_speak_python_and_the_blocking_engine_has_all_of_the_engine(papers: Path) -> None:
    for call in (medground.ask, lambda question: medground.ask(QUESTION, context=question)):
        refused(UsageError, "must be str", call, None)
    refused(UsageError, "options must be Sequence", medground.ask, QUESTION, options=5)
    assert TEXT in str(medground.ask(QUESTION, settings={"retrieval.corpora": "papers", "retrieval.top_k": 3}))
    with BlockingEngine({"retrieval.corpora": "papers", "retrieval.fetch_k": 7}) as engine:
        assert engine.settings.retrieval.depth == 7
        for wanted in (engine.ask, engine.search, engine.verify, engine.document, engine.concept):
            refused(UsageError, "must be str", wanted, None)
        refused(UsageError, "settings must be Mapping", engine.ask, QUESTION, settings=Settings.load())
        refused(ConfigError, "did you mean retrieval.keep", engine.ask, QUESTION, settings={"retrieval.kep": 3})
        refused(ConfigError, "did you mean openai:gpt-5", engine.ask, QUESTION, model="opanai:gpt-5")
        *steps, answer = engine.stream(QUESTION)
        assert steps
        assert TEXT in str(answer)
        assert engine.table(answer.trace_id, ["outcome"]).columns
        with pytest.warns(DeprecationWarning, match="query="):
            assert engine.search(text="aspirin").hits
    assert [
        name for name in vars(Engine) | vars(SearchEngine) if name[0] != "_" and not hasattr(BlockingEngine, name)
    ] == []


class Opened:
    """Stands in for `open_models`; counts the models that are open."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.keys: list[str | None] = []
        self.open = 0
        monkeypatch.setattr("medground.engine.opening.open_models", self._models)

    def _models(self, settings: Settings, operators: Any) -> Models:
        opened, key = self, settings.keys.openai

        class Counted(Keyless):
            async def close(self) -> None:
                opened.open -= 1

        self.open += 1
        self.keys.append(key.get_secret_value() if key else None)
        name = settings.model.default
        return Models(name, {}, {name: Counted()})


def test_a_model_is_opened_once_and_closed_where_opening_fails_and_with_the_engine(
    papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def asked() -> None:
        async with Engine.open(corpora="papers") as engine:
            await asyncio.gather(*(engine.ask(QUESTION, model="another") for _ in range(3)))
            await engine.ask(QUESTION, model="another", settings={"keys.openai": "my key"})
        assert (opened.keys, opened.open) == ([None, None, "my key"], 0)
        with pytest.raises(UsageError):
            await Engine.open(corpora="unknown")
        with pytest.raises(ConfigError):
            await Engine.open(Settings.load(options={"verify.critic": "unknown"}), corpora="papers")
        engine = await Engine.open(corpora="papers")
        dense = {"self_medrag.retrieval": "dense"}
        with pytest.raises(ConfigError, match="no source has vectors"):
            await engine.ask(QUESTION, recipe="self-medrag", model="another", settings=dense)
        assert opened.open == 1
        task = asyncio.create_task(engine.ask(QUESTION, model="another"))
        while opened.open < 2:
            await asyncio.sleep(0)
        await engine.close()  # while it opens a model
        for call in (task, engine.ask(QUESTION, model="another")):
            with pytest.raises(UsageError, match="this engine is closed"):
                await call

    opened = Opened(monkeypatch)
    asyncio.run(asked())
    assert opened.open == 0


def test_closing_waits_for_the_calls_under_way(papers: Path) -> None:
    async def asked() -> list[Any]:
        engine = await Engine.open(corpora=["papers", "others"])
        calls = [engine.ask(QUESTION), engine.search("aspirin"), engine.document("PMID:1"), engine.verify("It helps.")]
        tasks = [asyncio.create_task(call) for call in calls]
        while len(engine._calls) < len(tasks):
            await asyncio.sleep(0)
        await engine.close()
        assert all(task.done() for task in tasks)
        for call in (engine.ask(QUESTION), engine.search("a"), engine.document("PMID:1"), engine.verify("It helps.")):
            with pytest.raises(UsageError, match="this engine is closed"):
                await call
        return await asyncio.gather(*tasks)

    answer, *_ = asyncio.run(asked())
    assert answer.evidence[0].document_id == "PMID:1"
    assert [search.status for search in answer.searches] == ["found", "empty"]


def test_a_strategy_counts_the_records_of_each_line_and_lists_those_of_the_last(papers: Path) -> None:
    with BlockingEngine(corpora=("papers", "others")) as engine:
        lines = ["aspirin OR zebrafish", "2. fins", "", "#1 NOT #2", "#7", "fish adj2 fin", "(a", "#1 AND #2"]
        found = engine.strategy(lines)
        assert [line.records for line in found.lines[:3]] == [3, 2, 1]
        assert [line.records for line in found.lines[3:]] == [None, None, None, 2]
        reasons = [line.problem for line in found.lines[3:6]]
        for reason, said in zip(reasons, ("#7 is no line before", "the syntax of Ovid", "invalid query"), strict=True):
            assert said in reason
        assert len({document.id for document in found.documents}) == len(found.documents) > 0
        refused(UsageError, "write each search on its own line", engine.strategy, [" "])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1. fins", "this is line 3"),
        ("1 and 2", "numbers alone"),
        ("or/1-2", "numbers alone"),
        ("#1 " * 1_300, "more than 100,000 characters"),
    ],
)
def test_a_line_whose_numbers_mislead_or_grow_is_refused(papers: Path, line: str, reason: str) -> None:
    with BlockingEngine(corpora=("papers",)) as engine:
        found = engine.strategy(["aspirin" + " aspirin" * 20, "#2 #1 OR fins", line])
    assert found.lines[1].records is not None
    assert reason in found.lines[2].problem


def test_search_and_documents(papers: Path) -> None:
    with BlockingEngine(corpora=("papers", "others")) as engine:
        found = engine.search("zebrafish fins", limit=1)
        assert [hit.passage.document_id for hit in found.hits] == ["PMID:2"]
        assert [search.source for search in found.searches] == ["corpus:papers", "corpus:others"]
        assert engine.search("xylophone").hits == ()
        assert engine.document("PMID:1").title == "Aspirin"
        with pytest.raises(UsageError, match=r"no source holds 'PMID:404'; searched: corpus:papers, corpus:others"):
            engine.document("PMID:404")
        refused(UsageError, "the query is empty", engine.search, "  ")
        refused(UsageError, "must be from 1 to", engine.search, "aspirin", limit=0)
        query = "(aspirin OR xylophone) NOT zebrafish[tiab]"
        found = engine.search(query, syntax="pubmed")
        assert [hit.passage.document_id for hit in found.hits] == ["PMID:1"]
        assert [search.query for search in found.searches] == [query, query]
        assert engine.search("aspirin AND zebrafish", syntax="pubmed").hits == ()
        refused(UsageError, "invalid query at column", engine.search, "(aspirin", syntax="pubmed")


def test_a_claim_gets_a_verdict_and_its_quotes(papers: Path) -> None:
    with BlockingEngine(corpora="papers") as engine:
        by_words = engine.verify("Aspirin does not reduce the risk of stroke.")
        (one,) = by_words.statements
        assert (one.verdict.label, "negation" in one.verdict.flags) == ("related", True)
        assert ([quote.quote for quote in by_words.evidence], by_words.documents[0].id) == ([TEXT], "PMID:1")
        nothing = engine.verify("Xylophones improve hearing.")
        assert [nothing.evidence, *(one.verdict.label for one in nothing.statements)] == [(), "not found"]
        refused(UsageError, "the claim is empty", engine.verify, "  ")
        with pytest.raises(BudgetExhausted) as spent:
            engine.ask(QUESTION, settings={"budget.seconds": 1e-9})
        assert "The run ended before it found evidence" in str(spent.value.answer)
        with pytest.raises(BudgetExhausted) as spent:
            engine.verify("Aspirin lowers the risk of stroke.", settings={"budget.seconds": 1e-9})
        assert spent.value.spent and spent.value.trace_id


def test_kept_answers_and_the_history(papers: Path) -> None:
    with BlockingEngine(corpora="papers") as engine:
        first, second = engine.ask(QUESTION), engine.ask("Do fins of zebrafish regenerate?")
        assert engine.answer(first.trace_id) == first
        assert engine.answer(second.id) == second
        assert [past.question for past in engine.history()] == [second.question.text, first.question.text]
        third, fourth = engine.ask(QUESTION), engine.ask(QUESTION)
        assert [past.trace_id for past in engine.history(2)] == [fourth.trace_id, third.trace_id]
        assert engine.answer(first.id) == fourth
        assert len(engine.history(1)) == 1
        refused(UsageError, "must be at least 0", engine.history, -1)
        refused(UsageError, r"no answer '\.\./x' in", engine.answer, "../x")
    (papers / "answers" / "99999999-damaged.json").write_text("{}", encoding="utf-8")
    assert [past.problem is None for past in Answers(papers).history()] == [False, True, True, True, True]


def test_steps_are_reported_as_they_happen_and_stored_alike(papers: Path) -> None:
    seen: list[Step] = []
    with BlockingEngine(corpora="papers") as engine:
        answer = engine.ask(QUESTION, on_step=seen.append)
    kinds = [type(step) for step in seen]
    assert kinds[:2] == [Searching, Searched]
    assert kinds[-1] is Kept
    assert ReadingBatch in kinds
    adapter: TypeAdapter[Step] = TypeAdapter(AnyStep)
    assert [adapter.validate_json(step.model_dump_json()) for step in seen] == seen
    spans = read_trace(papers / "traces", answer.trace_id)
    for kind in (ReadingBatch, Searching):
        assert kind.stored(spans) == [step for step in seen if isinstance(step, kind)]


async def waiting(question: Any, run: Any) -> Answer:
    """A recipe that quotes something and then never ends."""
    await run.retrieve(["PMID:1"])
    run.ledger.quote("PMID:1", 0, 45)
    run.on_step(Judging(done=0, of=1))
    await asyncio.Event().wait()
    raise AssertionError("not reached")


def test_a_stream_ends_in_the_answer_and_cancelling_keeps_the_partial_one(papers: Path) -> None:
    seen: list[Step] = []

    async def streamed() -> list[Step | Answer]:
        async with Engine.open(corpora="papers") as engine:
            with pytest.raises(UsageError, match="empty"):
                await anext(engine.stream(""))
            return [event async for event in engine.stream(QUESTION, recipe="rag")]

    async def cancelled() -> None:
        async with Engine.open(corpora="papers") as engine:
            view = replace(engine, recipe=replace(engine.recipe, run=waiting))
            events: AsyncIterator[Step | Answer] = view.stream(QUESTION)
            async with aclosing(events) as stream:  # type: ignore[type-var]
                async for _ in stream:
                    break
            task = asyncio.create_task(view.ask(QUESTION, on_step=seen.append))
            while not seen:
                await asyncio.sleep(0.01)
            task.cancel()
            await asyncio.wait_for(view.close(), timeout=10)
            with pytest.raises(asyncio.CancelledError):
                await task

    *steps, answered = asyncio.run(streamed())
    asyncio.run(cancelled())
    kept = seen[-1]
    assert isinstance(kept, Kept)
    assert isinstance(answered, Answer)
    assert all(isinstance(step, Step) for step in steps) and steps
    answer = Answers(papers).read(kept.trace_id)
    assert answer.stopped == kept.stopped == "cancelled"
    assert answer.evidence[0].quote == TEXT
    assert [past.stopped for past in Answers(papers).history()] == ["cancelled", "cancelled", None]
