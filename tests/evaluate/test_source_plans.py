"""Plans of sources compared: what is evidence, lookups made once, equal numbers of passages, fair rivals."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medground.document import Hit, Passage, SourceKind
from medground.evaluate.base import Item
from medground.evaluate.source_plans.compared import difference, mean_of, outcome, share_out
from medground.evaluate.source_plans.gold import covered, gold_of, named, seen_in
from medground.evaluate.source_plans.looked_up import Passed, Row, append_row, look_up, read_rows
from medground.evaluate.source_plans.strategies import ALL, KEYLESS, ORIGINAL, RANDOM, SEEDS, strategies
from medground.operators.keyless.planning import Sought
from medground.question import Option, Question

SOURCES: list[tuple[str, SourceKind]] = [
    ("book", "book"),
    ("guideline", "guideline"),
    ("research", "research"),
    ("wiki", "wiki"),
    ("graph", "graph"),
]
STUDY = Item(
    id="q1",
    question=Question(text="Does aspirin reduce the risk of stroke?", task="yes-no-maybe"),
    gold=("yes",),
    reference="Aspirin lowered the incidence of ischaemic events.",
    documents=("PMID:1",),
)
LISTED = Item(
    id="q2",
    question=Question(text="Which drugs inhibit BRAF?", task="free"),
    reference="Vemurafenib and dabrafenib.",
    extra={"exact": [["Vemurafenib", "PLX4032"], ["dabrafenib"]]},
)
CHOICE = Item(
    id="q3",
    question=Question(
        text="Which drug lowers urate?",
        task="single-choice",
        options=(Option(letter="A", text="Allopurinol"), Option(letter="B", text="Aspirin")),
    ),
    gold=("A",),
)


def a_hit(document: str, text: str, rank: int = 1) -> Hit:
    passage = Passage(document_id=document, start=0, end=len(text), text=text, kind="research")
    return Hit(passage=passage, ranker="rrf", rank=rank, score=1.0 / rank, source="s")


def test_the_words_of_an_answer_are_those_that_the_question_does_not_give_away() -> None:
    gold = gold_of(STUDY)
    assert gold.documents == {"PMID:1"}
    assert not {"aspirin", "risk", "stroke"} & set(gold.terms)
    assert gold.exact == ()  # yes and no name nothing
    seen = seen_in("Fewer ischaemic events were seen.", gold)
    share = covered(gold, seen.terms)
    assert share is not None and 0 < share < 1
    assert covered(gold, (1 << len(gold.terms)) - 1) == pytest.approx(1.0)
    decided = gold_of(STUDY.model_copy(update={"reference": "", "documents": ()}))
    assert not decided.any
    assert covered(decided, 0) is None


def test_exact_answers_are_named_by_any_of_their_names() -> None:
    gold = gold_of(LISTED)
    assert gold.exact == (("vemurafenib", "plx4032"), ("dabrafenib",))
    assert named(gold, seen_in("PLX4032 was given.", gold).exact) == 0.5
    assert named(gold, seen_in("Dabrafenib and vemurafenib.", gold).exact) == 1.0
    assert named(gold, seen_in("Vemurafenibum.", gold).exact) == 0.0
    assert gold_of(CHOICE).exact == (("allopurinol",),)


NAME = st.text(max_size=20)


@given(NAME | st.lists(NAME | st.lists(NAME)), st.text(max_size=80))
def test_a_share_is_a_share(exact: Any, text: str) -> None:
    gold = gold_of(LISTED.model_copy(update={"extra": {"exact": exact}}))
    found = seen_in(text, gold)
    for share in (covered(gold, found.terms), named(gold, found.exact)):
        assert share is None or 0 <= share <= 1


def test_lookups_are_made_once_and_kept(tmp_path: Path) -> None:
    asked: list[Sought] = []

    async def search(sought: Sought) -> Sequence[Hit]:
        asked.append(sought)
        return [a_hit("PMID:1", "Fewer ischaemic events were seen.")]

    path, gold = tmp_path / "rows.jsonl", gold_of(STUDY)
    wanted = [Sought("research", "aspirin"), Sought("graph", "risk", "Aspirin"), Sought("research", "aspirin")]
    row = asyncio.run(look_up(Row(dataset="pubmedqa", id="q1", has_paper=True), wanted, gold, search))
    append_row(row, path)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"dataset": "pubmedqa", "id": "q9", "loo')
    (again,) = read_rows(path).values()
    assert again == row
    more = asyncio.run(look_up(again, [*wanted, Sought("book", "aspirin")], gold, search))
    assert [one.source for one in asked] == ["research", "graph", "book"]
    append_row(more, path)
    assert len(read_rows(path)["pubmedqa", "q1"].lookups) == 3
    assert read_rows(tmp_path / "none.jsonl") == {}


def test_an_outcome_by_hand() -> None:
    async def search(sought: Sought) -> Sequence[Hit]:
        if sought.source == "book":
            return [a_hit("BOOK:1", "Ischaemic events are common.")]
        return [a_hit("PMID:1", "Incidence was lowered."), a_hit("PMID:2", "Nothing.", rank=2)]

    gold, book, research = gold_of(STUDY), Sought("book", "aspirin"), Sought("research", "aspirin")
    row = asyncio.run(look_up(Row(dataset="pubmedqa", id="q1", has_paper=True), [book, research], gold, search))
    both, one = outcome(row, [book, research], gold), outcome(row, [book], gold)
    assert (both.lookups, both.paper, one.lookups, one.paper) == (2, 1.0, 1, 0.0)
    assert both.words == pytest.approx(1.0)
    without = outcome(row, [book, research], gold, own=False)
    assert without.paper is None  # nothing to find any more
    assert without.words == one.words
    assert outcome(row.model_copy(update={"has_paper": False}), [book], gold).paper is None
    assert outcome(row, [], gold).words == 0.0


PASSAGES = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8), max_size=4)


@given(PASSAGES, st.integers(1, 12))
def test_passages_are_shared_out_fairly(lists: list[list[str]], most: int) -> None:
    found = [[Passed(key=key, document=key, size=1) for key in one] for one in lists]
    chosen = [passage.key for passage in share_out(found, most)]
    assert len(chosen) == len(set(chosen)) == min(most, len({key for one in lists for key in one}))
    firsts = list(dict.fromkeys(one[0] for one in lists if one))
    assert chosen[: len(firsts)] == firsts[:most]  # every lookup gives its best before any gives its second


def test_rivals_are_fair() -> None:
    plans = strategies(STUDY, SOURCES)
    assert {one.source for one in plans[ALL]} >= {"book", "guideline", "research", "wiki"}
    assert {one.text for one in plans[ORIGINAL]} == {STUDY.question.text}
    assert sum(one.source == "graph" for one in plans[ORIGINAL]) <= 3
    assert 1 <= len(plans[KEYLESS]) <= len(plans[ORIGINAL]) // 2
    for seed in range(SEEDS):
        drawn = plans[f"{RANDOM}{seed}"]
        assert set(drawn) <= set(plans[ALL])
        assert len({one.source for one in drawn}) <= 2
        assert strategies(STUDY, SOURCES)[f"{RANDOM}{seed}"] == drawn
    assert all(one.source != "book" for one in plans["keyless planner without book"])


def test_means_and_paired_differences() -> None:
    found: Any = mean_of([1.0, 0.0, None, 1.0])
    assert (found.of, found.value) == (3, pytest.approx(2 / 3))
    assert found.low <= found.value <= found.high
    assert mean_of([None]) is None
    paired: Any = difference([0.0, 0.0, None], [1.0, 1.0, 1.0])
    assert (paired.value, paired.low, paired.high) == (1.0, 1.0, 1.0)
