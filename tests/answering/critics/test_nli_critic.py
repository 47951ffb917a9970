"""The NLI critic: its rule, its failures, and that it does not block the event loop."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from rows import each_row

from medground.answering.run import Run
from medground.answering.verify import nli_model
from medground.answering.verify.check import check_all
from medground.answering.verify.critic import Claim, Judgement, Score
from medground.answering.verify.critics import open_critic
from medground.answering.verify.nli_critic import NliCritic, decide, open_nli
from medground.answering.verify.nli_model import NliModel
from medground.errors import ModelFailed
from medground.models.operators.base import EvidenceView
from medground.testing.critic_contract import CLAIMS, claim, sound
from medground.values.document import Document
from medground.values.evidence import Sentence

Write = Callable[..., str]
MakeRun = Callable[..., Run]
SHARES = st.floats(0, 1)


def judged(run: Run, claims: Sequence[Claim]) -> list[Judgement]:
    return asyncio.run(open_critic(run).judge(claims))


def views(count: int) -> list[EvidenceView]:
    return [EvidenceView(id=f"E{n}", quote="quote") for n in range(1, count + 1)]


@each_row(
    ("scores", "relation", "best", "probability"),
    [
        ([(0.9, 0.0)], "entails", "E1", 0.9),
        ([(0.5, 0.1)], "entails", "E1", 0.5),
        ([(0.499, 0.1)], "neutral", "E1", 0.501),
        ([(0.1, 0.5)], "contradicts", "E1", 0.5),
        ([(0.2, 0.3), (0.7, 0.2), (0.7, 0.1)], "entails", "E2", 0.7),
        ([(0.6, 0.1), (0.1, 0.9)], "contradicts", "E2", 0.9),
        ([(0.5, 0.0), (0.0, 0.5)], "entails", "E1", 0.5),
        ([(0.3, 0.4), (0.4, 0.2)], "neutral", "E2", 0.6),
    ],
)
def test_the_rule(scores: list[tuple[float, float]], relation: str, best: str, probability: float) -> None:
    found = decide(views(len(scores)), [Score(*score) for score in scores], tau=0.5)
    assert (found.relation, found.best) == (relation, best)
    assert found.probability == pytest.approx(probability)
    assert found.entailment == max(entailment for entailment, _ in scores)


@each_row(("scores", "relation"), [((0.5, 0.6), "entails"), ((0.4, 0.95), "contradicts"), ((0.4, 0.3), "neutral")])
def test_in_the_paper_contradiction_never_overrules_entailment(scores: tuple[float, float], relation: str) -> None:
    assert decide(views(1), [Score(*scores)], tau=0.5, overruled=False).relation == relation


@each_row("bad", [math.nan, math.inf, -math.inf])
@each_row("place", [0, 1])
def test_a_non_finite_value_fails_the_claim(bad: float, place: int) -> None:
    wrong = Score(bad, 0.1) if place == 0 else Score(0.1, bad)
    found = decide(views(3), [Score(0.99, 0.0), wrong, Score(0.2, 0.2)], tau=0.5)
    assert found == Judgement("failed", note="the model returned a value that is not a finite number")
    both = decide(views(2), [Score(0.6, 0.1), Score(0.1, 0.9)], tau=0.5)
    assert both.note == "entailed by E1 (0.60), contradicted by E2 (0.90)"


@settings(max_examples=30)
@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=6), SHARES)
def test_the_rule_holds_for_all_numbers(scores: list[tuple[float, float]], tau: float) -> None:
    premises = views(len(scores))
    found = decide(premises, [Score(*score) for score in scores], tau)
    sound([Claim("statement", tuple(premises))], [found])
    highest = max(entailment for entailment, _ in scores)
    if found.relation == "entails":
        assert highest >= tau
    if highest < tau and max(contradiction for _, contradiction in scores) < tau:
        assert found.relation == "neutral"


def test_one_broken_claim_spares_the_others(make_run: MakeRun, onnx_model: Write, weights: Any) -> None:
    weights["embeddings.word_embeddings.weight"][17] = np.nan  # the word "poison"
    run = make_run("q1?", options={"verify.critic": f"nli:{onnx_model(weights=weights)}"})
    poisoned = claim("The lens is long.", "The lens is long.", "The poison is long.")
    whole = judged(run, CLAIMS)
    found = judged(run, [CLAIMS[0], poisoned, *CLAIMS[1:]])
    assert found[1].relation == "failed"
    assert [j.relation for j in [found[0], *found[2:]]] == [j.relation for j in whole]
    unreadable, read = judged(run, [claim("the lens " * 40, "The lens is long."), CLAIMS[0]])
    assert unreadable == Judgement("failed", note="the statement has 80 tokens; the model takes at most 23")
    assert read.relation == whole[0].relation


class Slow:
    """A network whose batches wait until the test releases them."""

    def __init__(self, network: Any) -> None:
        self.calls = 0
        self.begun = threading.Event()
        self.goes_on = threading.Event()
        self._network = network

    def logits(self, *arrays: NDArray[np.int64]) -> NDArray[np.float32]:
        self.calls += 1
        self.begun.set()
        assert self.goes_on.wait(60), "nobody let the batch go on"
        found: NDArray[np.float32] = self._network.logits(*arrays)
        return found


@pytest.fixture
def slow(onnx_model: Write, monkeypatch: pytest.MonkeyPatch) -> tuple[NliModel, Slow]:
    """A real model with batches of one pair that wait."""
    monkeypatch.setattr(nli_model, "_BATCH_TOKENS", 1)
    open_nli.cache_clear()
    model = open_nli(onnx_model())
    network = Slow(model._network)
    model._network = network
    return model, network


def test_a_model_that_takes_too_long_supports_nothing(make_run: MakeRun, slow: tuple[NliModel, Slow]) -> None:
    model, network = slow
    run = make_run("q1?", options={"model.timeout": 1000})

    async def too_long() -> list[Judgement]:
        """The loop's clock goes on while the first batch is read."""
        task = asyncio.create_task(NliCritic(run, "nli:slow", model).judge([*CLAIMS, claim("The lens is long.")]))
        await asyncio.to_thread(network.begun.wait, 60)
        loop = asyncio.get_running_loop()
        clock = loop.time
        loop.time = lambda: clock() + 1000 * len(CLAIMS)  # type: ignore[method-assign]
        await asyncio.wait([task])
        network.goes_on.set()
        return await task

    found = asyncio.run(too_long())
    assert [j.relation for j in found] == ["failed"] * len(CLAIMS) + ["neutral"]
    assert "took too long; allow more time with --set model.timeout=N" in found[0].note
    assert network.calls == 1  # the batch in hand was the last one


