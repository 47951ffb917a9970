"""PubMed Reasoner: a MeSH query that is critiqued and refined before anything is read, then reading in batches.

`docs/recipes/pubmed-reasoner.md` maps each element of the paper to the function that implements it. Settings turn off
what we added; the preset `pubmed-reasoner-paper` turns off all of it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from medground.answering.captions import design
from medground.answering.conclude.compose import compose, unanswered
from medground.answering.conclude.finish import finish
from medground.answering.read.evidence import evidence_views, with_findings
from medground.answering.read.reading_list import WEIGHED, Reading, best_first, reading_list, reading_step
from medground.answering.run import Run
from medground.answering.verify.check import CHECKING
from medground.answering.write.draft import Draft, drafted, written
from medground.corpus.design import design_level
from medground.language import words
from medground.language.question_reading import Asked
from medground.models.operators.base import Operator
from medground.models.operators.reading import extract, screen, sufficient
from medground.recipes.base import Recipe, readable_texts
from medground.recipes.pubmed_reasoner import critic, queries
from medground.recipes.pubmed_reasoner.answering import (
    ObservationView,
    RespondInput,
    SampledRespondInput,
    SummariseInput,
    respond,
    respond_openly,
    summarise,
)
from medground.recipes.pubmed_reasoner.operators import CRITICISING, QUERYING, Candidate
from medground.recipes.pubmed_reasoner.reading import coverage_check, extract_evidence, quoted_whole, screen_batch
from medground.recipes.settings import PubMedReasonerSettings
from medground.sources.pubmed.query import PubMedQuery, with_concepts
from medground.values.answer import Answer
from medground.values.document import Document, Hit
from medground.values.evidence import Evidence
from medground.values.question import Question
from medground.values.steps import QueryChosen

ON_TOPIC = 0.7
"""Share of the topic, of the best article's share, that an article covers whose design counts."""


def by_article(evidence: Sequence[Evidence], run: Run, *, designs: bool) -> list[Evidence]:
    """Evidence grouped by article in reading order.

    If `designs`, stronger study designs come first, among the articles on the whole topic: a trial of something else
    comes after them.
    """
    topic = words.topic(run.question.text)
    covers = {e.id: words.coverage(topic, words.terms(f"{_document(e, run).title} {e.quote}")) for e in evidence}
    enough = ON_TOPIC * max(covers.values(), default=0.0)
    about = {e.document_id for e in evidence if covers[e.id] >= enough}

    def place(quote: Evidence) -> tuple[bool, int, int]:
        level = design_level(_document(quote, run).publication_types) if designs else 0
        return designs and quote.document_id not in about, level, quote.rank

    groups = groupby(sorted(evidence, key=lambda e: (place(e), e.document_id)), key=lambda e: e.document_id)
    return [quote for _, group in groups for quote in group]


def _document(evidence: Evidence, run: Run) -> Document:
    return run.ledger.documents[evidence.document_id]


async def summarise_evidence(
    question: Question, evidence: Sequence[Evidence], run: Run, *, whole: bool = False
) -> list[ObservationView]:
    """Observations by article, each with its quotes (SoE); `whole`: the quotes themselves (Table 9, abstracts only)."""

    def observed(name: str, text: str, quotes: tuple[str, ...]) -> ObservationView:
        paper = run.ledger.documents[name]
        head: dict[str, Any] = {"title": paper.title, "year": paper.year, "design": design(paper)}
        return ObservationView(article=name, text=text, evidence=quotes, **head)

    if whole or not evidence:
        return [observed(e.document_id, e.quote, (e.id,)) for e in evidence]
    value = SummariseInput(question=question.text, evidence=evidence_views(evidence, run.ledger.documents))
    output = await run.ask_for_part(summarise, value, "the summary of the quotes")
    articles = {e.id: e.document_id for e in evidence}
    return [
        observed(articles[o.evidence[0]], o.text, o.evidence)
        for o in output.observations
        if o.evidence  # ids that were not given are dropped from a last reply
    ]


async def respond_from(
    question: Question, summary: Sequence[ObservationView], run: Run, *, sample: int | None = None
) -> Draft:
    """The response, given the question, the task and the summary; `sample` is its number if several are wanted."""
    asked: dict[str, Any] = {"question": question.text, "task": question.task, "options": question.options}
    value = RespondInput(**asked, summary=tuple(summary), sentences=run.settings.recipe.sentences)
    if sample is not None:
        value = SampledRespondInput(**dict(value), sample=sample)
    operator = respond_openly if run.settings.recipe.own_knowledge else respond
    output = await run.ask(operator, value)
    return drafted(question, written(output), output, run, run.author(operator))


def answers_anyway(run: Run) -> bool:
    """Whether a model answers from what it knows where nothing was found, as the paper's prompt allows (appendix E)."""
    return run.settings.recipe.own_knowledge and run.answers_anyway(respond_openly)


async def pubmed_reasoner(question: Question, run: Run) -> Answer:
    """Answer a question."""
    extras = run.settings.section(PubMedReasonerSettings)
    question = queries.dated(question, run)
    terms, query = await query_of(question, run)
    query = with_concepts(question, query) if extras.concepts else query
    best = await _self_critic(question, terms, query, run)  # Algorithm 1
    pool = await _read(question, best, (), run)
    if extras.step_back and not pool.done and (again := await critic.step_back(question, best, pool.missing, run)):
        pool = await _read(question, again, pool.evidence, run)
    if not pool.evidence and not answers_anyway(run):
        return compose(run, unanswered(""))
    evidence = by_article(pool.evidence, run, designs=extras.designs)
    summary = await summarise_evidence(question, evidence, run, whole=extras.reading == "abstracts")
    draft = await respond_from(question, summary, run)
    return await finish(
        question, draft, evidence, run, missing=pool.missing, mark=lambda e: f"[{e.document_id.replace(':', ': ', 1)}]"
    )


