"""A plan of research: carried out with all its tools, and read from a file."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row, tables

import medground.recipes.biomedsearch.recipe as recipe
from medground.answering.conclude.compose import compose, unanswered
from medground.answering.run import Run
from medground.errors import NotConfigured, SourceUnavailable, UsageError
from medground.recipes.biomedsearch.recipe import BIOMEDSEARCH, biomedsearch
from medground.values import research_plan
from medground.values.answer import Answer
from medground.values.lookup import Lookup
from medground.values.report import FlowRow, SubFound, ToolFound
from medground.values.steps import Step, SubQuestionBegun, SubQuestionDone, WritingReport

TABLES = tables(__file__)

TURN = 0.02
QUESTION = "Effects of cyp17a1 knockout on zebrafish?"
DIAMOND = (("q1", "q2"), ("q1", "q3"), ("q2", "q4"), ("q3", "q4"))


def plan_of(
    edges: Sequence[tuple[str, str]], count: int, tools: tuple[research_plan.Tool, ...] = ("literature",)
) -> research_plan.ResearchPlan:
    """A plan of sub-questions q1, q2, ... with one keyword each, ordered by edges."""
    ids = [f"q{n}" for n in range(1, count + 1)]
    return research_plan.ResearchPlan(
        question=QUESTION,
        subquestions=tuple(research_plan.SubQuestion(id=i, text=f"About {i}?", keywords=(f"k{i}",)) for i in ids),
        keywords=tuple(research_plan.Keyword(name=f"k{i}", tools=tools) for i in ids),
        edges=tuple(research_plan.Edge(before=f"k{a}", after=f"k{b}") for a, b in edges),
    )


class Tools:
    """Tools that take a while, write down when they begin and end, and name what they found."""

    def __init__(
        self,
        fails: dict[str, Exception] | None = None,
        turns: dict[str, int] | None = None,
        closed: Sequence[research_plan.Tool] = (),
    ) -> None:
        self.log: list[str] = []
        self.names: dict[str, tuple[str, ...]] = {}
        self._fails, self._turns, self._closed = fails or {}, turns or {}, closed

    def of(self, tool: research_plan.Tool) -> Callable[..., Any]:
        async def find(
            one: research_plan.SubQuestion, plan: research_plan.ResearchPlan, run: Run, names: Sequence[str] = ()
        ) -> ToolFound:
            node = f"{one.id} {tool}"
            self.names[node] = tuple(names)
            self.log.append(f"begin {node}")
            await asyncio.sleep(TURN * self._turns.get(one.id, 1))
            self.log.append(f"end {node}")
            if error := self._fails.get(node) or self._fails.get(tool):
                raise error
            flow = FlowRow(subquestion=one.id, tool=tool)
            if tool in self._closed:
                return ToolFound(tool, "not configured", flow)
            return ToolFound(tool, "empty", flow, names=(f"{one.id}-name",) if tool == "literature" else ("both",))

        return find

    def before(self, first: str, second: str) -> bool:
        return self.log.index(first) < self.log.index(second)


Research = Callable[..., tuple[Tools, Run]]
ALL: tuple[research_plan.Tool, ...] = ("literature", "protein", "web")


@pytest.fixture
def research(make_run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> Research:
    """Follows a plan, unless it is only to be set up, with tools of the test; the report is empty."""

    async def write(plan: research_plan.ResearchPlan, found: Sequence[SubFound], run: Run, **more: Any) -> Answer:
        return compose(run, unanswered("nothing"))

    def follow(plan: research_plan.ResearchPlan, *, only_set_up: bool = False, **more: Any) -> tuple[Tools, Run]:
        tools = Tools(more.pop("fails", None), more.pop("turns", None), more.pop("closed", ()))
        monkeypatch.setattr(recipe, "FIND", {tool: tools.of(tool) for tool in ALL})
        monkeypatch.setattr(recipe, "write_report", write)
        run = make_run(QUESTION, recipe=BIOMEDSEARCH, **more)
        run.question = run.question.model_copy(update={"plan": plan})
        if not only_set_up:
            asyncio.run(searched(run))
        return tools, run

    return follow


async def searched(run: Run) -> Answer:
    return await biomedsearch(run.question, run)


def test_a_sub_question_begins_as_soon_as_those_before_it_are_done(research: Research) -> None:
    edges = (*DIAMOND, ("q2", "q5"))
    tools, _ = research(plan_of(edges, 5), turns={"q3": 50})
    for before, after in edges:
        assert tools.before(f"end {before} literature", f"begin {after} literature")
    assert tools.before("begin q5 literature", "end q3 literature"), "q5 does not wait for q3"
    assert tools.names["q4 literature"] == ("q2-name", "q3-name")
    assert tools.names["q5 literature"] == ("q2-name",)
    assert tools.names["q1 literature"] == ()


def test_all_tools_of_a_sub_question_are_used_at_once_and_none_twice(research: Research) -> None:
    steps: list[Step] = []
    tools, _ = research(plan_of((("q1", "q2"),), 2, ALL), on_step=steps.append)
    assert [line.split()[0] for line in tools.log] == ["begin"] * 3 + ["end"] * 3 + ["begin"] * 3 + ["end"] * 3
    assert tools.names["q2 web"] == ("q1-name", "both")
    assert [(one.id, one.tools) for one in steps if isinstance(one, SubQuestionBegun)] == [("q1", ALL), ("q2", ALL)]
    kinds = [type(step) for step in steps]
    assert WritingReport in kinds
    assert kinds.count(SubQuestionDone) == 2


@each_row(
    ("planned", "allowed", "used"),
    [
        (("literature", "web"), "web", {"web"}),
        (("literature", "web"), "web,protein", {"web"}),
        (("literature",), "protein,web", {"protein", "web"}),  # none of its own is left
    ],
)
def test_only_the_tools_of_the_settings_are_used(
    research: Research, planned: tuple[research_plan.Tool, ...], allowed: str, used: set[str]
) -> None:
    tools, _ = research(plan_of((), 2, planned), options={"biomedsearch.tools": allowed})
    assert {line.split()[2] for line in tools.log} == used


def test_a_plan_that_asks_for_nothing_that_is_open_asks_the_other_tools(research: Research) -> None:
    tools, _ = research(plan_of((), 1, ("protein",)), closed=("protein",))
    assert [line.split()[2] for line in tools.log if line.startswith("begin")] == ["protein", "literature", "web"]
    tools, _ = research(plan_of((), 1, ("protein", "web")), closed=("protein",))
    assert [line.split()[2] for line in tools.log if line.startswith("begin")] == ["protein", "web"], "one is open"


def test_a_source_that_fails_takes_nothing_else_with_it_unless_all_do(research: Research) -> None:
    down = SourceUnavailable("no answer", source="europepmc")
    keyless = NotConfigured("no key; set keys.brave", source="brave")
    tools, run = research(plan_of((("q1", "q2"),), 2, ALL), fails={"literature": down, "q1 web": keyless})
    assert len(tools.log) == 12
    assert run.research is not None
    states = {key: one.state for key, one in run.research.found.items()}
    assert states["q1", "literature"] == states["q1", "web"] == "failed"
    assert run.research.found["q2", "literature"].failures == ("europepmc: no answer",)
    assert tools.names["q2 web"] == ("both",)

    with pytest.raises(SourceUnavailable, match="no source could be searched: europepmc: no answer; brave: no key; se"):
        research(plan_of((), 2, ("literature", "web")), fails={"literature": down, "web": keyless})


def test_what_is_under_way_ends_with_the_run_and_without_a_plan_nothing_is_written(research: Research) -> None:
    fault = {"q1 literature": KeyError("a fault of the program")}
    tools, run = research(plan_of((("q1", "q3"),), 3), fails=fault, turns={"q2": 50}, only_set_up=True)

    async def work() -> None:
        with pytest.raises(KeyError):
            await searched(run)
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(work())
    assert "end q2 literature" not in tools.log
    assert "begin q3 literature" not in tools.log

    run.research = None
    answer = asyncio.run(BIOMEDSEARCH.so_far(run, "stopped here"))
    assert answer.stopped == "stopped here"
    assert answer.report is None


def test_a_host_that_cannot_be_reached_is_asked_once(make_run: Callable[..., Run], memory_source: type[Any]) -> None:
    class Unreachable(memory_source):  # type: ignore[misc]
        searches = 0

        async def search(self, lookup: Any, filters: Any) -> Any:
            self.searches += 1
            return await super().search(lookup, filters)

    source = Unreachable([], fails=SourceUnavailable("the connection failed", source="x", last_status="ConnectError"))
    run = make_run(QUESTION, [source], recipe=BIOMEDSEARCH)
    for words in ("one", "two"):
        with pytest.raises(SourceUnavailable, match="the connection failed"):
            asyncio.run(run.look_up(Lookup.words(words)))
    assert source.searches == 1
    assert [search.status for search in run.searches] == ["failed", "failed"]


PLAN = research_plan.ResearchPlan.model_validate(TABLES["plan"])

Edit = Callable[[dict[str, Any]], object]


def edited(change: Edit) -> str:
    said = json.loads(PLAN.model_dump_json())
    change(said)
    return json.dumps(said)


def test_a_plan_comes_back_and_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(PLAN.model_dump_json(indent=2), encoding="utf-8-sig")
    assert research_plan.read_plan_file(file) == PLAN

    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            research_plan.read_plan_file(path)


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
        (lambda p: p.update(subquestions={}), "it is not a research plan; make a ResearchPlan"),
    ],
)
def test_what_is_wrong_is_told_by_its_place(change: Edit, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        research_plan.read_plan(edited(change))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@each_row(
    ("content", "message"),
    [
        (b"", "line 1, column 1 is not JSON"),
        (b'{"question": "x",}', "is not JSON"),
        (b"\xff\xfe{}", "byte 0 is not UTF-8; save the file as UTF-8"),
        (b"[" * 200_000, "make a ResearchPlan"),
        (b" " * (research_plan.MOST_BYTES + 1), "a plan has at most 1,000,000"),
    ],
)
def test_files_that_are_no_plan(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(content)
    with pytest.raises(UsageError) as refused:
        research_plan.read_plan_file(file)
    assert str(refused.value).startswith(f"{file}: ")
    assert message in str(refused.value)


@settings(max_examples=25)
@given(st.text(max_size=60) | st.recursive(st.none() | st.floats() | st.text(max_size=9), st.lists).map(json.dumps))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        research_plan.read_plan(text)
    assert "\n" not in str(refused.value)
