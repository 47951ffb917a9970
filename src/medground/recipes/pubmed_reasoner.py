"""PubMed Reasoner: a MeSH query that is critiqued and refined before anything is read, then reading in batches.

`docs/recipes/pubmed-reasoner.md` maps each equation and algorithm of the paper to the function that implements it.
Settings can turn off what we added to the paper.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Answer
from medground.conclude.compose import compose, unanswered
from medground.conclude.finish import finish
from medground.evidence import Evidence
from medground.operators.reading import extract, screen, sufficient
from medground.operators.searching import CRITICISING, QUERYING, Candidate
from medground.operators.summarising import respond, summarise
from medground.plan.critic import Attempt, QueryResult, critique, final_query, next_query, quality, revise_terms
from medground.plan.mesh import PubMedQuery, choose_terms, first_query, propose_terms
from medground.plan.relax import with_concepts
from medground.plan.widen import look_or_widen, widen
from medground.question import Question
from medground.read.essence import with_essence
from medground.read.extract import extract_evidence, is_sufficient, screen_batch
from medground.read.order import WEIGHED, batches, best_first, reading_list
from medground.read.standing import readable, texts
from medground.recipes.base import Recipe
from medground.recipes.settings.pubmed_reasoner import PubMedReasonerSettings
from medground.run import Run
from medground.verify.check import CHECKING
from medground.write.summary import by_article, pmid_mark, respond_from, summarise_evidence


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
    query = with_concepts(question, query) if extras.concepts else query
    query, found = await _self_critic(question, terms, query, run)  # Algorithm 1
    evidence, done = await _reflective_retrieval(question, found, (), run)  # Algorithm 2
    if extras.step_back and not done:
        wider, found = await widen(question, query, found, run, enough=run.settings.retrieval.keep)
        if wider != query:
            evidence, _ = await _reflective_retrieval(question, found, evidence, run)
    if not evidence:
        return compose(run, unanswered(""))
    evidence = by_article(evidence, run, designs=extras.designs)
    summary = await summarise_evidence(question, evidence, run)
    draft = await respond_from(question, summary, run)
    return await finish(question, draft, evidence, run, mark=pmid_mark)


async def _self_critic(question: Question, terms: Sequence[Candidate], query: PubMedQuery, run: Run) -> Attempt:
    """Algorithm 1: refine the query until coverage and alignment stop improving, a query repeats, or T rounds end."""
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
        refined = with_concepts(question, refined) if extras.concepts else refined
        if refined.text in {earlier.text for earlier, _ in history}:
            break
        query, found = refined, await look_or_widen(question, refined, run)
        history.append((query, found))
    return final_query(history, run)  # q*


async def _reflective_retrieval(
    question: Question, found: QueryResult, known: Sequence[Evidence], run: Run
) -> tuple[list[Evidence], bool]:
    """Algorithm 2: filter, then read in batches until the evidence suffices, a batch adds nothing, or T is used.

    Returns the evidence pool, and whether reading is over: the pool suffices, or the token budget T is used up.
    """
    extras = run.settings.section(PubMedReasonerSettings)
    standing = await readable(texts(found.hits), run, retractions=extras.retractions)
    seen = {evidence.document_id for evidence in known}
    fresh = [hit for hit in standing if hit.passage.document_id not in seen]
    found_in = reading_list(fresh, run.settings.retrieval.keep, WEIGHED)  # the top M_max
    await run.retrieve([reading.document_id for reading in found_in])
    readings = best_first(question, with_essence(found_in, run.ledger.documents))
    kept = await screen_batch(question, readings, run)  # Eq. 12
    evidence, before = list(known), run.usage.tokens
    for batch in batches(kept, run.settings.recipe.batch):
        with run.step(batch.step):
            added = await extract_evidence(question, batch.readings, run)  # Eq. 13 and 14
            evidence += added
            if not extras.batching:
                continue
            if await is_sufficient(question, evidence, run):  # Eq. 15
                return evidence, True
            if extras.tokens is not None and run.usage.tokens - before >= extras.tokens:
                run.warn(f"reading stopped after {batch.number} batches: {extras.tokens} tokens are used up")
                return evidence, True
            if batch.number > 1 and not added:  # marginal utility
                break
    return evidence, not extras.batching and bool(evidence)


PUBMED_REASONER = Recipe(
    name="pubmed-reasoner",
    run=pubmed_reasoner,
    operators=(*QUERYING, *CRITICISING, screen, extract, sufficient, summarise, respond, *CHECKING),
    writers=(respond,),
    reader=extract,
    settings=PubMedReasonerSettings,
)
