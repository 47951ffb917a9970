"""NLI models: labels in any order, long premises in windows, pairs in batches."""

import asyncio
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from critic_contract import CLAIMS, claim, sound
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from rows import each_row, tables
from tokenizers import Tokenizer

from medground.answering.run import Run
from medground.answering.verify import nli_model
from medground.answering.verify.critic import Claim, Judgement, Score
from medground.answering.verify.critics import open_critic
from medground.answering.verify.nli_critic import NliCritic, decide, open_nli
from medground.answering.verify.nli_model import NliModel, read_labels
from medground.errors import ConfigError, ModelFailed
from medground.models.operators.base import EvidenceView

TABLES = tables(__file__)

Write = Callable[..., str]
LABELS = ("CONTRADICTION", "NEUTRAL", "ENTAILMENT")
PAIRS = TABLES["pairs"]
WORDS = st.sampled_from(
    ["the", "lens", "aorta", "gene", "is", "not", "long", "short", "cause", "of", ".", ",", "zebra"]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=60).map(" ".join)
STATEMENTS = st.lists(WORDS, min_size=1, max_size=20).map(" ".join)


def close(found: list[Score], wanted: list[Score], tolerance: float = 1e-5) -> None:
    np.testing.assert_allclose(
        [(s.entailment, s.contradiction) for s in found],
        [(s.entailment, s.contradiction) for s in wanted],
        atol=tolerance,
    )


