"""Retrieval, headings, depth, queries and reading stored traces: hand-computed, and on a real question."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from medground.errors import ConfigError
from medground_evaluate.items import RunLine
from medground_evaluate.metrics.measures import answers_by_round, final_query, read_traced, reading, stored_answer
from medground_evaluate.metrics.searching import (
    Reading,
    evidence_depths,
    heading_scores,
    headings_of,
    query_diversity,
    query_statistics,
    ranking_scores,
    retrieval_scores,
)


def line(i: str, found: Sequence[str] = (), gold: Sequence[str] = (), **more: str) -> RunLine:
    content = {"id": i, "question": "?", "task": "yes-no", "status": "answered", "found": found, "gold_documents": gold}
    return RunLine.model_validate(content | more)


def test_retrieval_by_hand() -> None:
    lines = [
        line("q", ("D:x", "D:a", "D:y", "D:b"), ("D:a", "D:b", "D:c")),
        line("none", (), ("D:a",)),
        line("no gold"),
    ]
    scores = retrieval_scores(lines, depths=(2, 4))
    assert scores.without_gold == 1
    each = scores.each["q"]
    assert (each["R@2"], each["P@2"], each["R@4"], each["P@4"], each["RR"]) == pytest.approx(
        (1 / 3, 1 / 2, 2 / 3, 1 / 2, 1 / 2)
    )
    best = 1 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4)
    assert each["nDCG@4"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / best)
    assert set(scores.each["none"].values()) == {0.0}
    assert scores.mean["RR"] == pytest.approx(1 / 4)  # MRR

    assert retrieval_scores([]).mean == {}
    assert retrieval_scores([line("q", ("D:a",), ("D:a",))], depths=(1,)).mean == dict.fromkeys(
        ("R@1", "P@1", "nDCG@1", "RR"), 1.0
    )
    assert ranking_scores({"q": ("D:x", "D:x", "D:a")}, {"q": ("D:a",)}, (1,))["q"]["RR"] == 1 / 2

    # trec_eval breaks ties of scores by id, so ascending or descending ids must make no difference.
    ids = [f"D:{n}" for n in range(9)]
    for order in (ids, ids[::-1]):
        assert ranking_scores({"q": order}, {"q": (order[4],)}, (5,))["q"]["RR"] == pytest.approx(1 / 5)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(ConfigError, match=r'pip install "medground\[evaluate\]"'):
        retrieval_scores([line("q", ("D:a",), ("D:a",))])


def test_headings_by_hand() -> None:
    scores = heading_scores(
        [({"Asthma", "child*"}, {"Asthma/therapy", "Humans", "Child"}), (set(), {"Humans"}), ({"A"}, set())]
    )
    assert scores.precision == pytest.approx((2 / 2 + 0) / 2)
    assert scores.recall == pytest.approx((2 / 3 + 0) / 2)
    assert (scores.questions, scores.without_query, scores.without_gold) == (2, 1, 1)
    assert heading_scores([]).precision is None
    assert heading_scores([(set(), {"A"})]).recall is None  # having no MeSH queries differs from having bad ones

    query = '("Asthma"[MeSH Terms] OR "asthma"[Title/Abstract]) AND "Child"[Majr] NOT "Adult"[mh] AND Asthma[mh]'
    assert headings_of(query) == ("Asthma", "Child")
    assert headings_of("asthma in children") == ()
    assert headings_of("") == ()


def test_depths_and_queries_by_hand() -> None:
    depths = evidence_depths([Reading(5, True), Reading(10, True), Reading(5, True), Reading(20, False)])
    assert depths.distribution == {5: 2, 10: 1}
    assert (depths.mean, depths.median, depths.never) == (20 / 3, 5.0, 1)
    assert depths.within(5).value == 2 / 4
    assert depths.within(20).value == 3 / 4
    none = evidence_depths([])
    assert (none.mean, none.median, none.within(5).value) == (None, None, None)

    vectors = np.array([[1, 0], [0, 2], [-3, 0]], dtype=np.float32)
    assert query_diversity(vectors) == pytest.approx((1 + 2 + 1) / 3)  # Eq. 5: right angle, opposite, right angle
    assert query_diversity(vectors[:1]) is None
    assert query_diversity(np.ones((4, 3), dtype=np.float32)) == pytest.approx(0, abs=1e-9)

    plans = [{"book": ["a b", "c d e f"], "wiki": ["x"]}, {"book": ["a b c"], "graph": [" "]}]
    found = query_statistics(plans, LengthEmbedder())
    assert found["book"].queries == 3 / 2
    assert found["book"].words.value == 3.0
    cosine = (2 * 4 + 1) / math.sqrt(5 * 17)
    assert found["book"].diversity.value == pytest.approx(1 - cosine)
    assert (found["book"].diversity.of, found["book"].diversity.without) == (1, 1)
    assert (found["wiki"].queries, found["wiki"].diversity.value) == (1 / 2, None)
    assert (found["graph"].queries, found["graph"].words.value) == (0.0, None)
    assert query_statistics([]) == {}
    assert query_statistics(plans)["book"].diversity.value is None


@settings(max_examples=40, deadline=None)
@given(arrays(np.float32, st.tuples(st.integers(2, 6), st.just(3)), elements=st.floats(1, 9, width=32)))
def test_diversity_is_the_mean_over_pairs(vectors: NDArray[np.float32]) -> None:
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    pairs = [1 - float(units[i] @ units[k]) for i in range(len(units)) for k in range(i + 1, len(units))]
    assert query_diversity(vectors) == pytest.approx(sum(pairs) / len(pairs), abs=1e-5)


class LengthEmbedder:
    """A small working embedder: the number of words and a constant."""

    name = identity = "length"
    dimensions = 2

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[len(text.split()), 1] for text in texts], dtype=np.float32)


SPANS = [
    {"name": "normalise query", "start": 1, "attributes": {"medground.text.after": "first"}},
    {"name": "final query", "start": 2, "attributes": {"medground.text.query": '"Asthma"[mh]'}},
    {"name": "read batch", "start": 3, "attributes": {"medground.documents": ["PMID:1", "PMID:2"]}},
    {"name": "operator sufficient", "start": 4, "attributes": {"medground.text.output": '{"sufficient": false}'}},
    {"name": "read batch", "start": 5, "attributes": {"medground.documents": ["PMID:3"]}},
    {"name": "operator sufficient", "start": 6, "attributes": {"medground.text.output": '{"sufficient": true}'}},
]


def test_what_traces_hold(tmp_path: Path) -> None:
    assert reading(SPANS) == Reading(3, True)
    assert reading(SPANS[:5]) == Reading(3, False)
    assert reading([]) is None
    assert final_query(SPANS) == '"Asthma"[mh]'
    assert final_query(SPANS[:1]) == "first"
    assert final_query([]) is None

    rounds = [(["no"], 0.2), (["yes"], 0.6), (["no"], 0.6), (["maybe"], 0.4)]
    spans = [
        {"name": "round", "start": n, "attributes": {"medground.answer": answer, "medground.steering_score": score}}
        for n, (answer, score) in enumerate(rounds)
    ]
    failed = {"name": "round", "start": 9, "attributes": {}}
    assert answers_by_round([*spans, failed]) == (("no",), ("yes",), ("yes",), ("yes",))
    assert answers_by_round([]) == ()

    assert stored_answer(tmp_path, line("q", trace="20260101-000000-00000000")) is None
    assert read_traced(tmp_path, "") is None
