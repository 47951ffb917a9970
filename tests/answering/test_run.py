"""A run: its budget, failures and retrieved documents, and what it counts without a search."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from medground.answering.run import Run
from medground.errors import BudgetExhausted, ModelFailed, SourceUnavailable
from medground.models.operators.reading import ScreenInput, ScreenOutput, screen
from medground.values.document import Document
from medground.values.lookup import Lookup
from medground.values.query import Filters, Words
from medground.values.usage import Usage

MakeRun = Callable[..., Run]


def ask(run: Run) -> None:
    asyncio.run(run.ask(screen, ASKED))


PAPER = Document(id="PMID:1", title="Lens", text="The lens moved in Marfan syndrome.")
LENS = Lookup.words("lens?")
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


def test_an_unknown_price_is_never_free(make_run: MakeRun, scripted_model: Any) -> None:
    model = scripted_model(
        {"screen": ScreenOutput(relevant=())}, usage=Usage(input_tokens=1, output_tokens=1, model_calls=1, price=None)
    )
    run = make_run("lens?", model=model, by_model=["screen"], options={"budget.money": 5})
    with pytest.raises(BudgetExhausted, match="money"):
        ask(run)
    assert run.report().price is None


def test_time_is_a_parameter_and_a_limit(make_run: MakeRun) -> None:
    now = [100.0]
    run = make_run("lens?", clock=lambda: now[0], options={"budget.seconds": 2})
    ask(run)
    now[0] = 103.0
    assert run.seconds == 3.0
    with pytest.raises(BudgetExhausted, match="seconds"):
        ask(run)


def test_a_failed_call_is_paid_for(make_run: MakeRun, scripted_model: Any) -> None:
    failed = ModelFailed("rubbish", model="scripted:model", usage=Usage(input_tokens=7, output_tokens=3, model_calls=2))
    run = make_run("lens?", model=scripted_model({"screen": failed}), by_model=["screen"])
    with pytest.raises(ModelFailed, match="rubbish"):
        ask(run)
    assert (run.usage.tokens, run.usage.model_calls) == (10, 2)


def test_documents_come_from_the_first_source_that_holds_them(make_run: MakeRun, memory_source: Any) -> None:
    other = memory_source([Document(id="PMID:1", text="Another text."), Document(id="PMID:2", text="x")], name="b")
    run = make_run("lens?", [memory_source([PAPER]), other])
    asyncio.run(run.retrieve(["PMID:1", "PMID:2", "PMID:1", "PMID:9"]))
    assert run.ledger.documents["PMID:1"].text == PAPER.text
    assert run.origins == {"PMID:1": "corpus:test", "PMID:2": "b"}


def test_a_failed_source_does_not_matter_if_another_has_the_document(make_run: MakeRun, memory_source: Any) -> None:
    class Broken(memory_source):  # type: ignore[misc]
        async def fetch(self, ids: Any) -> dict[str, Document]:
            raise SourceUnavailable("down", source=self.name)

    run = make_run("lens?", [Broken([], name="pubmed"), memory_source([PAPER])])
    asyncio.run(run.retrieve(["PMID:1"]))
    assert run.origins == {"PMID:1": "corpus:test"}
    with pytest.raises(SourceUnavailable, match="down"):
        asyncio.run(run.retrieve(["PMID:1", "PMID:2"]))


PAPERS = [Document(id=f"PMID:{n}", title="Lens", text="The lens moved in Marfan syndrome.") for n in (1, 2)]
COUNTED = Lookup(asked=Words(text="lens"), text="lens")


@pytest.fixture
def counting(memory_source: Any) -> Any:
    """A class of sources that count a million records, or fail to."""

    class Counting(memory_source):  # type: ignore[misc]
        async def count(self, lookup: Lookup, filters: Filters) -> int:
            if self._fails:
                raise self._fails
            return 1_000_000

    return Counting


def test_only_a_source_that_cannot_count_is_searched(make_run: MakeRun, counting: Any, memory_source: Any) -> None:
    run = make_run("x", [counting(PAPERS, "corpus:a"), memory_source(PAPERS, "corpus:b")])
    assert asyncio.run(run.count(COUNTED)) == 1_000_002
    assert (run.usage.counts, run.usage.searches, len(run.searches)) == (1, 1, 1)
    assert not run.ledger.documents


def test_a_source_that_fails_is_told_and_only_if_none_is_left_an_error(make_run: MakeRun, counting: Any) -> None:
    down = SourceUnavailable("no answer", source="corpus:down")
    run = make_run("x", [counting(PAPERS, "corpus:a"), counting([], "corpus:down", fails=down)])
    assert asyncio.run(run.count(COUNTED)) == 1_000_000
    assert any("corpus:down could not be searched" in warning for warning in run.warnings)
    alone = make_run("x", [counting([], "corpus:down", fails=down)])
    with pytest.raises(SourceUnavailable):
        asyncio.run(alone.count(COUNTED))
