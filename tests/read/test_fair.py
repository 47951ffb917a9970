"""The passages that the reader sees are split fairly over sources, within number and length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from medground.answering.rank.fuse import fair_split
from medground.values.document import Hit, Passage
from medground.values.source_description import SourceDescription
from medground.values.source_plan import QueryFound, SourceFound, SourceQuery


def hit(name: str, number: int, length: int = 40) -> Hit:
    text = f"{name} {number * 7919} says {number}".ljust(length, ".")[:length]
    passage = Passage(document_id=f"{name.upper()}:{number}", start=0, end=len(text), text=text)
    return Hit(passage=passage, ranker="bm25", rank=number, score=1.0, source=name)


def source(name: str, *queries: list[Hit]) -> SourceFound:
    description = SourceDescription(name=name, kind="book", about="It.", licence="none", origin="none")
    return SourceFound(description, "found", tuple(QueryFound(SourceQuery(text="q"), tuple(hits)) for hits in queries))


def ids(found: list[SourceFound], most: int = 20, each: int = 2, characters: int = 10_000) -> list[str]:
    return [one.passage.document_id for one in fair_split(found, most=most, each=each, characters=characters)]


def test_two_of_each_source_by_turns_and_then_the_best() -> None:
    many = source("a", [hit("a", n) for n in range(1, 11)])
    few = source("b", [hit("b", 1), hit("b", 2), hit("b", 3)])
    assert ids([many, few, source("c")], most=6) == ["A:1", "B:1", "A:2", "B:2", "A:3", "B:3"]
    assert ids([many, few], most=3, each=1) == ["A:1", "B:1", "A:2"]
    assert len(ids([many, few])) == 13


def test_what_several_queries_found_counts_more() -> None:
    asked = source("a", [hit("a", 1), hit("a", 2), hit("a", 3)], [hit("a", 3), hit("a", 4)])
    assert ids([asked])[0] == "A:3"


def test_a_passage_that_does_not_fit_makes_room_for_shorter_ones() -> None:
    found = [source("a", [hit("a", 1, 50), hit("a", 2, 90), hit("a", 3, 45)])]
    assert ids(found, characters=100) == ["A:1", "A:3"]


def test_the_same_text_of_two_sources_counts_once() -> None:
    one = hit("a", 1)
    other = one.model_copy(update={"passage": one.passage.model_copy(update={"document_id": "B:1"})})
    assert ids([source("a", [one]), source("b", [other])]) == ["A:1"]


COUNTS = st.lists(st.lists(st.integers(0, 12), max_size=3), max_size=5)


@given(COUNTS, st.integers(1, 20), st.integers(1, 3), st.integers(40, 900))
def test_no_source_is_crowded_out(counts: list[list[int]], most: int, each: int, characters: int) -> None:
    found = [
        source(chr(97 + place), *([hit(chr(97 + place), n) for n in range(1, count + 1)] for count in own))
        for place, own in enumerate(counts)
    ]
    taken = ids(found, most, each, characters)
    assert len(taken) == len(set(taken)) <= most
    assert 40 * len(taken) <= characters
    having = [one.source.name for one in found if one.passages]
    room = min(most, characters // 40)
    assert set(having[:room]) <= {identity[0].lower() for identity in taken}
