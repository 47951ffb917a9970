"""Omni-RAG: plan queries for each kind of source, search them, split fairly what they found, and answer from it.

`docs/recipes/omni-rag.md` maps each element of the paper to the function that implements it.
"""

from collections.abc import Iterator, Mapping, Sequence

from medground.answering.conclude.compose import compose, unanswered
from medground.answering.conclude.finish import finish
from medground.answering.rank.rerank import reranker_problems
from medground.answering.run import Run
from medground.answering.verify.check import CHECKING
from medground.answering.write.draft import Draft, drafted
from medground.answering.write.reason import cited_sentences, shown_passages
from medground.errors import ConfigError, MedgroundError, SourceUnavailable
from medground.home.settings import Settings
from medground.models.operators.base import sentence_ids
from medground.models.operators.reasoning import SubClaim
from medground.recipes.base import Recipe
from medground.recipes.omni_rag.fair_split import fair_split
from medground.recipes.omni_rag.operators import ReadSourcesInput, plan_sources, read_sources
from medground.recipes.omni_rag.planned_sources import reason_of_nothing, searched_sources
from medground.recipes.omni_rag.planners import PLANNING, planned
from medground.recipes.omni_rag.search import FIVE_KINDS, open_to_plans, search_plan
from medground.recipes.settings import OmniRagSettings
from medground.sources.base import Source
from medground.values.answer import Answer
from medground.values.document import Hit, SourceKind
from medground.values.evidence import Evidence, Sentence
from medground.values.graph import GraphFact
from medground.values.question import Question
from medground.values.source_plan import SourceFound
from medground.values.usage import KEYLESS

# Lines of a graph are quoted as they stand, never in a model's words.

_GRAPH: tuple[SourceKind, ...] = ("graph",)
Place = tuple[str, int, int]
"""Document id, start and end of a line of a graph."""


async def omni_rag(question: Question, run: Run) -> Answer:
    """Answer a question (section 4.1). Raises SourceUnavailable: every source that the plan asks failed."""
    choices = run.settings.section(OmniRagSettings)
    plan = await planned(question, run)  # P, by the planner M
    found = await search_plan(plan, run)  # D, the documents d of each query q
    found = [one for one in found if {one.source.name, one.source.kind}.isdisjoint(choices.dropped)]  # Table 6
    _check_not_all_failed(found)
    k = run.settings.retrieval.fusion_k
    hits = fair_split(found, most=choices.passages, each=choices.each, characters=choices.context, k=k)
    answer = (
        await answer_from_sources(question, hits, found, run)
        if hits or run.answers_anyway(read_sources)
        else compose(run, unanswered(reason_of_nothing(found)))
    )
    return answer.replace(sources=searched_sources(found))  # y, by the reader


async def answer_from_sources(
    question: Question, hits: Sequence[Hit], found: Sequence[SourceFound], run: Run
) -> Answer:
    """Reason from these passages, each shown with the kind of its source, and check each step."""
    await run.retrieve([hit.passage.document_id for hit in hits])
    passages = shown_passages(question, hits, run, records=_GRAPH)
    if not passages and not run.answers_anyway(read_sources):
        return await finish(question, Draft(), (), run)
    words = run.settings.section(OmniRagSettings).answer_words
    value = ReadSourcesInput(
        question=question.text,
        task=question.task,
        options=question.options,
        passages=passages,
        sentences=run.settings.recipe.sentences,
        words=words,
    )
    output = await run.ask(read_sources, value)
    author = run.author(read_sources)
    claims = _within(output.claims, words, run) if author and author.is_model else output.claims
    graph = set(sentence_ids(passage for passage in passages if passage.kind == "graph"))
    facts = {(f.document_id, f.start, f.end): f for one in found for query in one.queries for f in query.facts}
    written, quotes = cited_sentences(
        claims, run, lines=graph, line=lambda quote: _line(quote, facts, run), origin="graph"
    )
    evidence = tuple(dict.fromkeys(quotes.values()))
    lines = frozenset(quotes[one].id for one in quotes if one in graph)
    stated = {one for one in written if one.evidence and lines.issuperset(one.evidence)}  # a graph's words, no model's
    draft = drafted(question, written, output, run, author)
    return await finish(question, draft, evidence, run, graph=stated.__contains__)


def _within(claims: Sequence[SubClaim], most: int, run: Run) -> Sequence[SubClaim]:
    """The first steps with at most so many words together, and at least one."""
    words = 0
    for place, claim in enumerate(claims):
        words += len(claim.text.split())
        if words > most and place:
            run.warn(f"the reasoning was cut after {place} of {len(claims)} steps: omni_rag.answer_words is {most}")
            return claims[:place]
    return claims


def _line(quote: Evidence, facts: Mapping[Place, GraphFact], run: Run) -> Sentence:
    """A line of a graph as one statement: the fact's own sentence, the line, or the line after its concept's name."""
    fact = facts.get((quote.document_id, quote.start, quote.end))
    text, title = " ".join(quote.quote.split()), run.ledger.documents[quote.document_id].title
    if fact is not None:
        text = fact.sentence
    elif title and title.casefold() not in text.casefold():
        text = f"{title}: {text}"
    return Sentence(text=text, evidence=(quote.id,), within=text)


def _check_not_all_failed(found: Sequence[SourceFound]) -> None:
    asked = [one for one in found if one.queries]
    if asked and all(one.state == "failed" for one in asked):
        named = ", ".join(one.source.name for one in asked)
        raise SourceUnavailable(f"every source of the plan failed: {asked[0].failure}", source=named)


def _check(settings: Settings, sources: Sequence[Source]) -> Iterator[MedgroundError]:
    yield from reranker_problems(settings.retrieval.reranker, settings.home / "models")
    choices = settings.section(OmniRagSettings)
    if choices.adapter and _planning_model(settings) != f"planner:{choices.adapter}":
        yield ConfigError(
            f"omni_rag.adapter names a trained planner, but {_planning_model(settings)} plans by {choices.chosen}; "
            "leave out the adapter, or the model.operators.plan_sources and omni_rag.planner that replace it"
        )
    elif choices.chosen == "trained" and _planning_model(settings) == KEYLESS:
        yield ConfigError(
            "a trained planner is not named; set omni_rag.adapter to its folder, or model.operators.plan_sources to "
            "the name of a served one"
        )
    if sources:
        named = [plan.description for plan in open_to_plans(sources, OmniRagSettings())]
        present = {word for one in named for word in (one.name, one.kind)}
        for word in (*choices.only, *choices.without, *choices.dropped):
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
