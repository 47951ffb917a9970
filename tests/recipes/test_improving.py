"""Reflexion and SeRTS with scripted models: when they stop, which plan they return, what they survive; the tree."""

import asyncio
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.answering.run import Run
from medground.errors import BudgetExhausted, ModelFailed, SourceUnavailable
from medground.recipes.omni_rag import improving
from medground.recipes.omni_rag.operators import PlannedQueries, PlannedQuery, PlanSourcesOutput
from medground.recipes.omni_rag.rating import ImprovePlanInput, RatePlanInput, RatePlanOutput
from medground.recipes.omni_rag.read_plan import read_plan
from medground.values.document import Document, SourceKind
from medground.values.question import Question
from medground.values.source_plan import SourceDescription, SourcePlan, SourceQuery
from medground.values.steps import PlanChosen, PlanRated, PlanRound, Step
from medground.wording.progress import in_words

TEXT = "Does metformin lower mortality in heart failure?"
QUESTION = Question.ask(TEXT)
DOCUMENTS = {
    "book": Document(id="B:1", title="Metformin", text="Metformin is a drug for diabetes.", kind="book"),
    "research": Document(id="PMID:1", title="A cohort", text="In heart failure, metformin lowered mortality."),
}
SOURCES = tuple(SourceDescription.of_kind(kind) for kind in ("book", "research"))
Planning = Callable[[Question, tuple[SourceDescription, ...], Run], Any]


@pytest.fixture
def shelves(memory_source: Any) -> Callable[..., list[Any]]:
    """Two sources, of a kind each; `fails` names one that cannot be searched."""

    def shelf(kind: SourceKind, fails: bool) -> Any:
        error = SourceUnavailable("it is closed today", source=kind) if fails else None
        made = memory_source([DOCUMENTS[kind]], name=f"corpus:{kind}", fails=error)
        made.kinds, made.described = frozenset([kind]), SourceDescription.of_kind(kind)
        return made

    return lambda *fails: [shelf(kind, kind in fails) for kind in DOCUMENTS]


def _typed(tagged: str) -> PlanSourcesOutput:
    """A plan in tags as a model's typed output."""
    plan = []
    for name, asked in read_plan(tagged, SOURCES).plan.queries.items():
        plan.append(PlannedQueries(source=name, queries=tuple(PlannedQuery(text=str(query)) for query in asked)))
    return PlanSourcesOutput(plan=tuple(plan))


class Script:
    """A planner that numbers its queries, and a rater that gives the scores in turn."""

    def __init__(self, scores: Sequence[int | Exception], plans: Sequence[str | Exception] = ()) -> None:
        self.feedback: list[ImprovePlanInput] = []
        self.rated: list[RatePlanInput] = []
        self._scores, self._plans = list(scores), list(plans)
        self.replies = {"improve_plan": self._plan, "rate_plan": self._rate}

    def _plan(self, value: ImprovePlanInput) -> PlanSourcesOutput | Exception:
        number = len(self.feedback)
        self.feedback.append(value)
        said = f"<book> metformin {number} </book> <research> metformin {number} ; heart failure {number} </research>"
        plan = self._plans[number] if number < len(self._plans) else said
        return plan if isinstance(plan, Exception) else _typed(plan)

    def _rate(self, value: RatePlanInput) -> RatePlanOutput | Exception:
        score = self._scores[len(self.rated)]
        self.rated.append(value)
        if isinstance(score, Exception):
            return score
        return RatePlanOutput(score=score, suggestion=f"Suggestion {len(self.rated)}.")


@pytest.fixture
def planned(make_run: Any, scripted_model: Any, shelves: Any) -> Callable[..., Any]:
    """Runs a planner: its plan, its run, its steps."""

    def plan(planner: Planning, script: Script, *fails: str, **more: Any) -> tuple[SourcePlan, Run, list[Step]]:
        steps: list[Step] = []
        model = scripted_model(script.replies)
        operators = ("improve_plan", "rate_plan")
        run = make_run(TEXT, shelves(*fails), model, operators, on_step=steps.append, **more)
        return asyncio.run(planner(QUESTION, SOURCES, run)).plan, run, steps

    return plan


def _books(plan: SourcePlan) -> str:
    return str(plan.queries["book"][0])


