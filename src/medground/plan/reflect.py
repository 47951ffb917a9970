"""Reflexion: a single line of plans, each written from the feedback on all earlier ones.

Source: Omni-RAG, appendix D.3, prompts E.8 and E.9, after Shinn et al. (2023).
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.described import SourceDescription
from medground.plan.rounds import Place, Tried, search_for_plan
from medground.plan.sources import ReadPlan
from medground.question import Question
from medground.run import Run


async def reflexion(question: Question, sources: tuple[SourceDescription, ...], run: Run) -> ReadPlan:
    """The best-scored plan of at most `omni_rag.rounds` (eight); the paper returns the last."""
    return await search_for_plan(question, sources, run, all_feedback)


def all_feedback(tried: Sequence[Tried]) -> Place:
    """The next plan improves the last one, with the feedback on all."""
    return Place(feedback=tuple(tried), parent=tried[-1].number if tried else 0)
