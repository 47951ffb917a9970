"""Searching a plan: each query in its source, and the state of every source."""

from __future__ import annotations

import asyncio
from typing import Any

from five_sources import QUESTION, MakeRun, five

from medground.answering.run import Run
from medground.recipes.omni_rag.search import not_configured, plannable, search_plan
from medground.values.document import Document
from medground.values.source_plan import SourceFound, SourcePlan, SourceQuery

EYES = SourceQuery(text="Marfan syndrome eye problem lens")
PLAN = SourcePlan(
    queries={
        "book": (EYES, SourceQuery(text="connective tissue")),
        "wiki": (SourceQuery(text="xyzzy"),),
        "research": (EYES,),
        "graph": (SourceQuery(term="Marfan syndrome", text="eye"), SourceQuery(term="Marfans", text="eye")),
    }
)


def searched(run: Run, plan: SourcePlan = PLAN) -> dict[str, SourceFound]:
    return {one.source.name: one for one in asyncio.run(search_plan(plan, run))}


def test_every_source_has_a_state_and_failures_stay_apart(make_run: MakeRun, memory_source: Any) -> None:
    sources = five(memory_source, without=["guideline"], fails=["research"])
    run = make_run(QUESTION, sources)
    found = searched(run)
    states = {"book": "found", "research": "failed", "wiki": "empty", "graph": "found", "guideline": "not configured"}
    assert {name: one.state for name, one in found.items()} == states
    assert searched(make_run(QUESTION, sources), SourcePlan())["book"].state == "not asked"
    assert [len(query.hits) for query in found["graph"].queries] == [3, 0]
    assert any("corpus:omni.research could not be searched" in warning for warning in run.warnings)
    nodes = {"book 1", "book 2", "wiki 1", "research 1", "graph 1", "graph 2"}
    assert {search.node for search in run.searches} == nodes

    kinds = ["book", "guideline", "research", "wiki"]
    run = make_run(QUESTION, five(memory_source, without=["graph"], fails=kinds))
    found = searched(run, SourcePlan(queries=dict.fromkeys(kinds, (EYES,))))
    assert {one.state for name, one in found.items() if name != "graph"} == {"failed"}
    assert [search.status for search in run.searches] == ["failed"] * 4


def test_retracted_papers_are_left_out_and_depths_are_kept(make_run: MakeRun, memory_source: Any) -> None:
    run = make_run(QUESTION, five(memory_source))
    hits = searched(run)["research"].queries[0].hits
    assert [hit.passage.document_id for hit in hits] == ["PMID:1"]
    assert any("PMID:9" in warning for warning in run.warnings)
    many = [
        Document(id=f"PMID:{n}", title=f"Eye {n}", text=f"Marfan syndrome eye {n * 7919} lens {n}.") for n in range(40)
    ]
    run = make_run(QUESTION, [memory_source(many, name="corpus:papers")])
    found = searched(run, SourcePlan(queries={"papers": (EYES,)}))
    assert [hit.rank for hit in found["papers"].queries[0].hits] == list(range(1, 11))
    assert run.searches[0].hits == 20


def test_what_may_be_planned_and_two_sources_of_one_name_are_one(make_run: MakeRun, memory_source: Any) -> None:
    def names(**options: Any) -> tuple[list[str], list[str]]:
        run = make_run(QUESTION, sources, options={f"omni_rag.{name}": value for name, value in options.items()})
        return [one.name for one in plannable(run)], [one.name for one in not_configured(run)]

    sources = five(memory_source, without=["wiki"])
    assert names() == (["book", "guideline", "research", "graph"], ["wiki"])
    assert names(without="book,graph") == (["guideline", "research"], ["wiki"])
    assert names(without="wiki")[1] == []
    assert names(only="book") == (["book"], [])
    assert names(only="wiki") == ([], ["wiki"])
    sources = [memory_source([], name="corpus:My papers 2")]
    assert names() == (["my-papers"], [])
    sources = []
    assert names() == ([], ["book", "guideline", "research", "wiki", "graph"])

    one, *_ = five(memory_source)
    other, *_ = five(memory_source)
    other.name = "corpus:more.book"
    run = make_run(QUESTION, [one, other])
    assert [described.name for described in plannable(run)] == ["book"]
    searched(run, SourcePlan(queries={"book": (EYES,)}))
    assert [search.source for search in run.searches] == ["corpus:omni.book", "corpus:more.book"]