def _ended(steps: list[Step]) -> str:
    (chosen,) = [step for step in steps if isinstance(step, PlanChosen)]
    return chosen.ended


@each_row("planner", [improving.reflexion, improving.serts])
def test_the_best_score_ends_the_search(planned: Any, planner: Planning) -> None:
    plan, run, steps = planned(planner, Script([2, 5, 1]))
    assert _books(plan) == "metformin 1"
    assert [step.score for step in steps if isinstance(step, PlanRated)] == [2, 5]
    chosen = PlanChosen(number=2, rounds=2, ended="best score")
    assert [step for step in steps if isinstance(step, PlanChosen)] == [chosen]
    assert not run.warnings

    script = Script([1, 3, 2, 3, 0, 1, 2, 2, 4, 4])
    plan, _, steps = planned(planner, script)
    assert len(script.rated) == 8
    assert _books(plan) == "metformin 1"
    assert _ended(steps) == "most rounds"


def test_reflexion_has_all_feedback_and_of_equal_scores_the_plan_that_asks_less(planned: Any) -> None:
    plans = ["<book> a ; b ; c </book>", "<book> metformin </book>", "<book> metformin ; heart </book>"]
    plan, _, _ = planned(improving.reflexion, Script([3, 3, 3, 2, 2, 2, 2, 2], plans))
    assert _books(plan) == "metformin"

    script = Script([1, 2, 3, 5])
    _, _, steps = planned(improving.reflexion, script)
    last = script.feedback[-1]
    assert [(one.score, one.suggestion) for one in last.feedback] == [(n, f"Suggestion {n}.") for n in (1, 2, 3)]
    assert "metformin 2" in last.feedback[2].plan
    assert [step.parent for step in steps if isinstance(step, PlanRound)] == [0, 1, 2, 3]


def test_serts_writes_siblings_first_and_then_below_the_best(planned: Any) -> None:
    script = Script([1, 4, 2, 3, 5])
    _, _, steps = planned(improving.serts, script)
    assert [step.parent for step in steps if isinstance(step, PlanRound)] == [0, 0, 0, 2, 2]
    assert [len(value.siblings) for value in script.feedback] == [0, 1, improving.SIBLINGS - 1, 0, 1]
    assert [[one.score for one in value.feedback] for value in script.feedback] == [[], [], [], [4], [4]]


def test_a_failing_source_is_told_and_where_all_fail_nothing_is_rated(planned: Any) -> None:
    script = Script([2, 5])
    _, run, steps = planned(improving.reflexion, script, "book")
    states = {one.source: one.state for one in script.rated[0].retrieved}
    assert states == {"book": "failed", "research": "found"}
    assert [step.failed for step in steps if isinstance(step, PlanRated)] == [("book",), ("book",)]
    assert any("book" in warning for warning in run.warnings)
    assert [one.empty for one in script.feedback[1].feedback] in ([()], [])

    script = Script([5])
    plan, run, steps = planned(improving.reflexion, script, "book", "research")
    assert script.rated == []
    assert plan.size == 3, "the recipe searches it, and says that every source failed"
    assert any("none of the plan's sources could be searched" in warning for warning in run.warnings)
    assert _ended(steps) == "not rated"


def test_a_model_that_fails_later_leaves_the_best_plan_and_at_once_is_an_error(planned: Any) -> None:
    failure = ModelFailed("no answer", model="scripted:model")
    plan, run, steps = planned(
        improving.reflexion, Script([3, 1], ["<book> first </book>", "<book> second </book>", failure])
    )
    assert _books(plan) == "first"
    assert any("after 2 rounds" in warning and "no answer" in warning for warning in run.warnings)
    assert _ended(steps) == "failed"

    with pytest.raises(ModelFailed, match="no answer"):
        planned(improving.reflexion, Script([], [ModelFailed("no answer", model="scripted:model")]))


def test_no_score_is_not_0_and_a_plan_that_comes_again_ends_the_search(planned: Any) -> None:
    failure = ModelFailed("no usable output", model="scripted:model", unreadable=True)
    plan, run, steps = planned(improving.reflexion, Script([failure]))
    assert _books(plan) == "metformin 0"
    assert [step.score for step in steps if isinstance(step, PlanRated)] == [None]
    assert any("could not be rated" in warning for warning in run.warnings)
    plan, _, _ = planned(improving.reflexion, Script([0, failure]))
    assert _books(plan) == "metformin 0", "a plan with 0 points comes before one that nobody rated"
    script = Script([1, 2, 3], ["<book> same </book>"] * 3)
    _, _, steps = planned(improving.reflexion, script)
    assert len(script.rated) == 1, "it is not searched and rated again"
    assert _ended(steps) == "plan repeats"


