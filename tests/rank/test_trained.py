"""Rerankers pass the contract; a fetched ranker orders passages and quotes as far as it was measured to help."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_networks import TinyBase, trained

from medground.doctor import examine
from medground.document import Document, Hit, Passage
from medground.errors import ConfigError
from medground.fetched import with_fetched
from medground.models.pairs.make import make
from medground.models.pairs.network import PairNetwork
from medground.question import Question
from medground.rank.base import Reranker
from medground.rank.keyless import KeylessReranker
from medground.rank.rerank import open_reranker, rerank, reranker_problems
from medground.rank.trained import TrainedReranker
from medground.read.order import Reading, likeliest_first, with_strengths
from medground.read.weighed import SENTENCES, weighed
from medground.recipes.ground import GROUND, ground
from medground.settings import Settings
from medground.testing.reranker_contract import PASSAGES, QUESTION, RerankerContract, passages

PASSED = {"dataset": "SciFact dev", "of": "passages", "pairs": 300, "accuracy": 0.76, "low": 0.74, "high": 0.78}
ORDERS = {**PASSED, "majority": 0.72}
CHOOSES = {**ORDERS, "dataset": "BioASQ folds", "of": "sentences"}


@pytest.fixture
def family() -> str:
    return "bert"


@pytest.fixture
def ranker(ship: Any, base: TinyBase, tmp_path: Path) -> Callable[..., TrainedReranker]:
    """Ships and makes a ranker."""

    def fetched(labels: Any = ("relevant",), **card: Any) -> TrainedReranker:
        about = {"kind": "ranker", "order": "hypothesis,premise"}
        model = ship("ranker", trained(base.weights, len(labels)), about=about, card=card, labels=labels)
        make(model, tmp_path / "models")
        opened = open_reranker("ranker", tmp_path / "models")
        assert isinstance(opened, TrainedReranker)
        return opened

    return fetched


def settings(tmp_path: Path, **options: Any) -> Settings:
    return Settings.load(environ={"MEDGROUND_HOME": str(tmp_path)}, options=options)


class TestTrained(RerankerContract):
    @pytest.fixture(autouse=True)
    def _open(self, ranker: Any) -> None:
        self._ranker = ranker()

    def make(self) -> Reranker:
        return self._ranker  # type: ignore[no-any-return]

    def test_the_order_changes_no_score(self) -> None:
        assert self.scores(QUESTION, PASSAGES[::-1]) == self.scores(QUESTION, PASSAGES)[::-1]

    def test_passages_differ(self) -> None:
        assert len(set(self.scores(QUESTION, PASSAGES))) == len(PASSAGES)


class TestKeyless(RerankerContract):
    def make(self) -> Reranker:
        return KeylessReranker()


def test_a_passage_is_read_under_its_title(ranker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    one = ranker()
    read: list[Any] = []
    monkeypatch.setattr(PairNetwork, "probabilities", lambda self, pairs: read.extend(pairs) or np.full((1, 1), np.nan))
    assert one.score("gene?", passages("The lens.", title="Eye")) == [0.0]
    assert one.score("gene?", passages("The lens.", title="")) == [0.0]
    assert read == [("Eye\nThe lens.", "gene?"), ("The lens.", "gene?")]


def test_a_ranker_that_was_not_fetched_or_has_more_scores(ship: Any, ranker: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="give more than one score"):
        ranker(labels=("no", "yes"))
    ship("ranker", about={"kind": "ranker"}, labels=["relevant"])
    with pytest.raises(ConfigError, match="the reranker ranker has not been fetched; run: medground models fetch"):
        open_reranker("ranker", tmp_path / "elsewhere")
    assert [str(e) for e in reranker_problems("ranker", tmp_path / "elsewhere")] != []
    assert open_reranker("none", tmp_path) is None


@pytest.mark.parametrize(
    ("proofs", "is_default"),
    [
        ([ORDERS], True),
        ([ORDERS, CHOOSES], True),
        ([CHOOSES], False),
        ([{**ORDERS, "majority": 0.75}], False),
        ([], False),
    ],
)
def test_it_is_the_default_if_it_was_measured_to_help(
    ranker: Any, tmp_path: Path, proofs: Any, is_default: bool
) -> None:
    ranker(proofs=proofs)
    assert with_fetched(settings(tmp_path)).retrieval.reranker == ("ranker" if is_default else "none")
    named = settings(tmp_path, **{"retrieval.reranker": "none"})
    assert with_fetched(named) is named
    hosted = settings(tmp_path, **{"model.default": "openai:gpt-5"})
    assert with_fetched(hosted) is hosted


def test_one_that_only_chooses_sentences_leaves_the_hits_alone(ranker: Any, tmp_path: Path, make_run: Any) -> None:
    ranker(proofs=[CHOOSES], mix=1.0)
    assert with_fetched(settings(tmp_path)).retrieval.reranker == "ranker"
    run = make_run("Is the lens long?", options={"retrieval.reranker": "ranker", "retrieval.keep": 2})
    hits = [
        Hit(passage=p, ranker="bm25", rank=n, score=1.0, source="s")
        for n, p in enumerate(passages("bread", "the lens", "the long lens"), start=1)
    ]
    assert asyncio.run(rerank(run.question, hits, run)) == hits[:2]


def test_hits_below_its_depth_are_left_out(ranker: Any, make_run: Any) -> None:
    ranker(depth=5, proofs=[ORDERS])
    run = make_run("Is the lens long?", options={"retrieval.reranker": "ranker", "retrieval.keep": 3})
    texts = [f"the {'lens ' * (n % 4)} gene is {'not ' * (n % 3)} long" for n in range(12)]
    hits = [
        Hit(passage=p, ranker="bm25", rank=n, score=1.0, source="s") for n, p in enumerate(passages(*texts), start=1)
    ]
    found = asyncio.run(rerank(run.question, hits, run))
    assert [hit.ranker for hit in found] == ["ranker"] * 3
    assert {hit.passage.document_id for hit in found} <= {f"X:{n}" for n in range(5)}
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)


def reading(number: int, text: str) -> Reading:
    return Reading(
        f"X:{number}", number, (Passage(document_id=f"X:{number}", start=0, end=len(text), text=text, title="Lens"),)
    )


READINGS = [
    reading(1, "The lens is long in people. The gene is the cause of it. Bread was eaten by many of them."),
    reading(2, "The aorta is short in people. The lens of the eye is the cause of the long gene."),
]


def opinion(favourite: str) -> Callable[..., Any]:
    def probabilities(self: PairNetwork, pairs: Any, *more: Any) -> Any:
        return np.array([[0.99 if favourite in premise else 0.01] for premise, _ in pairs])

    return probabilities


def test_quotes_are_chosen_by_both_scores(ranker: Any, make_run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ranker(proofs=[CHOOSES], mix=2.0)
    question = Question.ask("Is the lens the cause of the long gene?")
    run = make_run(question.text, options={"retrieval.reranker": "ranker"})
    plain = with_strengths(question, READINGS)
    monkeypatch.setattr(PairNetwork, "probabilities", opinion("Bread"))
    found = asyncio.run(weighed(question, READINGS, run))
    moved = [
        round(found[n].strengths[start] - plain[n].strengths[start], 4) for n in (0, 1) for start in plain[n].strengths
    ]
    assert moved == [-9.1902, -9.1902, 9.1902, -9.1902, -9.1902]
    assert likeliest_first(question, found)[0].document_id == "X:1"


@pytest.mark.parametrize("card", [{"mix": 2.0}, {"mix": 0.0, "proofs": [CHOOSES]}, {"mix": 2.0, "proofs": [ORDERS]}])
def test_without_a_measurement_the_choice_stays(ranker: Any, make_run: Any, card: dict[str, Any]) -> None:
    ranker(**card)
    question = Question.ask("Is the lens the cause of the long gene?")
    run = make_run(question.text, options={"retrieval.reranker": "ranker"})
    assert asyncio.run(weighed(question, READINGS, run)) == with_strengths(question, READINGS)


@pytest.mark.parametrize("name", ["none", "keyless"])
def test_other_rerankers_leave_the_choice_as_it_is(make_run: Any, name: str) -> None:
    question = Question.ask("Is the lens the cause of the long gene?")
    run = make_run(question.text, options={"retrieval.reranker": name})
    assert asyncio.run(weighed(question, READINGS, run)) == with_strengths(question, READINGS)


def test_nothing_to_weigh(ranker: Any, make_run: Any) -> None:
    ranker(proofs=[CHOOSES], mix=1.0)
    run = make_run("Is the lens long?", options={"retrieval.reranker": "ranker"})
    assert asyncio.run(weighed(run.question, [], run)) == []


@given(count=st.integers(0, 60))
def test_it_reads_no_more_than_the_strongest(count: int) -> None:
    from medground.read.weighed import _strongest

    text = " ".join(f"The lens of patient {n} is long in every way." for n in range(count)) or "Bread"
    found = with_strengths(Question.ask("Is the lens long?"), [reading(1, text)])
    read = _strongest(found)
    assert len(read) <= SENTENCES
    left = [s for start, s in found[0].strengths.items() if start not in {start for _, start, _ in read}]
    chosen = [found[0].strengths[start] for _, start, _ in read]
    assert not chosen or not left or len(read) < SENTENCES or min(chosen) >= max(left)


def test_an_answer_with_the_ranker(ranker: Any, make_run: Any, memory_source: Any) -> None:
    ranker(proofs=[ORDERS, CHOOSES], mix=0.5)
    document = Document(
        id="PMID:1", title="Lens", text="The gene is the cause of the long lens. The aorta is short.", year=2001
    )
    options = {"retrieval.reranker": "ranker"}
    run = make_run(
        "Is the gene the cause of the long lens?", [memory_source([document])], options=options, recipe=GROUND
    )
    answer = asyncio.run(ground(run.question, run))
    assert answer.evidence
    assert {s.verdict.label for s in answer.statements} == {"quoted"}


def test_the_doctor_says_what_is_fetched_and_used(ship: Any, base: TinyBase, tmp_path: Path) -> None:
    model = ship("ranker", trained(base.weights, 1), about={"kind": "ranker"}, card={"proofs": [ORDERS]}, labels=["r"])

    def noted() -> tuple[str, str]:
        return next((c.state, c.note) for c in examine(settings(tmp_path)) if c.what == "network ranker")

    assert noted() == ("missing", "lenses; to use it, run: medground models fetch ranker")
    make(model, tmp_path / "models")
    assert noted() == ("ok", "in use")
    named = {c.what: c.note for c in examine(settings(tmp_path, **{"retrieval.reranker": "none"}))}
    assert named["network ranker"] == "fetched, but the settings name another or none"
