"""Omni-RAG: plan queries for each kind of source, search them, split fairly what they found, and answer from it.

`docs/recipes/omni-rag.md` maps each element of the paper to the function that implements it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medground.answer import Answer
from medground.author import KEYLESS
from medground.conclude.compose import compose, unanswered
from medground.conclude.finish import finish
from medground.conclude.searched import reason_of_nothing, searched_sources
from medground.document import Hit
from medground.errors import ConfigError, MedgroundError, SourceUnavailable
from medground.operators.planning import plan_sources
from medground.operators.source_reading import read_sources
from medground.plan.plannable import FIVE_KINDS, open_to_plans
from medground.plan.planners import PLANNERS, PLANNING, planned
from medground.plan.search_plan import search_plan
from medground.plan.source_plan import SourceFound
from medground.question import Question
from medground.rank.rerank import reranker_problems
from medground.read.fair import fair_split
from medground.recipes.base import Recipe
from medground.recipes.settings.omni_rag import OmniRagSettings
from medground.run import Run
from medground.settings import Settings
from medground.sources.base import Source
from medground.verify.check import CHECKING, check_all
from medground.verify.statements import statements
from medground.write.from_sources import answer_from_sources


async def omni_rag(question: Question, run: Run) -> Answer:
    """Answer a question (section 4.1).

    Raises:
        SourceUnavailable: every source that the plan asks failed.
    """
    choices = run.settings.section(OmniRagSettings)
    plan = await planned(question, run)  # P, by the planner M
    found = await search_plan(plan, run)  # D, the documents d of each query q
    _check_not_all_failed(found)
    k = run.settings.retrieval.fusion_k
    hits = fair_split(found, most=choices.passages, each=choices.each, characters=choices.context, k=k)
    answer = await _read(question, hits, found, run) if hits else compose(run, unanswered(reason_of_nothing(found)))
    return answer.model_copy(update={"sources": searched_sources(found)})  # y, by the reader


async def _read(question: Question, hits: Sequence[Hit], found: Sequence[SourceFound], run: Run) -> Answer:
    facts = {(f.document_id, f.start, f.end): f for one in found for query in one.queries for f in query.facts}
    words = run.settings.section(OmniRagSettings).answer_words
    reading = await answer_from_sources(question, hits, facts, run, words=words)
    parts = statements(reading.draft.sentences, reading.evidence)
    verdicts = await check_all(parts, run, graph=reading.is_stated)
    draft = reading.draft.model_copy(update={"sentences": parts})
    return await finish(question, draft, reading.evidence, run, verdicts=verdicts)


def _check_not_all_failed(found: Sequence[SourceFound]) -> None:
    asked = [one for one in found if one.queries]
    if asked and all(one.state == "failed" for one in asked):
        named = ", ".join(one.source.name for one in asked)
        raise SourceUnavailable(f"every source of the plan failed: {asked[0].failure}", source=named)


def _check(settings: Settings, sources: Sequence[Source]) -> Iterator[MedgroundError]:
    yield from reranker_problems(settings.retrieval.reranker, settings.home / "models")
    choices = settings.section(OmniRagSettings)
    if choices.chosen not in PLANNERS:
        yield ConfigError(f"omni_rag.planner: {choices.chosen} is not there; choose from {', '.join(PLANNERS)}")
    if choices.adapter and _planning_model(settings) != f"planner:{choices.adapter}":
        yield ConfigError(
            f"omni_rag.adapter names a trained planner, but {_planning_model(settings)} plans by {choices.chosen}; "
            "leave out the adapter, or the model.operators.plan_sources and omni_rag.planner that replace it"
        )
    elif choices.chosen == "trained" and _planning_model(settings) == KEYLESS:
        yield ConfigError(
            "a trained planner is not named; use --set omni_rag.adapter=FOLDER, or the name of a served one: "
            "--set model.operators.plan_sources=NAME"
        )
    if sources:
        named = [one.description for one in open_to_plans(sources, OmniRagSettings())]
        present = {word for one in named for word in (one.name, one.kind)}
        for word in (*choices.only, *choices.without):
            if word not in present and word not in FIVE_KINDS:
                names = ", ".join(sorted(present)) or "none is open"
                yield ConfigError(f"omni_rag: no source is called {word!r}; choose from {names}")


def _planning_model(settings: Settings) -> str:
    return settings.served.operators.get(plan_sources.name, settings.model.default)


OMNI_RAG = Recipe(
    name="omni-rag",
    run=omni_rag,
    operators=(*PLANNING, read_sources, *CHECKING),
    writers=(read_sources,),
    settings=OmniRagSettings,
    check=_check,
)
