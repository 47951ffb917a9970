"""Plan files that a user edited: what was written comes back, and what is wrong is told in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.errors import UsageError
from medground.values.research_plan import (
    MOST_BYTES,
    Edge,
    Keyword,
    ResearchPlan,
    SubQuestion,
    read_plan,
    read_plan_file,
)

PLAN = ResearchPlan(
    question="What causes gout?",
    subquestions=(
        SubQuestion(id="q1", text="What causes gout?", dimension="cause", keywords=("gout", "cause")),
        SubQuestion(id="q2", text="How is gout treated?", keywords=("gout", "treatment")),
    ),
    keywords=(
        Keyword(name="gout", tools=("literature",)),
        Keyword(name="cause"),
        Keyword(name="treatment", tools=("literature", "web")),
    ),
    edges=(Edge(before="cause", after="treatment", weight=0.6),),
)

Edit = Callable[[dict[str, Any]], object]


def edited(change: Edit) -> str:
    said = json.loads(PLAN.model_dump_json())
    change(said)
    return json.dumps(said)


def test_a_plan_comes_back_and_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(PLAN.model_dump_json(indent=2), encoding="utf-8-sig")
    assert read_plan_file(file) == PLAN

    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            read_plan_file(path)


@each_row(
    ("change", "message"),
    [
        (lambda p: p["edges"].append({"before": "a", "after": "gout"}), "no keyword 'a'; add it to `keywords`"),
        (lambda p: p["edges"].append({"before": "treatment", "after": "cause"}), "a cycle: cause after treatment"),
        (lambda p: p["subquestions"][1].update(id="q1"), "'q1' is in the plan twice; give each its own name"),
        (lambda p: p["subquestions"][1].update(id="second"), 'subquestions[1].id is "second"; ids are q1, q2'),
        (lambda p: p["subquestions"][1].pop("text"), "subquestions[1].text is missing; add it"),
        (lambda p: p["keywords"][2].update(tools=["web", "fax"]), 'keywords[2].tools[1] is "fax"; use one of lit'),
        (lambda p: p["edges"][0].update(weight=7), "edges[0].weight is 7: input should be less than or equal to 1"),
        (lambda p: p.update(colour="red"), "colour is not part of a plan; remove it"),
        (lambda p: p["subquestions"].clear(), "`subquestions` is empty; a plan has at least one"),
        (lambda p: p.update(keywords=[{"name": f"k{n}"} for n in range(201)]), "`keywords` has 201 entries; a plan"),
        (lambda p: p.update(subquestions={}), "it is not a research plan; write one with medground plan --format json"),
    ],
)
def test_what_is_wrong_is_told_by_its_place(change: Edit, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_plan(edited(change))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@each_row(
    ("content", "message"),
    [
        (b"", "line 1, column 1 is not JSON"),
        (b'{"question": "x",}', "is not JSON"),
        (b"\xff\xfe{}", "byte 0 is not UTF-8; save the file as UTF-8"),
        (b"[" * 200_000, "write one with medground plan --format json"),
        (b" " * (MOST_BYTES + 1), "a plan has at most 1,000,000"),
    ],
)
def test_files_that_are_no_plan(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(content)
    with pytest.raises(UsageError) as refused:
        read_plan_file(file)
    assert str(refused.value).startswith(f"{file}: ")
    assert message in str(refused.value)


@settings(max_examples=25)
@given(st.text(max_size=60) | st.recursive(st.none() | st.floats() | st.text(max_size=9), st.lists).map(json.dumps))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_plan(text)
    assert "\n" not in str(refused.value)
