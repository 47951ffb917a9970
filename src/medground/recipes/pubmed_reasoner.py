"""PubMed Reasoner: a MeSH query that is critiqued and refined before anything is read, then reading in batches.

`docs/recipes/pubmed-reasoner.md` maps each element of the paper to the function that implements it. Settings turn off
what we added; the preset `pubmed-reasoner-paper` turns off all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from medground.answer import Answer
from medground.conclude.compose import compose, unanswered
from medground.conclude.finish import finish
from medground.document import Hit
from medground.evidence import Evidence
from medground.operators.base import Operator
from medground.operators.reading import extract, screen, sufficient
from medground.operators.searching import CRITICISING, QUERYING, Candidate
from medground.operators.searching_at_once import AT_ONCE
from medground.operators.summarising import respond, respond_openly, summarise
from medground.plan.concepts import with_concepts
from medground.plan.critic import Attempt, TermCritic, best_attempt, chosen, converged
from medground.plan.critic_at_once import QueryCritic, query_at_once
from medground.plan.look import dated
from medground.plan.mesh import choose_terms, first_query, propose_terms
from medground.plan.relax import PubMedQuery
from medground.plan.widen import attempt, step_back
from medground.question import Question
from medground.read.essence import with_findings
from medground.read.extract import coverage_check, extract_evidence, screen_batch
from medground.read.order import WEIGHED, Reading, batches, best_first, needed_first, reading_list
from medground.read.standing import readable, texts
from medground.read.whole import quoted_whole
from medground.recipes.base import Recipe
from medground.recipes.settings.pubmed_reasoner import PubMedReasonerSettings
from medground.run import Run
from medground.verify.check import CHECKING
from medground.write.summary import as_observations, by_article, pmid_mark, respond_from, summarise_evidence


async def pubmed_reasoner(question: Question, run: Run) -> Answer:
    """Answer a question."""
    extras = run.settings.section(PubMedReasonerSettings)
    question = dated(question, run) if extras.dates else question
    terms, query = await query_of(question, run)
    query = with_concepts(question, query) if extras.concepts else query
    best = await _self_critic(question, terms, query, run)  # Algorithm 1
    pool = await _read(question, best, (), run)
    if extras.step_back and not pool.done and (again := await step_back(question, best, pool.missing, run)):
        pool = await _read(question, again, pool.evidence, run)
    if not pool.evidence:
        return compose(run, unanswered(""))
    evidence = by_article(pool.evidence, run, designs=extras.designs)
    whole = extras.reading == "abstracts"
    summary = as_observations(evidence) if whole else await summarise_evidence(question, evidence, run)
    draft = await respond_from(question, summary, run)
    return await finish(question, draft, evidence, run, mark=pmid_mark)


async def query_of(question: Question, run: Run) -> tuple[Sequence[Candidate], PubMedQuery]:
    """MeSH terms and the first query; in one call there are no terms."""
    if run.settings.section(PubMedReasonerSettings).one_call:
        return (), await query_at_once(question, run)
    terms = await choose_terms(question, await propose_terms(question, run), run)  # Eq. 1 and 2
    return terms, await first_query(question, terms, run)  # Eq. 3


async def _self_critic(question: Question, terms: Sequence[Candidate], query: PubMedQuery, run: Run) -> Attempt:
    """Algorithm 1: refine the query until coverage and alignment stop improving, a query repeats, or T rounds end."""
    extras, rounds = run.settings.section(PubMedReasonerSettings), run.settings.recipe.rounds
    critic = QueryCritic() if extras.one_call else TermCritic()
    history: list[Attempt] = []
    for number in range(1, rounds + 1 if extras.critic else 1):
        history.append(await attempt(question, query, history, run))  # Eq. 4 and 5
        said = await critic.critique(question, terms, history, run)  # Eq. 6 to 8
        history[-1] = replace(history[-1], critique=said)
        ended = number == rounds or converged(history)
        if ended and extras.final == "judged":
            break
        terms, query = await critic.refine(question, history, run)  # Eq. 9 to 11
        query = with_concepts(question, query) if extras.concepts else query
        if ended or any(one.asked(query) for one in history):
            break
    if history and extras.final == "judged":
        return chosen(best_attempt(history, extras.enough), len(history), run)
    known = next((one for one in history if one.asked(query)), None)
    return chosen(known or await attempt(question, query, history, run), len(history) + (known is None), run)  # line 13


@dataclass(frozen=True)
class _Pool:
    """The evidence pool. `done`: reading is over, because the pool suffices or T is used; else what is missing."""

    evidence: Sequence[Evidence]
    done: bool = False
    missing: str = ""


async def _read(question: Question, found: Attempt, known: Sequence[Evidence], run: Run) -> _Pool:
    """What the documents of an attempt say, without those that are known already."""
    extras = run.settings.section(PubMedReasonerSettings)
    standing = await readable(texts(found.result.hits), run, retractions=run.settings.recipe.retractions)
    seen = {evidence.document_id for evidence in known}
    fresh = [hit for hit in standing if hit.passage.document_id not in seen]
    if extras.reading != "evidence":
        whole = await quoted_whole(fresh, run.settings.retrieval.keep, run)
        return _Pool([*known, *whole], done=bool(whole))
    return await _reflective_retrieval(question, fresh, known, run)


async def _reflective_retrieval(question: Question, hits: Sequence[Hit], known: Sequence[Evidence], run: Run) -> _Pool:
    """Algorithm 2: filter, then read in batches until the evidence suffices, a batch adds nothing, or T is used."""
    extras, size = run.settings.section(PubMedReasonerSettings), run.settings.recipe.batch
    waiting = await screen_batch(question, await _top(question, hits, run), run)  # Eq. 12
    evidence, before, missing = list(known), run.usage.tokens, ""
    for number, batch in enumerate(batches(waiting, size), start=1):
        readings, waiting = waiting[:size], waiting[size:]
        with run.step(replace(batch, readings=tuple(readings)).step):
            added = await extract_evidence(question, readings, run)  # Eq. 13 and 14
            evidence += added
            if not extras.batching:
                continue
            said = await coverage_check(question, evidence, waiting, run)  # Eq. 15
            if said.sufficient:
                return _Pool(evidence, done=True)
            if extras.tokens is not None and run.usage.tokens - before >= extras.tokens:
                run.warn(f"reading stopped after {number} batches: {extras.tokens} tokens are used up")
                return _Pool(evidence, done=True)
            if number > 1 and not added:  # marginal utility
                break
            missing, waiting = said.missing, needed_first(waiting, said.needed)
    return _Pool(evidence, done=not extras.batching and bool(evidence), missing=missing)


async def _top(question: Question, hits: Sequence[Hit], run: Run) -> list[Reading]:
    """The top M_max documents, in the order in which they are read."""
    extras = run.settings.section(PubMedReasonerSettings)
    found = reading_list(hits, run.settings.retrieval.keep, WEIGHED)
    await run.retrieve([reading.document_id for reading in found])
    filled = with_findings(found, run.ledger.documents)
    weighed = best_first(question, filled)
    if extras.reorder:
        return weighed
    rank = {reading.document_id: reading.rank for reading in found}
    ordered = sorted(weighed, key=lambda reading: rank[reading.document_id])
    return [replace(reading, rank=rank[reading.document_id]) for reading in ordered]


_ANSWERING: tuple[Operator[Any, Any], ...] = (screen, extract, sufficient, summarise, respond, respond_openly)

PUBMED_REASONER = Recipe(
    name="pubmed-reasoner",
    run=pubmed_reasoner,
    operators=(*QUERYING, *CRITICISING, *AT_ONCE, *_ANSWERING, *CHECKING),
    writers=(respond, respond_openly),
    reader=extract,
    settings=PubMedReasonerSettings,
)
