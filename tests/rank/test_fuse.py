"""Reciprocal rank fusion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.answering.rank.fuse import fuse
from medground.errors import UsageError
from medground.values.document import Hit, Passage


def ranking(ranker, *names, also=()):
    return tuple(
        Hit(
            passage=Passage(document_id=f"X:{name}", start=0, end=1, text="t"),
            ranker=ranker,
            rank=rank,
            score=100.0 - rank,
            also=also,
        )
        for rank, name in enumerate(names, 1)
    )


def names(hits):
    return [hit.passage.document_id.removeprefix("X:") for hit in hits]


def test_the_sum_of_reciprocal_ranks():
    fused = fuse([ranking("bm25", "a", "b", "c"), ranking("dense", "c", "a")])
    assert names(fused) == ["a", "c", "b"]
    assert [hit.score for hit in fused] == pytest.approx([1 / 61 + 1 / 62, 1 / 63 + 1 / 61, 1 / 62])
    assert [hit.rank for hit in fused] == [1, 2, 3]
    assert {hit.ranker for hit in fused} == {"rrf"}


def test_raw_scores_do_not_count():
    low = tuple(hit.model_copy(update={"score": hit.score / 1e6}) for hit in ranking("a", "x", "y"))

    def shown(*rankings):
        return [hit.model_dump() for hit in fuse(rankings)]

    assert shown(low, ranking("b", "z")) == shown(ranking("a", "x", "y"), ranking("b", "z"))


def test_merged_duplicates_are_kept():
    (hit,) = fuse([ranking("a", "x", also=("X:q#0-1",)), ranking("b", "x", also=("X:r#0-1",))])
    assert hit.also == ("X:q#0-1", "X:r#0-1")


@each_row("k", [0, -60])
def test_a_wrong_constant_is_refused(k):
    with pytest.raises(UsageError, match="at least 1"):
        fuse([ranking("a", "x")], k=k)


def test_invalid_rankings_are_refused():
    with pytest.raises(UsageError, match="ranks 1, 2, 3"):
        fuse([ranking("a", "x", "y")[1:]])
    with pytest.raises(UsageError, match="twice"):
        fuse([ranking("a", "x", "x")])


lists = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8), max_size=5)


@given(lists, st.integers(1, 100))
def test_every_passage_once_best_first(orders, k):
    rankings = [ranking(f"r{n}", *order) for n, order in enumerate(orders)]
    fused = fuse(rankings, k)
    assert sorted(names(fused)) == sorted({name for order in orders for name in order})
    assert [hit.rank for hit in fused] == list(range(1, len(fused) + 1))
    scores = [hit.score for hit in fused]
    assert scores == sorted(scores, reverse=True)
    for hit in fused:
        parts = [1 / (k + r.index(n) + 1) for r in orders for n in names([hit]) if n in r]
        assert hit.score == pytest.approx(sum(parts))


@given(lists, st.randoms())
def test_the_order_of_the_rankings_does_not_matter(orders, random):
    rankings = [ranking(f"r{n}", *order) for n, order in enumerate(orders)]
    shuffled = random.sample(rankings, len(rankings))
    assert fuse(rankings) == fuse(shuffled)


@given(lists, st.sampled_from("abcdefgh"))
def test_one_more_first_place_never_moves_a_passage_down(orders, name):
    before = names(fuse([ranking(f"r{n}", *order) for n, order in enumerate(orders)]))
    after = names(fuse([ranking(f"r{n}", *order) for n, order in enumerate([*orders, [name]])]))
    if name in before:
        assert after.index(name) <= before.index(name)
