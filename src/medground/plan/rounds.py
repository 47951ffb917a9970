"""The loop of planners that search: write a plan, try it, rate what it found, write a better one.

Source: Omni-RAG, appendix D.3 (Reflexion, SeRTS): the score is from 0 to 5, the loop stops at 5 and after eight rounds.
Which earlier plans a new one is written from is the only difference between the two (`reflect.py`, `tree.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

from medground.described import SourceDescription
from medground.document import Hit
from medground.errors import BudgetExhausted, ModelFailed, SourceUnavailable
from medground.operators.planning import ExploredSource
from medground.operators.rating import MOST_POINTS, RatePlanInput, Retrieved, rate_plan
from medground.operators.reflecting import Feedback, ImprovePlanInput, improve_plan
from medground.plan.prompting import typed
from medground.plan.round_cost import Cost
from medground.plan.search_plan import SourceFound, search_plan
from medground.plan.source_plan import SourcePlan, tagged
from medground.plan.sources import ReadPlan, Repair
from medground.question import Question
from medground.recipes.settings.omni_rag import OmniRagSettings
from medground.run import Run
from medground.steps import PlanChosen, PlanRated, PlanRound

_SHOWN, _FROM_EACH, _CHARACTERS = 20, 3, 1000
"""What a rater reads: most passages, most of one query, most characters of one."""


@dataclass(frozen=True)
class Tried:
    """A plan that was searched, and its rating.

    Attributes:
        number: the round, from 1.
        parent: the round whose plan it improves; 0 if it was written from the question alone.
        plan: the plan.
        score: 0 to 5; None if no rating could be had.
        suggestion: how to make it better.
        empty: names of sources that were asked and had nothing.
        repairs: what was mended in the plan as the model wrote it.
    """

    number: int
    parent: int
    plan: SourcePlan
    score: int | None
    suggestion: str = ""
    empty: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True)
class Place:
    """Where the next plan comes from: the plans whose feedback it has, and those of the same origin."""

    feedback: tuple[Tried, ...] = ()
    siblings: tuple[Tried, ...] = ()
    parent: int = 0


async def search_for_plan(
    question: Question, sources: tuple[SourceDescription, ...], run: Run, place: Callable[[Sequence[Tried]], Place]
) -> ReadPlan:
    """The plan with the best score; of equals the one that asks less, then the earlier.

    The paper returns the last plan. If a model fails or a limit of the budget comes near, the best plan so far is used
    and a warning says so. A source that fails is told to the rater; it makes no plan worse.

    Args:
        question: the question.
        sources: what may be searched.
        run: the run.
        place: where the next plan comes from, given all earlier ones.

    Raises:
        ModelFailed: the first plan could not be written.
        BudgetExhausted: a limit was reached before any plan was tried.
    """
    tried: list[Tried] = []
    costs: list[Cost] = []
    ended = ""
    while not ended:
        before = Cost.so_far(run)
        try:
            this = await _round(question, sources, run, place(tried), tried)
        except (ModelFailed, SourceUnavailable, BudgetExhausted) as error:
            if not tried:
                raise
            run.warn(f"planning ended after {_rounds(len(tried))}, so the best plan so far is used: {error}")
            ended = "failed"
            break
        repeats = any(this.plan == past.plan for past in tried)
        tried.append(this)
        costs.append(Cost.so_far(run).since(before))
        ended = _why_enough(tried, costs, repeats, run)
    best = min(tried, key=_rank)
    with run.step(PlanChosen(number=best.number, rounds=len(tried), ended=ended)):
        return ReadPlan(plan=best.plan, repairs=best.repairs)


def _rank(one: Tried) -> tuple[int, bool, int, int]:
    """The best first: more points, any query at all, fewer queries, earlier. A plan without a rating comes last."""
    return -1 if one.score is None else -one.score - 2, not one.plan.size, one.plan.size, one.number


def _why_enough(tried: Sequence[Tried], costs: Sequence[Cost], repeats: bool, run: Run) -> str:
    """Why no further plan is tried; empty if one is."""
    this = tried[-1]
    if this.score == MOST_POINTS:
        return "best score"
    if this.score is None:
        return "not rated"
    if repeats:
        return "plan repeats"
    if len(tried) >= _most(run):
        return "most rounds"
    if limit := Cost.so_far(run).short_of(run, costs):
        run.warn(
            f"planning ended after {_rounds(len(tried))}: another round and the answer would not fit in the budget of "
            f"{limit}; the best plan so far is used"
        )
        return "budget"
    return ""


def _most(run: Run) -> int:
    return run.settings.section(OmniRagSettings).rounds


def _rounds(number: int) -> str:
    return "1 round" if number == 1 else f"{number} rounds"


async def _round(
    question: Question, sources: tuple[SourceDescription, ...], run: Run, place: Place, before: Sequence[Tried]
) -> Tried:
    """Write one plan (E.8), search it, and have it rated (E.9). A plan that cannot be rated is kept without a score.

    A plan that was tried before is not searched and rated again: it has the rating that it had.
    """
    number = len(before) + 1
    with run.step(PlanRound(number=number, of=_most(run), parent=place.parent)) as span:
        written = await _written(question, sources, run, place)
        if same := next((one for one in before if one.plan == written.plan), None):
            this = replace(same, number=number, parent=place.parent)
            run.end(span, _told(this, [], sources))
            return this
        found = await search_plan(written.plan, run)
        score, suggestion = await _rated(question, sources, run, found)
        empty = tuple(one.source.name for one in found if one.state == "empty")
        this = Tried(number, place.parent, written.plan, score, suggestion, empty, written.repairs)
        run.end(span, _told(this, found, sources))
        return this


def _told(this: Tried, found: Sequence[SourceFound], sources: tuple[SourceDescription, ...]) -> PlanRated:
    return PlanRated(
        number=this.number,
        parent=this.parent,
        plan=tagged(this.plan, tuple(source.name for source in sources)),
        queries=this.plan.size,
        passages=len({hit.passage.key for one in found for query in one.queries for hit in query.hits}),
        score=this.score,
        suggestion=this.suggestion,
        failed=tuple(one.source.name for one in found if one.state == "failed"),
    )


async def _written(question: Question, sources: tuple[SourceDescription, ...], run: Run, place: Place) -> ReadPlan:
    names = tuple(source.name for source in sources)
    most = run.settings.section(OmniRagSettings).queries
    value = ImprovePlanInput(
        question=question.text,
        options=question.options,
        sources=_seen(sources),
        most=most,
        feedback=tuple(
            Feedback(
                plan=tagged(one.plan, names),
                score=one.score,
                suggestion=one.suggestion,
                empty=one.empty,
                queries=tuple((name, str(query)) for name, query in one.plan),
            )
            for one in place.feedback
            if one.score is not None
        ),
        siblings=tuple(tagged(one.plan, names) for one in place.siblings),
    )
    return typed(await run.ask(improve_plan, value), sources, most)


def _seen(sources: Sequence[SourceDescription]) -> tuple[ExploredSource, ...]:
    return tuple(ExploredSource(name=one.name, kind=one.kind, about=one.about) for one in sources)


async def _rated(
    question: Question, sources: tuple[SourceDescription, ...], run: Run, found: Sequence[SourceFound]
) -> tuple[int | None, str]:
    asked = [one for one in found if one.queries]
    if asked and all(one.state == "failed" for one in asked):
        run.warn(f"no source of a plan could be searched, so planning ended: {asked[0].failure}")
        return None, ""
    value = RatePlanInput(
        question=question.text,
        sources=_seen(sources),
        retrieved=tuple(_shown(found)),
    )
    try:
        output = await run.ask(rate_plan, value)
    except (ModelFailed, BudgetExhausted) as error:
        run.warn(f"a plan of sources could not be rated, so planning ended: {error}")
        return None, ""
    return output.score, output.suggestion


def _shown(found: Sequence[SourceFound]) -> Iterator[Retrieved]:
    """What each query found: the first passages of all queries in turn, until the rater has enough to read."""
    queries = [(one, query) for one in found for query in one.queries]
    turns = zip_longest(*(enumerate(query.hits[:_FROM_EACH]) for _, query in queries))
    places = [(n, hit) for turn in turns for n, entry in enumerate(turn) if entry is not None for hit in entry[1:]]
    kept: dict[int, list[Hit]] = {}
    for n, hit in islice(places, _SHOWN):
        kept.setdefault(n, []).append(hit)
    for n, (one, query) in enumerate(queries):
        failed = one.state in ("failed", "not configured")
        yield Retrieved(
            source=one.source.name,
            query=str(query.query),
            state="found" if query.hits else "failed" if failed else "empty",
            passages=tuple(f"{hit.passage.title}\n{hit.passage.text}"[:_CHARACTERS] for hit in kept.get(n, ())),
        )
