"""Summarise evidence by article, and write a response from the summary.

Source: PubMed Reasoner, section 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from medground.document import Document
from medground.evidence import Evidence
from medground.operators.summarising import (
    ObservationView,
    RespondInput,
    SampledRespondInput,
    SummariseInput,
    respond,
    respond_openly,
    summarise,
)
from medground.question import Question
from medground.rank.design import design_level
from medground.read.extract import evidence_views
from medground.run import Run
from medground.text import words
from medground.write.draft import Draft, drafted

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


async def summarise_evidence(question: Question, evidence: Sequence[Evidence], run: Run) -> list[ObservationView]:
    """Observations by article, each with its quotes (SoE)."""
    output = await run.ask(summarise, SummariseInput(question=question.text, evidence=evidence_views(evidence, run)))
    articles = {e.id: e.document_id for e in evidence}
    return [
        ObservationView(article=articles[o.evidence[0]], text=o.text, evidence=o.evidence) for o in output.observations
    ]


def as_observations(evidence: Sequence[Evidence]) -> list[ObservationView]:
    """The quotes themselves in place of a summary (Table 9, abstracts only)."""
    return [ObservationView(article=e.document_id, text=e.quote, evidence=(e.id,)) for e in evidence]


async def respond_from(
    question: Question, summary: Sequence[ObservationView], run: Run, *, sample: int | None = None
) -> Draft:
    """The response, given the question, the task and the summary; `sample` is its number if several are wanted."""
    value = RespondInput(
        question=question.text,
        task=question.task,
        options=question.options,
        summary=tuple(summary),
        sentences=run.settings.recipe.sentences,
    )
    if sample is not None:
        value = SampledRespondInput(**dict(value), sample=sample)
    return drafted(await run.ask(respond_openly if run.settings.recipe.own_knowledge else respond, value))


def pmid_mark(evidence: Evidence) -> str:
    """`[PMID: 123]`, the paper's inline citation."""
    return f"[{evidence.document_id.replace(':', ': ', 1)}]"