def test_planning_leaves_budget_for_the_answer_or_is_an_error(planned: Any) -> None:
    script = Script([1] * 8)
    _, run, steps = planned(improving.reflexion, script, options={"budget.calls": 8})
    assert len(script.rated) == 3, "two calls a round; after six, two are left: as many as a round takes"
    assert _ended(steps) == "budget"
    assert any("budget of calls" in warning for warning in run.warnings)

    with pytest.raises(BudgetExhausted):
        planned(improving.reflexion, Script([1] * 8), options={"budget.tokens": 5})


def test_an_empty_plan_is_a_plan_and_rounds_are_in_the_trace(planned: Any, tmp_path: Path) -> None:
    script = Script([2, 5], ["<book> </book> <research> </research>"])
    plan, _, steps = planned(improving.reflexion, script)
    assert (script.rated[0].retrieved, plan.size) == ((), 3)
    spans = [json.loads(line) for line in (tmp_path / "test.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(one.number, one.score) for one in PlanRated.stored(spans)] == [(1, 2), (2, 5)]
    assert PlanChosen.stored(spans) == [PlanChosen(number=2, rounds=2, ended="best score")]
    assert {"plan 1 of at most 8", "plan 2 got 5 of 5 points"} <= {in_words(step) for step in steps}
    plan, _, _ = planned(improving.reflexion, Script([0] * 8, ["<book> </book>"]))
    assert plan.size == 3, "of plans that are equally bad, one that searches something"


@each_row("planner", [improving.reflexion, improving.serts])
def test_without_a_model_the_loop_is_honest_and_repeatable(make_run: Any, shelves: Any, planner: Planning) -> None:
    def once() -> tuple[SourcePlan, list[PlanRated]]:
        steps: list[Step] = []
        run = make_run(TEXT, shelves(), on_step=steps.append)
        return asyncio.run(planner(QUESTION, SOURCES, run)).plan, [s for s in steps if isinstance(s, PlanRated)]

    (plan, rated), (again, _) = once(), once()
    assert plan == again
    assert plan.size >= 1
    assert all("word count" in step.suggestion for step in rated)


def _grown(scores: Sequence[int]) -> list[improving.Tried]:
    """The tree that grows if plans get these scores in turn."""
    tried: list[improving.Tried] = []
    for number, score in enumerate(scores, start=1):
        plan = SourcePlan(queries={"book": (SourceQuery(text=f"query {number}"),)})
        tried.append(
            improving.Tried(
                number=number, parent=improving.expansion(tried).parent, read=improving.ReadPlan(plan), score=score
            )
        )
    return tried


def test_every_score_is_told_to_all_plans_above_it_and_selection_is_uct_by_hand() -> None:
    tried = _grown([2, 4, 1, 3, 5])
    assert [one.parent for one in tried[3:]] == [2, 2]
    told = improving.backpropagated(tried)
    assert (told[2], told[4], told[improving.ROOT]) == ([4, 3, 5], [3], [2, 4, 1, 3, 5])

    tried = _grown([3, 3, 3, 0, 0])
    assert [one.parent for one in tried[3:]] == [1, 2]
    # After five rounds plans 1 and 2 have two visits and mean 0.3, plan 3 has one visit and mean 0.6.
    assert 0.3 + 0.5 * math.sqrt(math.log(5) / 2) < 0.6 + 0.5 * math.sqrt(math.log(5))
    assert improving.selected(tried) == 3
    assert improving.expansion(_grown([2, 2, 2])).parent == 1  # of equals the earlier


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_any_tree_is_bounded_and_repeatable(scores: list[int]) -> None:
    tried = _grown(scores)
    assert tried == _grown(scores)
    parents = [one.parent for one in tried]
    assert all(parent < one.number for parent, one in zip(parents, tried, strict=True))
    assert max(parents.count(parent) for parent in parents) <= improving.SIBLINGS
    assert improving.backpropagated(tried)[improving.ROOT] == scores