async def query_of(question: Question, run: Run) -> tuple[Sequence[Candidate], PubMedQuery]:
    """MeSH terms and the first query; in one call there are no terms."""
    if queries.at_once(run):
        return (), queries.normalised(
            (await run.ask(queries.write_query, queries.WriteQueryInput(question=question.text))).query, run
        )
    terms = await queries.choose_terms(question, await queries.propose_terms(question, run), run)  # Eq. 1 and 2
    return terms, await queries.first_query(question, terms, run)  # Eq. 3


async def _self_critic(question: Question, terms: Sequence[Candidate], query: PubMedQuery, run: Run) -> critic.Attempt:
    """Algorithm 1: refine the query until coverage and alignment stop improving, a query repeats, or T rounds end."""
    extras, rounds = run.settings.section(PubMedReasonerSettings), run.settings.recipe.rounds
    history: list[critic.Attempt] = []
    for number in range(1, rounds + 1 if extras.critic else 1):
        history.append(await critic.attempt(question, query, history, run))  # Eq. 4 and 5
        said = await critic.criticised(question, terms, history, run)  # Eq. 6 to 8
        history[-1] = replace(history[-1], critique=said)
        ended = number == rounds or critic.converged(history)
        if ended and extras.final == "judged":
            break
        terms, query = await critic.refined(question, said, history, run)  # Eq. 9 to 11
        query = with_concepts(question, query) if extras.concepts else query
        if ended or any(one.asked(query) for one in history):
            break
    if history and extras.final == "judged":
        chosen, rounds = critic.best_attempt(history, extras.enough), len(history)
    else:
        known = next((one for one in history if one.asked(query)), None)
        chosen, rounds = known or await critic.attempt(question, query, history, run), len(history) + (known is None)
    with run.step(QueryChosen(query=chosen.query.text, rounds=rounds, documents=chosen.result.documents)):
        return chosen  # line 13


@dataclass(frozen=True)
class _Pool:
    """The evidence pool. `done`: reading is over, because the pool suffices or T is used; else what is missing."""

    evidence: Sequence[Evidence]
    done: bool = False
    missing: str = ""


async def _read(question: Question, found: critic.Attempt, known: Sequence[Evidence], run: Run) -> _Pool:
    """What the documents of an attempt say, without those that are known already."""
    extras = run.settings.section(PubMedReasonerSettings)
    seen = {evidence.document_id for evidence in known}
    fresh = [hit for hit in await readable_texts(found.result.hits, run) if hit.passage.document_id not in seen]
    if extras.reading != "evidence":
        whole = await quoted_whole(fresh, run.settings.retrieval.keep, run)
        return _Pool([*known, *whole], done=bool(whole))
    return await _reflective_retrieval(run.reading(question), fresh, known, run)


async def _reflective_retrieval(asked: Asked, hits: Sequence[Hit], known: Sequence[Evidence], run: Run) -> _Pool:
    """Algorithm 2: filter, then read in batches until the evidence suffices, a batch adds nothing, or T is used."""
    extras, size = run.settings.section(PubMedReasonerSettings), run.settings.recipe.batch
    waiting = await screen_batch(asked, await _top(asked, hits, run), run)  # Eq. 12
    evidence, before, missing = list(known), _needed(run), ""
    most = math.ceil(len(waiting) / size)
    for number in range(1, most + 1):
        readings, waiting = waiting[:size], waiting[size:]
        with run.step(reading_step(readings, number, most)):
            added = await extract_evidence(asked, readings, run)  # Eq. 13 and 14
            evidence += added
            if not extras.batching:
                continue
            said = await coverage_check(asked, evidence, waiting, run)  # Eq. 15
            missing = said.missing
            if said.sufficient:
                return _Pool(evidence, done=True)
            if extras.tokens is not None and _needed(run) - before >= extras.tokens:
                run.warn(f"reading stopped after {number} batches: {extras.tokens} tokens are used up")
                return _Pool(evidence, done=True, missing=missing)
            if number > 1 and not added:  # marginal utility
                break
            waiting = sorted(waiting, key=lambda reading: reading.document_id not in said.needed)
    return _Pool(evidence, done=not extras.batching and bool(evidence), missing=missing)


def _needed(run: Run) -> int:
    """Tokens so far, also of replies from the cache: a second run stops where the first did."""
    return run.usage.needed_input + run.usage.needed_output


async def _top(asked: Asked, hits: Sequence[Hit], run: Run) -> list[Reading]:
    """The top M_max documents, in the order in which they are read."""
    extras = run.settings.section(PubMedReasonerSettings)
    found = reading_list(hits, run.settings.retrieval.keep, WEIGHED)
    await run.retrieve([reading.document_id for reading in found])
    filled = with_findings(asked, found, run.ledger.documents)
    weighed = best_first(asked, filled)
    if extras.reorder:
        return weighed
    rank = {reading.document_id: reading.rank for reading in found}
    ordered = sorted(weighed, key=lambda reading: rank[reading.document_id])
    return [replace(reading, rank=rank[reading.document_id]) for reading in ordered]


_ANSWERING: tuple[Operator[Any, Any], ...] = (screen, extract, sufficient, summarise, respond, respond_openly)

PUBMED_REASONER = Recipe(
    name="pubmed-reasoner",
    run=pubmed_reasoner,
    operators=(*QUERYING, *CRITICISING, *queries.AT_ONCE, *_ANSWERING, *CHECKING),
    writers=(respond, respond_openly),
    reader=extract,
    settings=PubMedReasonerSettings,
)
