"""The schedule of BioMedSearch: what waits for what, what a failure costs, and what a limit leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from rows import each_row

import medground.recipes.biomedsearch.recipe as recipe
from medground.answering.conclude.compose import compose, unanswered
from medground.answering.run import Run
from medground.errors import NotConfigured, SourceUnavailable
from medground.recipes.biomedsearch.recipe import BIOMEDSEARCH, biomedsearch
from medground.values.answer import Answer
from medground.values.lookup import Found, Lookup
from medground.values.query import Filters
from medground.values.question import Question
from medground.values.report import FlowRow
from medground.values.research_found import SubFound, ToolFound
from medground.values.research_plan import Edge, Keyword, ResearchPlan, SubQuestion, Tool
from medground.values.steps import Step, SubQuestionBegun, SubQuestionDone, WritingReport

TURN = 0.02
QUESTION = "Effects of cyp17a1 knockout on zebrafish?"
DIAMOND = (("q1", "q2"), ("q1", "q3"), ("q2", "q4"), ("q3", "q4"))


def plan_of(edges: Sequence[tuple[str, str]], count: int, tools: tuple[Tool, ...] = ("literature",)) -> ResearchPlan:
    """A plan of sub-questions q1, q2, ... with one keyword each, ordered by edges."""
    ids = [f"q{n}" for n in range(1, count + 1)]
    return ResearchPlan(
        question=QUESTION,
        subquestions=tuple(SubQuestion(id=i, text=f"About {i}?", keywords=(f"k{i}",)) for i in ids),
        keywords=tuple(Keyword(name=f"k{i}", tools=tools) for i in ids),
        edges=tuple(Edge(before=f"k{a}", after=f"k{b}") for a, b in edges),
    )


class Tools:
    """Tools that take a while, write down when they begin and end, and name what they found."""

    def __init__(self, fails: dict[str, Exception] | None = None, turns: dict[str, int] | None = None) -> None:
        self.log: list[str] = []
        self.names: dict[str, tuple[str, ...]] = {}
        self._fails, self._turns = fails or {}, turns or {}

    def of(self, tool: Tool) -> Callable[..., Any]:
        async def find(one: SubQuestion, plan: ResearchPlan, run: Run, names: Sequence[str] = ()) -> ToolFound:
            node = f"{one.id} {tool}"
            self.names[node] = tuple(names)
            self.log.append(f"begin {node}")
            await asyncio.sleep(TURN * self._turns.get(one.id, 1))
            self.log.append(f"end {node}")
            if error := self._fails.get(node) or self._fails.get(tool):
                raise error
            flow = FlowRow(subquestion=one.id, tool=tool)
            return ToolFound(tool, "empty", flow, names=(f"{one.id}-name",) if tool == "literature" else ("both",))

        return find

    def before(self, first: str, second: str) -> bool:
        return self.log.index(first) < self.log.index(second)


@pytest.fixture
def with_tools(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Tools]:
    """Puts tools of the test in place of the real ones; the report is empty."""
    written: list[Sequence[SubFound]] = []

    async def write(plan: ResearchPlan, found: Sequence[SubFound], run: Run) -> Answer:
        written.append(found)
        return compose(run, unanswered("nothing"))

    def put(**chosen: Any) -> Tools:
        tools = Tools(**chosen)
        monkeypatch.setattr(recipe, "FIND", {tool: tools.of(tool) for tool in recipe.FIND})
        monkeypatch.setattr(recipe, "write_report", write)
        return tools

    return put


def run_of(make_run: Callable[..., Run], plan: ResearchPlan, **more: Any) -> Run:
    run = make_run(QUESTION, recipe=BIOMEDSEARCH, **more)
    run.question = Question.ask(QUESTION).model_copy(update={"plan": plan})
    return run


async def searched(run: Run) -> Answer:
    return await biomedsearch(run.question, run)


def test_a_sub_question_begins_as_soon_as_those_before_it_are_done(
    make_run: Callable[..., Run], with_tools: Callable[..., Tools]
) -> None:
    tools = with_tools(turns={"q3": 4})
    edges = (*DIAMOND, ("q2", "q5"))
    asyncio.run(searched(run_of(make_run, plan_of(edges, 5))))
    for before, after in edges:
        assert tools.before(f"end {before} literature", f"begin {after} literature")
    assert tools.before("begin q5 literature", "end q3 literature"), "q5 does not wait for q3"
    assert tools.names["q4 literature"] == ("q2-name", "q3-name")
    assert tools.names["q5 literature"] == ("q2-name",)
    assert tools.names["q1 literature"] == ()


def test_all_tools_of_a_sub_question_are_used_at_once_and_none_twice(
    make_run: Callable[..., Run], with_tools: Callable[..., Tools]
) -> None:
    tools = with_tools()
    steps: list[Step] = []
    run = run_of(make_run, plan_of((("q1", "q2"),), 2, ("literature", "protein", "web")), on_step=steps.append)
    asyncio.run(searched(run))
    assert [line.split()[0] for line in tools.log] == ["begin"] * 3 + ["end"] * 3 + ["begin"] * 3 + ["end"] * 3
    assert tools.names["q2 web"] == ("q1-name", "both")
    begun = [step for step in steps if isinstance(step, SubQuestionBegun)]
    assert [(step.id, step.tools) for step in begun] == [
        ("q1", ("literature", "protein", "web")),
        ("q2", ("literature", "protein", "web")),
    ]
    kinds = [type(step) for step in steps]
    assert kinds[-1] is WritingReport or WritingReport in kinds
    assert kinds.count(SubQuestionDone) == 2


@each_row("tools", ["web", "web,protein"])
def test_only_the_tools_of_the_settings_are_used(
    make_run: Callable[..., Run], with_tools: Callable[..., Tools], tools: str
) -> None:
    used = with_tools()
    plan = plan_of((), 2, ("literature", "web"))
    asyncio.run(searched(run_of(make_run, plan, options={"biomedsearch.tools": tools})))
    assert {line.split()[2] for line in used.log} == {"web"}


def test_a_plan_for_tools_that_are_left_out_is_searched_with_the_others(
    make_run: Callable[..., Run], with_tools: Callable[..., Tools]
) -> None:
    used = with_tools()
    asyncio.run(searched(run_of(make_run, plan_of((), 1), options={"biomedsearch.tools": "protein,web"})))
    assert {line.split()[2] for line in used.log} == {"protein", "web"}


def test_a_source_that_fails_takes_nothing_else_with_it(
    make_run: Callable[..., Run], with_tools: Callable[..., Tools]
) -> None:
    down = SourceUnavailable("no answer", source="europepmc")
    tools = with_tools(fails={"literature": down, "q1 web": NotConfigured("no key", source="brave")})
    run = run_of(make_run, plan_of((("q1", "q2"),), 2, ("literature", "protein", "web")))
    asyncio.run(searched(run))
    assert len(tools.log) == 12
    assert run.research is not None
    states = {key: one.state for key, one in run.research.found.items()}
    assert states["q1", "literature"] == states["q1", "web"] == "failed"
    assert run.research.found["q2", "literature"].failures == ("europepmc: no answer",)
    assert tools.names["q2 web"] == ("both",)


def test_where_every_tool_fails_the_run_fails_and_names_them(
    make_run: Callable[..., Run], with_tools: Callable[..., Tools]
) -> None:
    with_tools(
        fails={
            "literature": SourceUnavailable("no answer", source="pubmed"),
            "web": NotConfigured("no key; set keys.brave", source="brave"),
        }
    )
    run = run_of(make_run, plan_of((), 2, ("literature", "web")))
    with pytest.raises(SourceUnavailable, match=r"no source could be searched: pubmed: no answer; brave: no key; set"):
        asyncio.run(searched(run))


def test_what_is_under_way_ends_with_the_run_and_without_a_plan_nothing_is_written(
    make_run: Callable[..., Run], with_tools: Callable[..., Tools]
) -> None:
    tools = with_tools(fails={"q1 literature": KeyError("a fault of the program")}, turns={"q2": 50})
    run = run_of(make_run, plan_of((("q1", "q3"),), 3))

    async def work() -> None:
        with pytest.raises(KeyError):
            await searched(run)
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(work())
    assert "end q2 literature" not in tools.log
    assert "begin q3 literature" not in tools.log

    answer = asyncio.run(BIOMEDSEARCH.so_far(make_run(QUESTION, recipe=BIOMEDSEARCH), "stopped here"))
    assert answer.stopped == "stopped here"
    assert answer.report is None


def test_a_host_that_cannot_be_reached_is_asked_once(make_run: Callable[..., Run], memory_source: type[Any]) -> None:
    class Unreachable(memory_source):  # type: ignore[misc]
        searches = 0

        async def search(self, lookup: Lookup, filters: Filters) -> Found:
            self.searches += 1
            raise SourceUnavailable("the connection failed", source=self.name, last_status="ConnectError")

    source = Unreachable([])
    run = make_run(QUESTION, [source], recipe=BIOMEDSEARCH)
    for words in ("one", "two"):
        with pytest.raises(SourceUnavailable, match="the connection failed"):
            asyncio.run(run.look_up(Lookup.words(words)))
    assert source.searches == 1
    assert [search.status for search in run.searches] == ["failed", "failed"]
