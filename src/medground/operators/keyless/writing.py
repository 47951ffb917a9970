"""The extractive rationale: which quotes to show when no model writes."""

from __future__ import annotations

from collections.abc import Sequence

from medground.operators.keyless.sentences import reports_result, states_purpose
from medground.operators.views import EvidenceView
from medground.text import words

REDUNDANT = 0.7
"""Share of a quote's words, by weight, that an earlier quote may hold before the later one adds nothing."""


def choose(question: str, evidence: Sequence[EvidenceView], count: int) -> tuple[EvidenceView, ...]:
    """The quotes that the rationale shows, best first.

    The order of taking is kept, which is strongest first, with findings before other sentences and statements of
    purpose last; what names nothing of the question's topic comes after what does. A quote that repeats an earlier one
    and a quote of a retracted paper are left out.

    Args:
        question: the question asked.
        evidence: quotes in the order they were taken.
        count: most quotes to choose.
    """
    topic = words.topic(question)
    usable = [e for e in evidence if "retract" not in e.design.lower()]
    chosen: list[EvidenceView] = []
    for candidate in sorted(usable, key=lambda e: _reserve(topic, e.quote)):
        if len(chosen) >= count:
            break
        if not any(_repeats(candidate.quote, c.quote) for c in chosen):
            chosen.append(candidate)
    return tuple(chosen)


def _reserve(topic: frozenset[str], quote: str) -> tuple[bool, int]:
    """Sorts what to show first before what to keep in reserve."""
    kind = 2 if states_purpose(quote) else 0 if reports_result(quote) else 1
    return topic.isdisjoint(words.terms(quote)), kind


def _repeats(quote: str, earlier: str) -> bool:
    return words.coverage(words.terms(quote), words.terms(earlier)) > REDUNDANT
