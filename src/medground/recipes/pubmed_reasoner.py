"""PubMed Reasoner: a MeSH query that criticises itself before anything is read, then reading in batches.

Source: `docs/recipes/pubmed-reasoner.md` sets each equation and algorithm line beside the function that implements it.
What we added to the paper can be turned off in its settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.answer import Answer
from medground.conclude.compose import compose, unanswered
from medground.conclude.finish import finish
from medground.evidence import Evidence
from medground.operators.reading import extract, screen, sufficient
from medground.operators.searching import CRITICISING, QUERYING, Candidate
from medground.operators.summarising import respond, summarise
from medground.plan.critic import QueryResult, critique, next_query, quality, revise_terms
from medground.plan.mesh import PubMedQuery, choose_terms, first_query, propose_terms
from medground.plan.relax import with_concepts
from medground.plan.widen import look_or_widen, widen
from medground.question import Question
from medground.read.extract import extract_evidence, is_sufficient, screen_batch
from medground.read.order import batches, reading_list
from medground.read.standing import readable, texts
from medground.recipes.base import Recipe
from medground.recipes.settings.pubmed_reasoner import PubMedReasonerSettings
from medground.run import Run
from medground.steps import QueryChosen
from medground.verify.check import CHECKING
from medground.write.summary import by_article, respond_from, summarise_evidence


@dataclass(frozen=True)
class _Read:
    """What Algorithm 2 gave: the evidence pool, whether it suffices, and whether the token budget T ended it."""

    evidence: tuple[Evidence, ...]
    sufficient: bool
    spent: bool = False


async def pubmed_reasoner(question: Question, run: Run) -> Answer:
    """Answer a question.

    Raises:
        SourceUnavailable: no source could be searched.
        ModelFailed: a model gave no usable output.
        BudgetExhausted: a limit of the run was reached.
    """
    extras = run.settings.section(PubMedReasonerSettings)
    terms = await choose_terms(question, await propose_terms(question, run), run)  # Eq. 1 and 2
    query = await first_query(question, terms, run)  # Eq. 3
    if extras.concepts:
        query = with_concepts(question, query)
    query, found = await _self_critic(question, terms, query, run)  # Algorithm 1
    read = await _reflective_retrieval(question, found, (), run)  # Algorithm 2
    if extras.step_back and not read.sufficient and not read.spent:
        wider, found = await widen(question, query, found, run, enough=run.settings.retrieval.keep)
        if wider != query:
            read = await _reflective_retrieval(question, found, read.evidence, run)
    if not read.evidence:
        return compose(run, unanswered(""))
    evidence = by_article(read.evidence, run, designs=extras.designs)
    summary = await summarise_evidence(question, evidence, run)
    draft = await respond_from(question, summary, run)
    return await finish(question, draft, evidence, run, mark=_pmid_mark)


async def _self_critic(
    question: Question, terms: Sequence[Candidate], query: PubMedQuery, run: Run
) -> tuple[PubMedQuery, QueryResult]:
    """Algorithm 1: refine the query until coverage and alignment stop improving, a query repeats, or T rounds."""
    extras = run.settings.section(PubMedReasonerSettings)
    found = await look_or_widen(question, query, run)
    history = [(query, found)]
    best = -1.0
    for _ in range(run.settings.recipe.rounds if extras.critic else 0):
        feedback = await critique(question, terms, query, found, run)  # Eq. 6 to 8
        if quality(feedback) <= best:
            break
        best = quality(feedback)
        terms = await revise_terms(question, feedback, found, run)  # Eq. 9
        refined = await next_query(question, terms, found, history, run)  # Eq. 10 and 11
        if extras.concepts:
            refined = with_concepts(question, refined)
        if refined.text in {tried.text for tried, _ in history}:
            break
        query, found = refined, await look_or_widen(question, refined, run)
        history.append((query, found))
    chosen = max(reversed(history), key=lambda tried: min(tried[1].documents, extras.enough))
    with run.step(QueryChosen(query=chosen[0].text, rounds=len(history), documents=chosen[1].documents)):
        return chosen


async def _reflective_retrieval(question: Question, found: QueryResult, known: Sequence[Evidence], run: Run) -> _Read:
    """Algorithm 2: filter, then read in batches until the evidence suffices, a batch adds nothing, or T is used."""
    extras = run.settings.section(PubMedReasonerSettings)
    standing = await readable(texts(found.hits), run, retractions=extras.retractions)
    seen = {evidence.document_id for evidence in known}
    fresh = [hit for hit in standing if hit.passage.document_id not in seen]
    readings = reading_list(fresh, run.settings.retrieval.keep)  # the top M_max
    await run.retrieve([reading.document_id for reading in readings])
    kept = await screen_batch(question, readings, run)  # Eq. 12
    evidence, before = list(known), run.usage.tokens
    for batch in batches(kept, run.settings.recipe.batch):
        with run.step(batch.step):
            added = await extract_evidence(question, batch.readings, run)  # Eq. 13 and 14
            evidence += added
            if not extras.batching:
                continue
            if await is_sufficient(question, evidence, run):  # Eq. 15
                return _Read(tuple(evidence), True)
            if extras.tokens is not None and run.usage.tokens - before >= extras.tokens:
                run.warn(f"reading stopped after {batch.number} batches: its {extras.tokens} tokens are used")
                return _Read(tuple(evidence), False, spent=True)
            if batch.number > 1 and not added:  # marginal utility
                break
    return _Read(tuple(evidence), not extras.batching and bool(evidence))


def _pmid_mark(evidence: Evidence) -> str:
    """`[PMID: 123]`, the paper's inline citation."""
    return f"[{evidence.document_id.replace(':', ': ', 1)}]"


PUBMED_REASONER = Recipe(
    name="pubmed-reasoner",
    run=pubmed_reasoner,
    operators=(*QUERYING, *CRITICISING, screen, extract, sufficient, summarise, respond, *CHECKING),
    writers=(respond,),
    reader=extract,
    settings=PubMedReasonerSettings,
)
