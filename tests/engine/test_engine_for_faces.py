"""What faces need from the engine: choices per question, search, documents, claims, kept answers, steps, errors."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import medground
from medground.engine.answers import Answers
from medground.engine.batch import Outcome
from medground.engine.blocking import BlockingEngine
from medground.engine.engine import Engine
from medground.errors import BudgetExhausted, ConfigError, UsageError
from medground.home.settings import Settings
from medground.models.base import Keyless
from medground.models.operators.verifying import EntailOutput
from medground.models.registry import Models
from medground.values.answer import Answer
from medground.values.steps import AnyStep, Asking, Judging, Kept, ReadingBatch, Searched, Searching, Step

TEXT = "Aspirin reduced the risk of stroke in adults."
QUESTION = "Does aspirin reduce the risk of stroke?"


def test_an_engine_opens_by_await_and_by_async_with(papers: Path) -> None:
    async def both() -> list[Answer]:
        engine = await Engine.open(corpora="papers")
        first = await engine.ask(QUESTION)
        await engine.close()
        async with Engine.open(corpora=["papers", "others"]) as second:
            assert [source.name for source in second.sources] == ["corpus:papers", "corpus:others"]
            return [first, await second.ask(QUESTION)]

    for answer in asyncio.run(both()):
        assert answer.evidence[0].document_id == "PMID:1"


def test_recipe_model_and_settings_may_differ_per_question(papers: Path) -> None:
    with BlockingEngine(corpora="papers") as engine:
        default = engine.ask(QUESTION)
        other = engine.ask(QUESTION, recipe="self-medrag", settings={"self_medrag.passages": 1})
        again = engine.ask(QUESTION)
    assert (default.recipe, other.recipe) == ("ground", "self-medrag")
    assert default.id == again.id != other.id


def test_what_is_fixed_once_an_engine_is_open_is_refused(papers: Path) -> None:
    with BlockingEngine(corpora="papers") as engine:
        with pytest.raises(UsageError, match=r"retrieval\.corpora is fixed once an engine is open"):
            engine.ask(QUESTION, settings={"retrieval.corpora": ("others",)})
        with pytest.raises(ConfigError, match=r"recipe\.speed \(from the options\): is not a setting"):
            engine.ask(QUESTION, settings={"recipe.speed": 3})
        with pytest.raises(UsageError, match="unknown recipe 'best'"):
            engine.ask(QUESTION, recipe="best")
        with pytest.raises(ConfigError, match="unknown model 'gpt'"):
            engine.ask(QUESTION, model="gpt")
        assert engine.ask(QUESTION).evidence


@pytest.mark.parametrize("fixed", [{"home": "/elsewhere"}, {"keys.ncbi": "another key"}])
def test_the_home_and_the_key_of_a_source_are_fixed(papers: Path, fixed: dict[str, str]) -> None:
    with BlockingEngine(corpora="papers") as engine, pytest.raises(UsageError, match="is fixed once an engine is open"):
        engine.ask(QUESTION, settings=fixed)


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


def test_a_model_is_opened_once_and_again_for_another_key(papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def asked() -> None:
        async with Engine.open(corpora="papers") as engine:
            await asyncio.gather(*(engine.ask(QUESTION, model="another") for _ in range(3)))
            await engine.ask(QUESTION, model="another", settings={"keys.openai": "my key"})

    opened = Opened(monkeypatch)
    asyncio.run(asked())
    assert opened.keys == [None, None, "my key"]
    assert opened.open == 0


def test_models_are_closed_where_opening_fails(papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def asked() -> None:
        with pytest.raises(UsageError):
            await Engine.open(corpora="unknown")
        with pytest.raises(ConfigError):
            await Engine.open(Settings.load(options={"verify.critic": "unknown"}), corpora="papers")
        async with Engine.open(corpora="papers") as engine:
            with pytest.raises(ConfigError, match="no source has vectors"):
                await engine.ask(
                    QUESTION, recipe="self-medrag", model="another", settings={"self_medrag.retrieval": "dense"}
                )
            assert opened.open == 1
        with pytest.raises(UsageError, match="this engine is closed"):
            await engine.ask(QUESTION, model="another")

    opened = Opened(monkeypatch)
    asyncio.run(asked())
    assert opened.open == 0


def test_an_engine_that_is_closed_while_it_opens_a_model_leaves_none_open(
    papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def asked() -> None:
        engine = await Engine.open(corpora="papers")
        task = asyncio.create_task(engine.ask(QUESTION, model="another"))
        while opened.open < 2:
            await asyncio.sleep(0)
        await engine.close()
        with pytest.raises(UsageError, match="this engine is closed"):
            await task

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
        return await asyncio.gather(*tasks)

    answer, *_ = asyncio.run(asked())
    assert answer.evidence[0].document_id == "PMID:1"
    assert [search.status for search in answer.searches] == ["found", "empty"]


def test_closing_does_not_wait_for_a_call_that_was_cancelled(papers: Path) -> None:
    async def asked() -> None:
        async with Engine.open(corpora="papers") as engine:
            view = replace(engine, recipe=replace(engine.recipe, run=waiting))
            task = asyncio.create_task(view.ask(QUESTION))
            while not engine._calls:
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait_for(engine.close(), timeout=10)
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(asked())


def test_a_closed_engine_says_so(papers: Path) -> None:
    blocking = BlockingEngine(corpora="papers")
    blocking.close()
    blocking.close()
    with pytest.raises(UsageError, match="this engine is closed"):
        blocking.ask(QUESTION)

    async def asked() -> None:
        engine = await Engine.open(corpora="papers")
        await engine.close()
        for call in (
            engine.ask(QUESTION),
            engine.search("aspirin"),
            engine.document("PMID:1"),
            engine.verify("It helps."),
        ):
            with pytest.raises(UsageError, match="this engine is closed"):
                await call

    asyncio.run(asked())


def test_search_and_documents(papers: Path) -> None:
    with BlockingEngine(corpora=("papers", "others")) as engine:
        found = engine.search("zebrafish fins", limit=1)
        assert [hit.passage.document_id for hit in found.hits] == ["PMID:2"]
        assert [search.source for search in found.searches] == ["corpus:papers", "corpus:others"]
        assert engine.search("xylophone").hits == ()
        assert engine.document("PMID:1").title == "Aspirin"
        with pytest.raises(UsageError, match=r"no source holds 'PMID:404'; searched: corpus:papers, corpus:others"):
            engine.document("PMID:404")
        with pytest.raises(UsageError, match="the query is empty"):
            engine.search("  ")
        with pytest.raises(UsageError, match="limit from 1 to"):
            engine.search("aspirin", limit=0)


def test_a_query_of_pubmed_decides_what_is_found(papers: Path) -> None:
    with BlockingEngine(corpora=("papers",)) as engine:
        query = "(aspirin OR xylophone) NOT zebrafish[tiab]"
        found = engine.search(query, syntax="pubmed")
        assert [hit.passage.document_id for hit in found.hits] == ["PMID:1"]
        assert [search.query for search in found.searches] == [query]
        assert engine.search("aspirin AND zebrafish", syntax="pubmed").hits == ()
        with pytest.raises(UsageError, match="invalid query at column"):
            engine.search("(aspirin", syntax="pubmed")


def test_a_claim_gets_a_verdict_and_its_quotes(papers: Path, scripted_model: Any) -> None:
    judge = scripted_model({"entail": EntailOutput(relation="entails", best="P1"), "label": ConfigError("not asked")})
    options = {"verify.taxonomy": False, "verify.trusted_judges": ("scripted:model",)}

    async def checked() -> Any:
        async with Engine.open(Settings.load(options=options), corpora="papers") as engine:
            view = replace(engine, models=Models("scripted:model", {}, {"scripted:model": judge}))
            return await view.verify("Aspirin lowers the risk of stroke.")

    claim = asyncio.run(checked())
    (statement,) = claim.statements
    assert statement.verdict.label == "supported"
    assert [quote.quote for quote in claim.evidence] == [TEXT]
    assert claim.documents[0].id == "PMID:1"


def test_an_error_of_a_claim_carries_its_cost_and_trace(papers: Path) -> None:
    with BlockingEngine(corpora="papers") as engine, pytest.raises(BudgetExhausted) as spent:
        engine.verify("Aspirin lowers the risk of stroke.", settings={"budget.seconds": 1e-9})
    assert spent.value.spent is not None
    assert spent.value.trace_id


def test_word_statistics_never_support_a_claim(papers: Path) -> None:
    with BlockingEngine(corpora="papers") as engine:
        claim = engine.verify("Aspirin does not reduce the risk of stroke.")
        assert {statement.verdict.label for statement in claim.statements} == {"related"}
        assert "negation" in claim.statements[0].verdict.flags
        nothing = engine.verify("Xylophones improve hearing.")
        with pytest.raises(UsageError, match="the claim is empty"):
            engine.verify("  ")
    assert nothing.evidence == ()
    assert {statement.verdict.label for statement in nothing.statements} == {"not found"}


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
        with pytest.raises(UsageError, match="limit of at least 0"):
            engine.history(-1)
        with pytest.raises(UsageError, match=r"no answer '\.\./x' is kept"):
            engine.answer("../x")
    (papers / "answers" / "99999999-damaged.json").write_text("{}", encoding="utf-8")
    assert len(list(Answers(papers).history())) == 4


def test_steps_are_reported_as_they_happen_and_stored_alike(papers: Path) -> None:
    seen: list[Step] = []
    with BlockingEngine(corpora="papers") as engine:
        answer = engine.ask(QUESTION, on_step=seen.append)
    kinds = [type(step) for step in seen]
    assert kinds[:2] == [Searching, Searched]
    assert kinds[-1] is Kept
    assert {ReadingBatch, Asking} <= set(kinds)
    from pydantic import TypeAdapter

    from medground.answering.trace import read_trace

    adapter: TypeAdapter[Step] = TypeAdapter(AnyStep)
    assert [adapter.validate_json(step.model_dump_json()) for step in seen] == seen
    spans = read_trace(papers / "traces", answer.trace_id)
    for kind in (ReadingBatch, Searching):
        assert kind.stored(spans) == [step for step in seen if isinstance(step, kind)]


def test_judging_is_reported_one_by_one(make_run: Any, memory_source: Any) -> None:
    from medground.answering.verify.check import check_each
    from medground.values.document import Document
    from medground.values.evidence import Sentence

    seen: list[Step] = []
    text = "Aspirin reduced the risk of stroke in adults. Steroids help children with asthma."
    run = make_run(QUESTION, [memory_source([Document(id="PMID:1", text=text)])], on_step=seen.append)

    async def checked() -> None:
        await run.retrieve(["PMID:1"])
        quote = run.ledger.quote("PMID:1", 0, 45)
        said = [
            Sentence(text=f"Aspirin lowers the risk of stroke by {n} percent.", evidence=(quote.id,)) for n in range(3)
        ]
        await check_each(said, run)

    asyncio.run(checked())
    assert [(s.done, s.of) for s in seen if isinstance(s, Judging)] == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_stream_ends_in_the_answer(papers: Path) -> None:
    async def streamed() -> list[Step | Answer]:
        async with Engine.open(corpora="papers") as engine:
            return [event async for event in engine.stream(QUESTION, recipe="rag")]

    *steps, answer = asyncio.run(streamed())
    assert isinstance(answer, Answer)
    assert answer.recipe == "rag"
    assert all(isinstance(step, Step) for step in steps)
    assert steps


def test_an_error_of_a_stream_is_raised(papers: Path) -> None:
    async def streamed() -> None:
        async with Engine.open(corpora="papers") as engine:
            async for _ in engine.stream(""):
                raise AssertionError("nothing is streamed")

    with pytest.raises(UsageError, match="empty"):
        asyncio.run(streamed())


async def waiting(question: Any, run: Any) -> Answer:
    """A recipe that quotes something and then never ends."""
    await run.retrieve(["PMID:1"])
    run.ledger.quote("PMID:1", 0, 45)
    run.on_step(Judging(done=0, of=1))
    await asyncio.Event().wait()
    raise AssertionError("not reached")


def test_cancelling_keeps_the_partial_answer(papers: Path) -> None:
    seen: list[Step] = []

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
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(cancelled())
    kept = seen[-1]
    assert isinstance(kept, Kept)
    answer = Answers(papers).read(kept.trace_id)
    assert answer.stopped == kept.stopped == "cancelled"
    assert answer.evidence[0].quote == TEXT
    assert [past.stopped for past in Answers(papers).history()] == ["cancelled", "cancelled"]


def test_outcomes_carry_what_was_found_before_a_budget_ran_out(papers: Path) -> None:
    async def spent(question: Any, run: Any) -> Answer:
        await run.retrieve(["PMID:1"])
        run.ledger.quote("PMID:1", 0, 45)
        raise BudgetExhausted("calls", spent="2", allowed="1")

    async def asked() -> list[Outcome]:
        async with Engine.open(corpora="papers") as engine:
            view = replace(engine, recipe=replace(engine.recipe, run=spent))
            return await view.ask_many([QUESTION])

    (outcome,) = asyncio.run(asked())
    assert isinstance(outcome.error, BudgetExhausted)
    assert outcome.answer is not None
    assert outcome.answer.evidence
    assert "budget of 1 calls" in str(outcome)


def test_an_answer_prints_itself(papers: Path) -> None:
    answer = medground.ask(QUESTION, corpora="papers")
    assert TEXT in str(answer)
    assert "<script" not in answer._repr_html_()
    assert "PMID:1" in answer._repr_markdown_()


def test_a_graph_question_loads_no_mesh(papers: Path) -> None:
    code = (
        "import sys, medground; from medground.engine.blocking import BlockingEngine; "
        "from medground.recipes.base import open_recipe; open_recipe('ground'); "
        "print(sorted(m for m in sys.modules if '.mesh' in m or m == 'numpy'))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "[]"
