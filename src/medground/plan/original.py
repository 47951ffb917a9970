"""Planners that ask every source the same: the question, or a passage that a model writes in the style of the source.

Source: Omni-RAG, appendix D.3 (Original Question, Query2Doc), prompts E.5 and E.6.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from medground.described import SourceDescription
from medground.operators.planning import (
    MOST_TERMS,
    ExploredSource,
    NameTermsInput,
    WritePassageInput,
    content_words,
    name_terms,
    write_passage,
)
from medground.plan.source_plan import SourcePlan, SourceQuery
from medground.question import Question
from medground.recipes.settings.omni_rag import OmniRagSettings
from medground.run import Run

Sources = tuple[SourceDescription, ...]


async def original(question: Question, sources: Sources, run: Run) -> SourcePlan:
    """The question to every source of texts; to a graph, fewer than four terms of it (E.5).

    Raises:
        ModelFailed: the model named no terms in a usable form.
        BudgetExhausted: the run reached one of its limits.
    """
    return await _plan(question, sources, {one.name: _whole(question) for one in sources}, run)


async def every_source(question: Question, sources: Sources, run: Run) -> SourcePlan:
    """The content words of the question to every source of texts; to a graph, fewer than four terms of it.

    Raises:
        ModelFailed: the model named no terms in a usable form.
        BudgetExhausted: the run reached one of its limits.
    """
    return await _plan(question, sources, {one.name: content_words(question.text) for one in sources}, run)


async def query2doc(question: Question, sources: Sources, run: Run) -> SourcePlan:
    """The question and a passage of at most 200 words that a model writes for each source of texts (E.6).

    Without a model there is no such passage, and the question is asked alone.

    Raises:
        ModelFailed: the model wrote no passage in a usable form.
        BudgetExhausted: the run reached one of its limits.
    """
    words = run.settings.section(OmniRagSettings).passage_words

    async def written(source: SourceDescription) -> str:
        seen = ExploredSource(name=source.name, kind=source.kind, about=source.about)
        output = await run.ask(write_passage, WritePassageInput(question=question.text, source=seen, words=words))
        return " ".join([question.text, *output.passage.split()[:words]])

    texts = [one for one in sources if one.kind != "graph"]
    passages = await asyncio.gather(*map(written, texts))
    return await _plan(question, sources, {one.name: said for one, said in zip(texts, passages, strict=True)}, run)


async def _plan(question: Question, sources: Sources, texts: Mapping[str, str], run: Run) -> SourcePlan:
    terms: tuple[str, ...] = ()
    if any(one.kind == "graph" for one in sources):
        named = (await run.ask(name_terms, NameTermsInput(question=question.text))).terms
        terms = tuple(dict.fromkeys(filter(None, (" ".join(term.split()) for term in named))))[:MOST_TERMS]
    about = tuple(SourceQuery(term=term, text=question.text) for term in terms)
    return SourcePlan(
        queries={one.name: about if one.kind == "graph" else (SourceQuery(text=texts[one.name]),) for one in sources}
    )


def _whole(question: Question) -> str:
    return " ".join([question.text, *(option.text for option in question.options)])