def test_cancelling_stops_the_model(make_run: MakeRun, slow: tuple[NliModel, Slow]) -> None:
    model, network = slow
    threads = threading.active_count()

    async def leave() -> None:
        task = asyncio.create_task(NliCritic(make_run("q1?"), "nli:slow", model).judge(CLAIMS))
        await asyncio.to_thread(network.begun.wait, 60)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        network.goes_on.set()

    asyncio.run(leave())
    assert network.calls == 1
    assert threading.active_count() <= threads


def test_a_network_error_is_a_failure_with_its_reason(make_run: MakeRun, slow: tuple[NliModel, Slow]) -> None:
    model, network = slow

    def broken(*arrays: Any) -> Any:
        raise ModelFailed("torch: out of memory", model="slow")

    network.logits = broken
    run = make_run("q1?")
    found = asyncio.run(NliCritic(run, "nli:slow", model).judge(CLAIMS))
    assert found == [Judgement("failed", note="torch: out of memory")] * len(CLAIMS)
    assert run.warnings == ["a sentence could not be verified: nli:slow: torch: out of memory"]


@each_row(
    ("label", "trusted", "verdict"),
    [("ENTAILMENT", True, "supported"), ("ENTAILMENT", False, "not judged"), ("CONTRADICTION", True, "contradicted")],
)
def test_from_the_setting_to_the_verdict(
    make_run: MakeRun, onnx_model: Write, weights: Any, label: str, trusted: bool, verdict: str
) -> None:
    weights = weights | {"classifier.bias": weights["classifier.bias"].copy()}
    weights["classifier.bias"][["CONTRADICTION", "NEUTRAL", "ENTAILMENT"].index(label)] += 100
    name = f"nli:{onnx_model(weights=weights)}"
    options = {"verify.critic": name} | ({"verify.trusted_judges": (name,)} if trusted else {})
    run = make_run("q1?", options=options)
    run.ledger.admit([Document(id="PMID:1", text="The gene is the cause of the long aorta.")])
    run.ledger.quote("PMID:1", 0, 40)
    found = asyncio.run(check_all([Sentence(text="The aorta is long.", evidence=("E1",))], run))[0]
    assert (found.label, found.critic, found.best) == (verdict, name, "E1")
    assert found.probability == pytest.approx(1.0)
