"""Labels become plans (Omni-RAG, section 4.2.3), and plans a training set: prompts, licences, what is refused."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from medground.errors import BadDocument, ConfigError, UsageError
from medground.recipes.omni_rag.operators import plan_sources_tagged
from medground.recipes.omni_rag.planners import planning_input
from medground.recipes.omni_rag.read_plan import read_plan
from medground.values.question import Question
from medground.values.source_plan import SourceQuery
from medground_evaluate.planning import trainset
from medground_evaluate.planning.learn import train
from medground_evaluate.planning.work import Judged, JudgedQuery, Label, TrainItem

SOURCES = ("book", "research", "graph")
MakeJudged = Callable[..., object]
Write = Callable[..., Path]


def asked(name: str = "1") -> TrainItem:
    return TrainItem(id=name, text="Does aspirin reduce stroke?", task="yes-no-maybe", gold=("yes",), answer="yes")


def judged(labels: dict[str, str], name: str = "1") -> Judged:
    """`{"book": "+-?"}`: a positive, a negative and a failed query of the book."""
    label_of: dict[str, Label] = {"+": "positive", "-": "negative", "?": "failed"}
    queries = [
        JudgedQuery(source=source, query=SourceQuery(text=f"{source} {number}"), label=label_of[mark])
        for source, marks in labels.items()
        for number, mark in enumerate(marks)
    ]
    return Judged(question=asked(name), queries=tuple(queries))


def test_plans_of_labelled_queries() -> None:
    ((one,), _) = trainset.training_plans([judged({"book": "++-", "research": "--", "graph": "?+"})])
    assert one.positive and one.negative
    assert {name: len(queries) for name, queries in one.positive.queries.items()} == {"book": 2, "graph": 1}
    assert {name: len(queries) for name, queries in one.negative.queries.items()} == {"book": 1, "research": 2}

    many = [judged({"book": "++++++"}, str(n)) for n in range(30)]
    drawn = [[q.text for _, q in one.positive] for one in trainset.training_plans(many, seed=1)[0]]
    assert all(len(texts) == 3 and texts == sorted(texts) for texts in drawn)
    assert len({tuple(texts) for texts in drawn}) > 5
    assert drawn == [[q.text for _, q in one.positive] for one in trainset.training_plans(many, seed=1)[0]]
    alone = trainset.training_plans(many[7:8], seed=1)[0][0]
    assert [q.text for _, q in alone.positive] == drawn[7], "a question's plans do not depend on the other questions"

    planned, dropped = trainset.training_plans([judged({"book": "--"}), judged({}, "2"), judged({"book": "+"}, "3")])
    assert [one.question.id for one in planned] == ["3"]
    assert dropped == {trainset.NO_SOURCE_HELPS: 1, trainset.NO_QUERIES: 1}
    assert planned[0].negative is None, "such a question is not used for preferences"


@given(st.dictionaries(st.sampled_from(SOURCES), st.text("+-?", max_size=8)), st.integers(0, 5))
def test_plans_hold_at_most_three_queries_of_their_label(labels: dict[str, str], seed: int):
    one = judged(labels)
    label_of = {(q.source, q.query): q.label for q in one.queries}
    for planned in trainset.training_plans([one], seed=seed)[0]:
        for plan, label in ((planned.positive, "positive"), (planned.negative, "negative")):
            if plan is not None:
                assert all(1 <= len(queries) <= 3 for queries in plan.queries.values())
                assert {label_of[place] for place in plan} == {label}


def test_a_training_set_has_plans_pairs_and_licences(judged_file: Write, a_judged_question: MakeJudged, tmp_path: Path):
    lines = [a_judged_question(0), a_judged_question(1, negative=False), a_judged_question(2, positive=False)]
    made = trainset.export([judged_file(*lines)], tmp_path / "set")
    assert made.counts == {"positive": 2, "negative": 1, "pairs": 1}
    assert made.dropped == {"no source helps: no positive query": 1}
    assert [source.licence for source in trainset.read_manifest(tmp_path / "set")[0].sources] == ["CC BY 4.0", "CC0"]
    (pair,) = trainset.read_examples(tmp_path / "set", "pairs")
    assert pair["chosen"][0]["content"] == "<book> zinc gout </book>\n<graph> </graph>"
    assert pair["rejected"][0]["content"] == "<book> </book>\n<graph> zinc , gout prevention </graph>"
    for example in trainset.read_examples(tmp_path / "set", "positive"):
        read = read_plan(example["completion"][0]["content"], made.sources)
        assert not read.repairs and list(read.plan.queries) == ["book"]
    several = [judged_file(a_judged_question(n), name=f"{n}.jsonl") for n in (0, 3)]  # a file for each data set
    both = trainset.export(several, tmp_path / "both", without=["graph"])
    assert both.counts == {"positive": 2, "negative": 0, "pairs": 0} and [one.name for one in both.sources] == ["book"]
    refused(UsageError, "choose from the sources book", trainset.export, several, tmp_path / "x", without=["wiki"])
    first = trainset.read_examples(tmp_path / "set", "positive")[0]  # asked as the planner is
    value = planning_input(Question.ask("Does zinc prevent gout?"), made.sources, 3)
    assert [message["content"] for message in first["prompt"]] == [
        plan_sources_tagged.instructions,
        plan_sources_tagged.prompt(value),
    ]


def test_the_same_seed_writes_the_same_files_and_a_ratio_takes_a_share(judged_file: Write, tmp_path: Path):
    judged = judged_file()
    trainset.export([judged], tmp_path / "one", seed=3)
    trainset.export([judged], tmp_path / "two", seed=3)
    for name in ("sft.jsonl", "sft-negative.jsonl", "dpo.jsonl", "manifest.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    whole = trainset.read_examples(tmp_path / "one", "positive")
    half = trainset.read_examples(tmp_path / "one", "positive", ratio=0.5, seed=1)
    assert len(half) == 3 and all(example in whole for example in half)
    with pytest.raises(UsageError, match="a data ratio of 0 is not possible"):
        trainset.read_examples(tmp_path / "one", "positive", ratio=0)


def test_a_set_without_a_positive_plan_or_without_pairs_is_refused(
    judged_file: Write, a_judged_question: MakeJudged, tmp_path: Path
):
    nothing = judged_file(a_judged_question(0, positive=False), name="nothing.jsonl")
    with pytest.raises(UsageError, match=r"no positive plan to learn from \(1 no source helps"):
        trainset.export([nothing], tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()
    trainset.export([judged_file(a_judged_question(0, negative=False))], tmp_path / "set")
    with pytest.raises(UsageError, match="no pair of a positive and a negative plan"):
        trainset.read_examples(tmp_path / "set", "pairs")
    with pytest.raises(UsageError, match="no negative plan"):
        train(tmp_path / "set", tmp_path / "out", trainset.SFT.model_copy(update={"which": "negative"}), base="x")


def test_what_is_no_training_set_and_a_missing_extra_are_one_line(
    judged_file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    trainset.export([judged_file()], tmp_path / "set")
    refused(UsageError, "is not empty", trainset.export, tmp_path / "judged.jsonl", tmp_path)
    (tmp_path / "set" / "sft.jsonl").write_text("{}\nnot json\n")
    refused(BadDocument, r"sft\.jsonl:2", trainset.read_examples, tmp_path / "set", "positive")
    (tmp_path / "set" / "manifest.json").write_text(json.dumps({"form": "other"}))
    refused(BadDocument, "not the manifest", trainset.read_manifest, tmp_path / "set")
    trainset.export([judged_file()], tmp_path / "whole")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ConfigError, match=r'needs the extra "train" \(torch is missing\); run: pip install'):
        train(tmp_path / "whole", tmp_path / "out", trainset.SFT, base="x")
