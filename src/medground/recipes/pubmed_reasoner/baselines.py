"""Two baselines of PubMed Reasoner: one retrieval, and self-reflection. They share its query generation and response.

Source: PubMed Reasoner, section 4.2 and appendix D.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from medground.answering.conclude.compose import compose, unanswered
from medground.answering.conclude.finish import finish
from medground.answering.run import Run
from medground.answering.verify.check import CHECKING
from medground.answering.write.draft import Draft, drafted, written
from medground.home.concurrency import concurrently
from medground.models.operators.base import Operator
from medground.recipes.base import Recipe, readable_texts
from medground.recipes.pubmed_reasoner.answering import (
    ObservationView,
    RecallInput,
    ReflectInput,
    recall,
    reflect,
    respond,
    respond_openly,
    summarise,
)
from medground.recipes.pubmed_reasoner.operators import QUERYING
from medground.recipes.pubmed_reasoner.queries import dated, normalised, search, write_query
from medground.recipes.pubmed_reasoner.reading import quoted_whole
from medground.recipes.pubmed_reasoner.recipe import answers_anyway, query_of, respond_from, summarise_evidence
from medground.recipes.settings import PubMedReasonerSettings
from medground.sources.pubmed.query import PubMedQuery
from medground.values.answer import Answer
from medground.values.evidence import Evidence
from medground.values.question import Question
from medground.values.statement import Verdict


async def rag(question: Question, run: Run) -> Answer:
    """Search once, quote the first documents whole, and answer."""
    return await _in_rounds(question, run, 1)


async def self_reflection(question: Question, run: Run) -> Answer:
    """Answer, find gaps in the answer, search for them with a revised query, and answer again."""
    return await _in_rounds(question, run, run.settings.recipe.rounds)


async def _in_rounds(question: Question, run: Run, rounds: int) -> Answer:
    question = dated(question, run)
    _, query = await query_of(question, run)
    history = [query.text]
    evidence = await _first_documents(question, query, run)
    summary, draft = await _respond(question, evidence, run)
    for _ in range(rounds - 1):
        said = " ".join([*(s.text for s in draft.sentences), *draft.answer])
        value = ReflectInput(question=question.text, answer=said, summary=tuple(summary), history=tuple(history))
        found = await run.ask(reflect, value)
        revised = normalised(found.query, run) if found.query.strip() else None
        if revised is None or revised.text in history:
            break
        history.append(revised.text)
        evidence = list(dict.fromkeys([*evidence, *await _first_documents(question, revised, run)]))
        summary, draft = await _respond(question, evidence, run)
    if not evidence and not answers_anyway(run):
        return compose(run, unanswered(""))
    return await finish(question, draft, evidence, run)


async def _first_documents(question: Question, query: PubMedQuery, run: Run) -> list[Evidence]:
    found = await search(question, query, run)
    return await quoted_whole(await readable_texts(found.hits, run), run.settings.recipe.batch, run)


async def _respond(question: Question, evidence: Sequence[Evidence], run: Run) -> tuple[list[ObservationView], Draft]:
    """A response to the summary of the evidence: of several candidates, the first with the commonest answer."""
    if not evidence and not answers_anyway(run):
        return [], Draft()
    summary = await summarise_evidence(question, evidence, run)
    wanted = run.settings.section(PubMedReasonerSettings).candidates
    if wanted == 1:
        return summary, await respond_from(question, summary, run)
    drafts = await concurrently(respond_from(question, summary, run, sample=n) for n in range(1, wanted + 1))
    votes = Counter(draft.answer for draft in drafts)
    return summary, max(drafts, key=lambda draft: (bool(draft.answer), votes[draft.answer]))


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


async def model_only(question: Question, run: Run) -> Answer:
    """Answer from the model's memory. Nothing is searched, so no sentence is supported."""
    output = await run.ask(recall, RecallInput(question=question.text, task=question.task, options=question.options))
    draft = drafted(question, written(output), output, run, run.author(recall))
    if not draft.answer:
        draft = draft.replace(reason="this recipe does not search, and no model gave an answer")
    nothing = Verdict(label="not found", critic="citation", note="written without evidence")
    return compose(run, draft, [nothing] * len(draft.sentences))


MODEL_ONLY = Recipe(name="model-only", run=model_only, operators=(recall,), writers=(recall,), needs_evidence=False)
