"""PubMed Reasoner: a MeSH query that criticises itself before anything is read, then reading in batches.

Source: `docs/recipes/pubmed-reasoner.md` sets each equation and algorithm line beside the function that is it. What we
added to the paper can be turned off in `settings.pubmed_reasoner`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.answer import Answer
from medground.conclude.compose import compose, unanswered
from medground.conclude.finish import finish
from medground.evidence import Evidence
from medground.operators.searching import Candidate
from medground.plan.critic import QueryResult, critique, look, next_query, quality, revise_terms
from medground.plan.mesh import PubMedQuery, choose_terms, first_query, propose_terms
from medground.plan.relax import relaxed, with_concepts
from medground.question import Question
from medground.read.extract import extract_evidence, is_sufficient, screen_batch
from medground.read.order import batches, reading_list
from medground.read.standing import readable
from medground.run import Run
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
    extras = run.settings.pubmed_reasoner
    terms = await choose_terms(question, await propose_terms(question, run), run)  # Eq. 1 and 2
    query = await first_query(question, terms, run)  # Eq. 3
    if extras.concepts:
        query = with_concepts(question, query)
    query, found = await _self_critic(question, terms, query, run)  # Algorithm 1
    read = await _reflective_retrieval(question, found, (), run)  # Algorithm 2
    if extras.step_back and not read.sufficient and not read.spent:
        wider, found = await _widen(question, query, found, run, enough=run.settings.retrieval.keep)
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
    found = await _look_or_widen(question, query, run)
    history = [(query, found)]
    best = -1.0
    for _ in range(run.settings.recipe.rounds if run.settings.pubmed_reasoner.critic else 0):
        feedback = await critique(question, terms, query, found, run)  # Eq. 6 to 8
        if quality(feedback) <= best:
            break
        best = quality(feedback)
        terms = await revise_terms(question, feedback, found, run)  # Eq. 9
        refined = await next_query(question, terms, found, history, run)  # Eq. 10 and 11
        if run.settings.pubmed_reasoner.concepts:
            refined = with_concepts(question, refined)
        if refined.text in {tried.text for tried, _ in history}:
            break
        query, found = refined, await _look_or_widen(question, refined, run)
        history.append((query, found))
    enough = run.settings.pubmed_reasoner.enough
    chosen = max(reversed(history), key=lambda tried: min(tried[1].documents, enough))
    with run.trace.span("final query", rounds=len(history), documents=chosen[1].documents) as span:
        span.text(query=chosen[0].text)
    return chosen


async def _reflective_retrieval(question: Question, found: QueryResult, known: Sequence[Evidence], run: Run) -> _Read:
    """Algorithm 2: filter, then read in batches until the evidence suffices, a batch adds nothing, or T is used."""
    extras = run.settings.pubmed_reasoner
    standing = await readable(found.hits, run, retractions=extras.retractions)
    seen = {evidence.document_id for evidence in known}
    fresh = [hit for hit in standing if hit.passage.document_id not in seen]
    readings = reading_list(fresh, run.settings.retrieval.keep)  # the top M_max
    await run.retrieve([reading.document_id for reading in readings])
    kept = await screen_batch(question, readings, run)  # Eq. 12
    evidence, before = list(known), run.usage.tokens
    for number, batch in enumerate(batches(kept, run.settings.recipe.batch)):
        with run.trace.span("read batch", documents=[r.document_id for r in batch]):
            added = await extract_evidence(question, batch, run)  # Eq. 13 and 14
            evidence += added
            if not extras.batching:
                continue
            if await is_sufficient(question, evidence, run):  # Eq. 15
                return _Read(tuple(evidence), True)
            if extras.tokens is not None and run.usage.tokens - before >= extras.tokens:
                run.warn(f"reading stopped after {number + 1} batches: its {extras.tokens} tokens are used")
                return _Read(tuple(evidence), False, spent=True)
            if number and not added:  # marginal utility
                break
    return _Read(tuple(evidence), not extras.batching and bool(evidence))


async def _look_or_widen(question: Question, query: PubMedQuery, run: Run) -> QueryResult:
    """What a query finds; (a) a wider one where it finds too little."""
    found = await look(question, query, run)
    extras = run.settings.pubmed_reasoner
    if not extras.relax or found.documents >= extras.enough:
        return found
    return (await _widen(question, query, found, run, enough=extras.enough))[1]


async def _widen(
    question: Question, query: PubMedQuery, found: QueryResult, run: Run, *, enough: int
) -> tuple[PubMedQuery, QueryResult]:
    """A query that finds `enough` documents, or the widest there is; no query is searched twice."""
    seen = {query.text: found}

    async def count(candidate: PubMedQuery) -> int:
        if candidate.text not in seen:
            seen[candidate.text] = await look(question, candidate, run)
        return seen[candidate.text].documents

    wider = await relaxed(query, count, enough)
    return wider, seen[wider.text]


def _pmid_mark(evidence: Evidence) -> str:
    """`[PMID: 123]`, the paper's inline citation."""
    return f"[{evidence.document_id.replace(':', ': ', 1)}]"
