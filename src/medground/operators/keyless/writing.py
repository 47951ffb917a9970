"""The extractive rationale: which quotes to show when no model writes."""

from __future__ import annotations

from collections.abc import Sequence

from medground.operators.keyless import words
from medground.operators.keyless.sentences import strength
from medground.operators.views import EvidenceView

REDUNDANT = 0.7
"""Share of a quote's words, by weight, that a quote already chosen may hold before the second one adds nothing."""


def choose(question: str, evidence: Sequence[EvidenceView], count: int) -> tuple[EvidenceView, ...]:
    """The quotes that the rationale shows, best first: strong, not repeating one another, never of a retracted paper.

    Args:
        question: the question asked.
        evidence: quotes in the order they were taken, better documents first.
        count: most quotes to choose.
    """
    usable = [e for e in evidence if "retract" not in e.design.lower()]
    scores = [strength(question, [e.quote], e.section)[0] for e in usable]
    order = sorted(range(len(usable)), key=lambda i: (-scores[i], i))
    chosen: list[EvidenceView] = []
    for i in order:
        if len(chosen) >= count:
            break
        if not any(_repeats(usable[i].quote, c.quote) for c in chosen):
            chosen.append(usable[i])
    return tuple(chosen)


def _repeats(quote: str, earlier: str) -> bool:
    return words.coverage(words.terms(quote), words.terms(earlier)) > REDUNDANT
