"""Near-duplicate passages."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.answering.rank.fuse import distinct, merge_duplicates
from medground.errors import UsageError
from medground.values.document import Hit, Passage

TEXT = (
    "Ectopia lentis is a common finding in patients with Marfan syndrome and is caused by variants of the gene FBN1 "
    "which weaken the zonular fibres that hold the lens in its place behind the iris of the eye."
)


def hits(*texts, retraction="none"):
    return tuple(
        Hit(
            passage=Passage(document_id=f"X:{n}", start=0, end=len(text), text=text, retraction=retraction),
            ranker="rrf",
            rank=n,
            score=1 / n,
        )
        for n, text in enumerate(texts, 1)
    )


def test_equal_words_are_one_hit():
    merged = merge_duplicates(hits(TEXT, "something else", TEXT.upper().replace(" ", "  ")))
    assert [hit.passage.document_id for hit in merged] == ["X:1", "X:2"]
    assert [hit.rank for hit in merged] == [1, 2]
    assert merged[0].also == (f"X:3#0-{len(TEXT) + TEXT.count(' ')}",)


def test_a_small_change_in_a_long_passage_does_not_count():
    merged = merge_duplicates(hits(TEXT, TEXT + " Indeed."))
    assert len(merged) == 1


def test_a_different_number_in_a_short_passage_counts():
    assert len(merge_duplicates(hits("Seizures in 119 of 251 patients.", "Seizures in 12 of 251 patients."))) == 2


def test_the_retracted_one_stays_visible():
    pair = (hits(TEXT)[0], hits("", TEXT, retraction="retracted")[1])
    assert len(merge_duplicates(pair)) == 2


def test_what_was_merged_before_is_kept():
    first, second = hits(TEXT, TEXT)
    merged = merge_duplicates(
        [first.model_copy(update={"also": ("X:8#0-1",)}), second.model_copy(update={"also": ("X:9#0-1",)})]
    )
    assert merged[0].also == ("X:8#0-1", second.passage.key, "X:9#0-1")


@each_row("similarity", [0, -1, 1.1])
def test_a_wrong_similarity_is_refused(similarity):
    with pytest.raises(UsageError):
        merge_duplicates(hits(TEXT), similarity)


WORDS = st.lists(st.sampled_from(["a", "b", "c."]), max_size=20).map(" ".join)
texts = st.lists(st.text(st.sampled_from("ab .1é"), max_size=40) | WORDS, max_size=10)


@given(texts)
def test_nothing_is_lost_and_merging_again_changes_nothing(given_texts):
    before = hits(*given_texts)
    merged = merge_duplicates(before)
    keys = [key for hit in merged for key in (hit.passage.key, *hit.also)]
    assert sorted(keys) == sorted(hit.passage.key for hit in before)
    assert [hit.rank for hit in merged] == list(range(1, len(merged) + 1))
    assert merge_duplicates(merged) == merged


@given(texts, st.floats(0.05, 1.0))
def test_a_part_of_the_shingles_finds_what_all_of_them_find(given_texts, similarity):
    before = hits(*given_texts)
    assert [hit.passage for hit in merge_duplicates(before, similarity)] == by_all_pairs(before, similarity)


def by_all_pairs(before, similarity):
    kept = []
    for hit in before:
        words = re.findall(r"\w+", hit.passage.text.casefold())
        shingles = {tuple(words[n : n + 4]) for n in range(len(words) - 3)} if len(words) >= 8 else set()
        equal = any(words and words == other for _, other, _ in kept)
        alike = any(shingles and len(shingles & s) / len(shingles | s) >= similarity for _, _, s in kept)
        if not equal and not alike:
            kept.append((hit.passage, words, shingles))
    return [passage for passage, _, _ in kept]


@given(texts)
def test_distinct_gives_the_same_passages_and_ranks(given_texts):
    before = hits(*given_texts)
    assert [(h.passage, h.rank) for h in distinct(before)] == [(h.passage, h.rank) for h in merge_duplicates(before)]


def test_distinct_reads_no_further_than_it_is_asked():
    given_hits = iter(hits("one", "two", "three"))
    assert next(distinct(given_hits)).passage.text == "one"
    assert next(given_hits).passage.text == "two"
