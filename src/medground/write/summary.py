"""Summarise evidence by article, and write a response from the summary.

Source: PubMed Reasoner, section 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from medground.evidence import Evidence
from medground.operators.summarising import ObservationView, RespondInput, SummariseInput, respond, summarise
from medground.question import Question
from medground.rank.design import design_level
from medground.read.extract import evidence_views
from medground.run import Run
from medground.write.draft import Draft, drafted


def by_article(evidence: Sequence[Evidence], run: Run, *, designs: bool) -> list[Evidence]:
    """Evidence grouped by article in reading order; if `designs`, stronger study designs come first."""

    def place(quote: Evidence) -> tuple[int, int]:
        level = design_level(run.ledger.documents[quote.document_id].publication_types) if designs else 0
        return level, quote.rank

    groups = groupby(sorted(evidence, key=lambda e: (place(e), e.document_id)), key=lambda e: e.document_id)
    return [quote for _, group in groups for quote in group]


async def summarise_evidence(question: Question, evidence: Sequence[Evidence], run: Run) -> list[ObservationView]:
    """Observations by article, each with its quotes (SoE)."""
    output = await run.ask(summarise, SummariseInput(question=question.text, evidence=evidence_views(evidence, run)))
    articles = {e.id: e.document_id for e in evidence}
    return [
        ObservationView(article=articles[o.evidence[0]], text=o.text, evidence=o.evidence) for o in output.observations
    ]


async def respond_from(question: Question, summary: Sequence[ObservationView], run: Run) -> Draft:
    """The response, given the question, the task and the summary."""
    output = await run.ask(
        respond,
        RespondInput(
            question=question.text,
            task=question.task,
            options=question.options,
            summary=tuple(summary),
            sentences=run.settings.recipe.sentences,
        ),
    )
    return drafted(output)


def pmid_mark(evidence: Evidence) -> str:
    """`[PMID: 123]`, the paper's inline citation."""
    return f"[{evidence.document_id.replace(':', ': ', 1)}]"
