"""The loop of planners that search: write a plan, try it, rate what it found, write a better one.

Source: Omni-RAG, appendix D.3 (Reflexion, SeRTS): the score is from 0 to 5, the loop stops at 5 and after eight rounds.
Which earlier plans a new one is written from is the only difference between the two.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, zip_longest

from medground.answering.run import Run
from medground.errors import BudgetExhausted, ModelFailed, SourceUnavailable
from medground.language.clean import some
from medground.recipes.omni_rag import rating
from medground.recipes.omni_rag.planners import explored, typed
from medground.recipes.omni_rag.read_plan import ReadPlan
from medground.recipes.omni_rag.search import search_plan
from medground.recipes.settings import OmniRagSettings
from medground.values.grouping import grouped
from medground.values.question import Question
from medground.values.source_plan import SourceDescription, SourceFound, SourcePlan, tagged
from medground.values.steps import PlanChosen, PlanRated, PlanRound

Spent = Mapping[str, float | None]
"""What a run has spent by the names of the limits; None where it is unknown."""
Sources = tuple[SourceDescription, ...]

_SHOWN, _FROM_EACH, _CHARACTERS = 20, 3, 1000
"""What a rater reads: most passages, most of one query, most characters of one."""


@dataclass(frozen=True)
class Tried:
    """A plan that was searched, and its rating.

    `parent` is the round whose plan it improves, 0 for none. `score` is None if no rating could be had. `empty` names
    the sources that were asked and had nothing.
    """

    number: int
    parent: int
    read: ReadPlan
    score: int | None
    suggestion: str = ""
    empty: tuple[str, ...] = ()

    @property
    def plan(self) -> SourcePlan:
        """The plan itself."""
        return self.read.plan


@dataclass(frozen=True)
class Place:
    """Where the next plan comes from: the plans whose feedback it has, and those of the same origin."""

    feedback: tuple[Tried, ...] = ()
    siblings: tuple[Tried, ...] = ()
    parent: int = 0


async def search_for_plan(
    question: Question, sources: Sources, run: Run, place: Callable[[Sequence[Tried]], Place]
) -> ReadPlan:
    """The plan with the best score; of equals the one that asks less, then the earlier.

    The paper returns the last plan. If a model fails or a limit of the budget comes near, the best plan so far is used
    and a warning says so. A source that fails is reported to the rater; it makes no plan worse. `place` says where
    the next plan comes from, given all earlier ones.
    """
    tried: list[Tried] = []
    spent = [_spent(run)]
    ended = ""
    while not ended:
        try:
            this = await _round(question, sources, run, place(tried), tried)
        except (ModelFailed, SourceUnavailable, BudgetExhausted) as error:
            if not tried:
                raise
            run.warn(f"planning ended after {some(len(tried), 'round')}, so the best plan so far is used: {error}")
            ended = "failed"
            break
        repeats = any(this.plan == past.plan for past in tried)
        tried.append(this)
        spent.append(_spent(run))
        ended = _why_enough(tried, spent, repeats, run)
    best = min(tried, key=_rank)
    with run.step(PlanChosen(number=best.number, rounds=len(tried), ended=ended)):
        return best.read


def _rank(one: Tried) -> tuple[int, bool, int, int]:
    """The best first: more points, any query at all, fewer queries, earlier. A plan without a rating comes last."""
    return -1 if one.score is None else -one.score - 2, not one.plan.size, one.plan.size, one.number


def _why_enough(tried: Sequence[Tried], spent: Sequence[Spent], repeats: bool, run: Run) -> str:
    """Why no further plan is tried; empty if one is."""
    this = tried[-1]
    if this.score == rating.MOST_POINTS:
        return "best score"
    if this.score is None:
        return "not rated"
    if repeats:
        return "plan repeats"
    if len(tried) >= run.settings.section(OmniRagSettings).rounds:
        return "most rounds"
    if limit := _limit_near(spent, run):
        run.warn(
            f"planning ended after {some(len(tried), 'round')}: another round and the answer would not fit in the "
            f"budget of {limit}; the best plan so far is used"
        )
        return "budget"
    return ""


def _spent(run: Run) -> Spent:
    """What the run has spent until now; its seconds are those of its own clock."""
    used = run.usage
    price = None if used.price is None else float(used.price)
    return {"tokens": used.tokens, "calls": used.model_calls, "seconds": run.seconds, "money": price}


def _limit_near(spent: Sequence[Spent], run: Run) -> str:
    """The limit that another round as dear as the dearest so far would bring too near; empty if none.

    As much again as that round is left for the answer. `spent` is before the first round, then after each.
    """
    for name, now in spent[-1].items():
        allowed = getattr(run.settings.budget, name)
        dearest = max((after[name] or 0.0) - (before[name] or 0.0) for before, after in pairwise(spent))
        if allowed is not None and now is not None and float(allowed) - now < 2 * dearest:
            return name
    return ""


async def _round(question: Question, sources: Sources, run: Run, place: Place, before: Sequence[Tried]) -> Tried:
    """Write one plan (E.8), search it, and have it rated (E.9). A plan that cannot be rated is kept without a score.

    A plan that was tried before is not searched and rated again: it has the rating that it had.
    """
    number = len(before) + 1
    most = run.settings.section(OmniRagSettings).rounds
    with run.step(PlanRound(number=number, of=most, parent=place.parent)) as span:
        written = await _written(question, sources, run, place)
        if same := next((one for one in before if one.plan == written.plan), None):
            found, this = [], replace(same, number=number, parent=place.parent)
        else:
            found = await search_plan(written.plan, run)
            score, suggestion = await _rated(question, sources, run, found)
            empty = tuple(one.source.name for one in found if one.state == "empty")
            this = Tried(number, place.parent, written, score, suggestion, empty)
        rated = PlanRated(
            number=number,
            parent=place.parent,
            plan=tagged(this.plan, tuple(source.name for source in sources)),
            queries=this.plan.size,
            passages=len({hit.passage.key for one in found for query in one.queries for hit in query.hits}),
            score=this.score,
            suggestion=this.suggestion,
            failed=tuple(one.source.name for one in found if one.state == "failed"),
        )
        run.end(span, rated)
        return this


async def _written(question: Question, sources: Sources, run: Run, place: Place) -> ReadPlan:
    names = tuple(source.name for source in sources)
    most = run.settings.section(OmniRagSettings).queries
    feedback = []
    for one in place.feedback:
        if one.score is not None:
            told = {"score": one.score, "suggestion": one.suggestion, "empty": one.empty}
            feedback.append(rating.Feedback.model_validate({"plan": tagged(one.plan, names), **told}))
    value = rating.ImprovePlanInput(
        question=question.text,
        options=question.options,
        sources=explored(sources),
        most=most,
        feedback=tuple(feedback),
        siblings=tuple(tagged(sibling.plan, names) for sibling in place.siblings),
    )
    return typed(await run.ask(rating.improve_plan, value), sources, most)


async def _rated(
    question: Question, sources: Sources, run: Run, found: Sequence[SourceFound]
) -> tuple[int | None, str]:
    asked = [one for one in found if one.queries]
    if asked and all(one.state == "failed" for one in asked):
        run.warn(f"none of the plan's sources could be searched, so planning ended: {asked[0].failure}")
        return None, ""
    shown, named = tuple(_shown(found)), explored(sources)
    value = rating.RatePlanInput(question=question.text, options=question.options, sources=named, retrieved=shown)
    try:
        output = await run.ask(rating.rate_plan, value)
    except (ModelFailed, BudgetExhausted) as error:
        run.warn(f"a plan could not be rated, so planning ended: {error}")
        return None, ""
    return output.score, output.suggestion


def _shown(found: Sequence[SourceFound]) -> Iterator[rating.Retrieved]:
    """What each query found: the first passages of all queries in turn, until the rater has enough to read."""
    queries = [(one, query) for one in found for query in one.queries]
    turns = zip_longest(*(enumerate(query.hits[:_FROM_EACH]) for _, query in queries))
    places = [(n, hit) for turn in turns for n, entry in enumerate(turn) if entry is not None for hit in entry[1:]]
    kept = grouped(islice(places, _SHOWN))
    for n, (one, query) in enumerate(queries):
        failed = one.state in ("failed", "not configured")
        yield rating.Retrieved(
            source=one.source.name,
            query=str(query.query),
            state="found" if query.hits else "failed" if failed else "empty",
            passages=tuple(f"{hit.passage.title}\n{hit.passage.text}"[:_CHARACTERS] for hit in kept.get(n, ())),
        )


# Reflexion: a single line of plans, each written from the feedback on all earlier ones.


async def reflexion(question: Question, sources: Sources, run: Run) -> ReadPlan:
    """The best-scored plan of at most `omni_rag.rounds` (eight); the paper returns the last."""
    return await search_for_plan(question, sources, run, lambda tried: Place(tuple(tried), parent=len(tried)))


# SeRTS: a tree of plans. Each round selects a plan, writes a child of it, rates it, and tells all plans above it.

ROOT = 0
"""The question alone, of which the first plans are children."""
SIBLINGS = 3
"""Most children of a plan: with eight rounds, the tree gets two levels of siblings and the start of a third."""
EXPLORATION = 0.5
"""Weight of the second term of UCT, for scores from 0 to 1: eight rounds leave little to explore."""


async def serts(question: Question, sources: Sources, run: Run) -> ReadPlan:
    """The best-scored plan of a tree of at most `omni_rag.rounds` (eight); the paper does not say which it returns."""
    return await search_for_plan(question, sources, run, expansion)


def expansion(tried: Sequence[Tried]) -> Place:
    """Where the next plan grows: below the selected one, with the feedback on its ancestors and beside its siblings."""
    parent = selected(tried)
    return Place(feedback=_line(tried, parent), siblings=_children(tried, parent), parent=parent)


def backpropagated(tried: Sequence[Tried]) -> Mapping[int, Sequence[int]]:
    """The scores that each plan has learnt: every one is told to the plan itself and to all plans above it."""
    return grouped(
        (number, one.score or 0)
        for one in tried
        for number in (ROOT, *(above.number for above in _line(tried, one.number)))
    )


def selected(tried: Sequence[Tried]) -> int:
    """The plan to expand: from the root down along the best UCT, to the first plan with room for a child.

    UCT is the mean score of the subtree, 0 to 1, plus `EXPLORATION * sqrt(ln visits of the parent / visits)`.
    """
    at, told = ROOT, backpropagated(tried)

    def uct(child: int) -> float:
        scores = told[child]
        explored = math.sqrt(math.log(len(told[at])) / len(scores))
        return sum(scores) / len(scores) / rating.MOST_POINTS + EXPLORATION * explored

    while len(children := _children(tried, at)) >= SIBLINGS:
        at = max(children, key=lambda one: (uct(one.number), -one.number)).number
    return at


def _children(tried: Sequence[Tried], parent: int) -> tuple[Tried, ...]:
    return tuple(one for one in tried if one.parent == parent)


def _line(tried: Sequence[Tried], number: int) -> tuple[Tried, ...]:
    """A plan and its ancestors, the oldest first."""
    by_number = {one.number: one for one in tried}
    line: list[Tried] = []
    while number != ROOT:
        line.insert(0, by_number[number])
        number = by_number[number].parent
    return tuple(line)
