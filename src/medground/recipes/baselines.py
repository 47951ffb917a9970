"""Two baselines of PubMed Reasoner: one retrieval, and self-reflection. They share its query generation and response.

Source: PubMed Reasoner, section 4.2 and appendix D.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

from medground.answer import Answer
from medground.conclude.compose import compose, unanswered
from medground.conclude.finish import finish
from medground.evidence import Evidence
from medground.operators.answering import ReflectInput, reflect
from medground.operators.base import Operator
from medground.operators.searching import QUERYING
from medground.operators.searching_at_once import write_query
from medground.operators.summarising import ObservationView, respond, respond_openly, summarise
from medground.plan.dates import dated
from medground.plan.look import look
from medground.plan.mesh import normalised
from medground.plan.relax import PubMedQuery
from medground.question import Question
from medground.read.standing import readable, texts
from medground.read.whole import quoted_whole
from medground.recipes.base import Recipe
from medground.recipes.pubmed_reasoner import query_of
from medground.recipes.settings.pubmed_reasoner import PubMedReasonerSettings
from medground.run import Run
from medground.verify.check import CHECKING
from medground.write.draft import Draft
from medground.write.summary import respond_from, summarise_evidence


async def rag(question: Question, run: Run) -> Answer:
    """Search once, quote the first documents whole, and answer.

    Raises:
        SourceUnavailable: no source could be searched.
        ModelFailed: a model gave no usable output.
    """
    question = _dated(question, run)
    _, query = await query_of(question, run)
    evidence = await _first_documents(question, query, run)
    if not evidence:
        return compose(run, unanswered(""))
    _, draft = await _respond(question, evidence, run)
    return await finish(question, draft, evidence, run)


async def self_reflection(question: Question, run: Run) -> Answer:
    """Answer, find gaps in the answer, search for them with a revised query, and answer again.

    Raises:
        SourceUnavailable: no source could be searched.
        ModelFailed: a model gave no usable output.
    """
    question = _dated(question, run)
    _, query = await query_of(question, run)
    history = [query.text]
    evidence = await _first_documents(question, query, run)
    summary, draft = await _respond(question, evidence, run)
    for _ in range(run.settings.recipe.rounds - 1):
        value = ReflectInput(
            question=question.text, answer=_as_text(draft), summary=tuple(summary), history=tuple(history)
        )
        found = await run.ask(reflect, value)
        revised = normalised(found.query, run) if found.query.strip() else None
        if revised is None or revised.text in history:
            break
        history.append(revised.text)
        evidence = list({e.id: e for e in [*evidence, *await _first_documents(question, revised, run)]}.values())
        summary, draft = await _respond(question, evidence, run)
    if not evidence:
        return compose(run, unanswered(""))
    return await finish(question, draft, evidence, run)


def _dated(question: Question, run: Run) -> Question:
    return dated(question, run) if run.settings.section(PubMedReasonerSettings).dates else question


async def _first_documents(question: Question, query: PubMedQuery, run: Run) -> list[Evidence]:
    """The passages found in the first documents, quoted whole."""
    found = await look(question, query, run)
    retractions = run.settings.section(PubMedReasonerSettings).retractions
    standing = await readable(texts(found.hits), run, retractions=retractions)
    return await quoted_whole(standing, run.settings.recipe.batch, run)


async def _respond(question: Question, evidence: Sequence[Evidence], run: Run) -> tuple[list[ObservationView], Draft]:
    """A response to the summary of the evidence: of several candidates, the first with the commonest answer."""
    if not evidence:
        return [], Draft()
    summary = await summarise_evidence(question, evidence, run)
    wanted = run.settings.section(PubMedReasonerSettings).candidates
    if wanted == 1:
        return summary, await respond_from(question, summary, run)
    drafts = await asyncio.gather(*(respond_from(question, summary, run, sample=n) for n in range(1, wanted + 1)))
    votes = Counter(draft.answer for draft in drafts)
    return summary, max(drafts, key=lambda draft: (bool(draft.answer), votes[draft.answer]))


def _as_text(draft: Draft) -> str:
    return " ".join([*(s.text for s in draft.sentences), *draft.answer])


_RESPONDING: tuple[Operator[Any, Any], ...] = (write_query, summarise, respond, respond_openly, *CHECKING)

RAG = Recipe(
    name="rag",
    run=rag,
    operators=(*QUERYING, *_RESPONDING),
    writers=(respond, respond_openly),
    settings=PubMedReasonerSettings,
)
SELF_REFLECTION = Recipe(
    name="self-reflection",
    run=self_reflection,
    operators=(*QUERYING, *_RESPONDING, reflect),
    writers=(respond, respond_openly),
    settings=PubMedReasonerSettings,
)
