"""Hits in the order of the reranker that the settings name."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from medground.answering.rank.rerank import open_reranker, rerank, reranker_problems
from medground.errors import ConfigError
from medground.values.document import Hit, Passage


class Longest:
    """Prefers long passages."""

    name = "longest"

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        return [len(passage.text) / 100 for passage in passages]


def hits(*texts: str) -> list[Hit]:
    return [
        Hit(
            passage=Passage(document_id=f"X:{n}", start=0, end=len(text), text=text),
            ranker="bm25",
            rank=n,
            score=1.0,
            source="s",
        )
        for n, text in enumerate(texts, start=1)
    ]


def test_the_best_are_kept_and_ties_stay_in_their_order(make_run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = hits("one", "two", "the longest")
    plain = make_run("q?", options={"retrieval.keep": 2})
    assert asyncio.run(rerank(plain.question, found, plain)) == found[:2]
    monkeypatch.setattr("medground.answering.rank.rerank.open_reranker", lambda name, models: Longest())
    run = make_run("q?", options={"retrieval.keep": 2, "retrieval.reranker": "longest"})
    best = asyncio.run(rerank(run.question, found, run))
    assert [(hit.passage.text, hit.ranker, hit.rank) for hit in best] == [
        ("the longest", "longest", 1),
        ("one", "longest", 2),
    ]
    assert asyncio.run(rerank(run.question, [], run)) == []


def test_the_reranker_by_words_is_gone_and_an_old_setting_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="set `none` instead"):
        open_reranker("keyless", tmp_path)
    assert len(list(reranker_problems("keyless", tmp_path))) == 1
    assert open_reranker("none", tmp_path) is None