@each_row(
    ("labels", "entailment", "contradiction"),
    [
        (("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), 2, 0),
        (("Contradiction", "entailment", "Neutral"), 1, 0),
        (("entailment", "not_entailment"), 0, None),
        (("NON-ENTAILMENT", "ENTAILMENT"), 1, None),
    ],
)
def test_labels_in_any_order(labels: tuple[str, ...], entailment: int, contradiction: int | None) -> None:
    found = read_labels("m", {str(place): label for place, label in reversed(list(enumerate(labels)))})
    assert (found.entailment, found.contradiction, found.count) == (entailment, contradiction, len(labels))


@each_row(
    "id2label",
    [
        {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"},
        {0: "entailment", 1: "contradiction"},
        {"a": "entailment", "b": "neutral", "c": "contradiction"},
        {},
        None,
    ],
)
def test_labels_that_do_not_name_entailment_are_refused(id2label: Any) -> None:
    with pytest.raises(ConfigError, match="must be entailment, neutral and contradiction") as caught:
        read_labels("m", id2label)
    assert "\n" not in str(caught.value)


def test_a_head_in_another_order_gives_the_same_numbers_and_two_labels_no_contradiction(
    onnx_model: Write, weights: Any
) -> None:
    one = open_nli(onnx_model("one", LABELS, weights))
    order = [2, 0, 1]
    turned = weights | {name: weights[name][order] for name in ("classifier.weight", "classifier.bias")}
    other = open_nli(onnx_model("other", [LABELS[n].lower() for n in order], turned))
    close(one.score(PAIRS), other.score(PAIRS), 1e-6)
    assert len({round(score.entailment, 3) for score in one.score(PAIRS)}) == len(PAIRS)
    two = open_nli(onnx_model("two", ("not_entailment", "entailment"))).score(PAIRS)
    assert all(0 < score.entailment < 1 and score.contradiction == 0 for score in two)


def test_the_graph_is_bert_by_an_independent_forward_pass(onnx_model: Write, torch_model: Write, weights: Any) -> None:
    """Torch with the tokenizer and the softmax of transformers, none of our code."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = torch_model(weights=weights)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    wanted = []
    for premise, hypothesis in PAIRS:
        with torch.no_grad():
            logits = model(**tokenizer(premise, hypothesis, return_tensors="pt")).logits[0]
        shares = torch.softmax(logits, 0).tolist()
        wanted.append(Score(shares[2], shares[0]))
    close(open_nli(onnx_model(weights=weights)).score(PAIRS), wanted, 1e-4)
    close(open_nli(folder).score(PAIRS), wanted, 1e-4)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(TEXTS, STATEMENTS), max_size=8))
def test_one_at_a_time_is_all_together(model: NliModel, pairs: list[tuple[str, str]]) -> None:
    together = model.score(pairs)
    close(together, [score for pair in pairs for score in model.score([pair])])
    close(together, model.score(pairs[::-1])[::-1])


@settings(max_examples=10, deadline=None)
@given(st.lists(WORDS, min_size=50, max_size=150), STATEMENTS)
def test_a_long_premise_is_the_best_of_its_windows(model: NliModel, words: list[str], statement: str) -> None:
    """Each word is a token here, so the windows can be checked by hand."""
    room = model.longest - 3 - len(statement.split())
    step = room - room // 4
    starts = range(0, max(len(words) - room, 0) + step, step)
    windows = [" ".join(words[start : start + room]) for start in starts if words[start : start + room]]
    scores = model.score([(window, statement) for window in windows])
    wanted = Score(max(s.entailment for s in scores), max(s.contradiction for s in scores))
    close(model.score([(" ".join(words), statement)]), [wanted])


class Recorder:
    """A network that records its inputs."""

    def __init__(self) -> None:
        self.seen: list[tuple[NDArray[np.int64], ...]] = []

    def __call__(self, *arrays: NDArray[np.int64]) -> NDArray[np.float32]:
        self.seen.append(arrays)
        return np.zeros((len(arrays[0]), 3), np.float32)


def recorded(folder: str, limit: float = 512, **more: Any) -> tuple[NliModel, Recorder]:
    network = Recorder()
    about = {"id2label": dict(enumerate(LABELS)), "max_position_embeddings": 48, "pad_token_id": 7} | more
    model = NliModel("m", about, Tokenizer.from_file(f"{folder}/tokenizer.json"), network, limit)
    network.seen.clear()
    return model, network


def test_what_the_network_sees(onnx_model: Write) -> None:
    model, network = recorded(onnx_model())
    model.score([("lens", "aorta"), ("the lens", "gene is")])
    ids, mask, types = network.seen[0]
    assert ids.tolist() == [[2, 5, 6, 3, 8, 9, 3], [2, 6, 3, 7, 3, 7, 7]]  # the longest first, padded with 7
    assert mask.tolist() == [[1] * 7, [1] * 5 + [0] * 2]
    assert types.tolist() == [[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 0, 0]]
    model.score([("the lens [SEP] [CLS] gene", "the [SEP] aorta")])
    bordered = network.seen[1][0][0].tolist()
    assert (bordered.count(2), bordered.count(3)) == (1, 2), "a text cannot write a border"
    model, network = recorded(onnx_model(), type_vocab_size=1)
    model.score([("the lens", "gene")])
    assert network.seen[0][2].max() == 0, "a model of one segment gets one"


@each_row(("places", "limit", "longest"), [(514, 512, 512), (8192, 1e30, 512), (130, 512, 128), (None, 64, 64)])
def test_how_long_a_pair_may_be(onnx_model: Write, places: int | None, limit: float, longest: int) -> None:
    model, network = recorded(onnx_model(), limit, max_position_embeddings=places)
    assert model.longest == longest
    model.score([("the lens " * 1_000, "the aorta is long")])
    assert network.seen[0][0].shape[1] == longest


@each_row(
    ("statement", "reason"),
    [
        ("the lens " * 12, "the statement has 24 tokens; the model takes at most 23"),
        ("水晶体 длинный", "does not know"),
        ("\u200b", "no tokens that the model can read"),
        ("the lens is zebra", None),
    ],
)
def test_a_statement_that_the_model_cannot_read(model: NliModel, statement: str, reason: str | None) -> None:
    problem = model.problem(statement)
    assert problem is None if reason is None else reason in str(problem)


MakeRun = Callable[..., Run]
SHARES = st.floats(0, 1)


def judged(run: Run, claims: Sequence[Claim]) -> list[Judgement]:
    return asyncio.run(open_critic(run).judge(claims))


def views(count: int) -> list[EvidenceView]:
    return [EvidenceView(id=f"E{n}", quote="quote") for n in range(1, count + 1)]


@each_row(("scores", "relation", "best", "probability"), TABLES["rule"])
def test_the_rule(scores: list[tuple[float, float]], relation: str, best: str, probability: float) -> None:
    found = decide(views(len(scores)), [Score(*score) for score in scores], tau=0.5)
    assert (found.relation, found.best) == (relation, best)
    assert found.probability == pytest.approx(probability)
    assert found.entailment == max(entailment for entailment, _ in scores)


def test_in_the_paper_contradiction_never_overrules_entailment() -> None:
    asked = {(0.5, 0.6): "entails", (0.4, 0.95): "contradicts", (0.4, 0.3): "neutral"}
    for scores, relation in asked.items():
        assert decide(views(1), [Score(*scores)], tau=0.5, overruled=False).relation == relation
    both = decide(views(2), [Score(0.6, 0.1), Score(0.1, 0.9)], tau=0.5)
    assert both.note == "entailed by E1 (0.60), contradicted by E2 (0.90)"


@each_row("bad", [math.nan, math.inf, -math.inf])
def test_a_non_finite_value_fails_the_claim(bad: float) -> None:
    for wrong in (Score(bad, 0.1), Score(0.1, bad)):
        found = decide(views(3), [Score(0.99, 0.0), wrong, Score(0.2, 0.2)], tau=0.5)
        assert found == Judgement("failed", note="the model returned a value that is not a finite number")


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

    def __call__(self, *arrays: NDArray[np.int64]) -> NDArray[np.float32]:
        self.calls += 1
        self.begun.set()
        assert self.goes_on.wait(60), "nobody let the batch go on"
        found: NDArray[np.float32] = self._network(*arrays)
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
    assert "took too long; allow more with the setting model.timeout" in found[0].note
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
    model, _ = slow

    def broken(*arrays: Any) -> Any:
        raise ModelFailed("torch: out of memory", model="slow")

    model._network = broken
    run = make_run("q1?")
    found = asyncio.run(NliCritic(run, "nli:slow", model).judge(CLAIMS))
    assert found == [Judgement("failed", note="torch: out of memory")] * len(CLAIMS)
    assert run.warnings == ["a sentence could not be verified: nli:slow: torch: out of memory"]
