"""The extractive rationale: which quotes to show without a model."""

from __future__ import annotations

from collections.abc import Sequence

from medground.operators.keyless.sentences import states_purpose
from medground.operators.views import EvidenceView
from medground.text import words
from medground.text.sentences import sentence_spans

REDUNDANT = 0.7
"""A quote is redundant if an earlier one has more than this share, by weight, of its words beyond the question's."""


def chosen_quotes(question: str, evidence: Sequence[EvidenceView], count: int) -> tuple[EvidenceView, ...]:
    """The quotes that the rationale shows, best first.

    Quotes on the question's topic come first, and statements of purpose last; otherwise the given order is kept.
    Quotes that repeat an earlier one and quotes from retracted papers are left out.

    Args:
        question: the question asked.
        evidence: quotes, strongest first.
        count: maximum number of quotes to choose.
    """
    topic = words.topic(question)
    usable = [e for e in evidence if "retract" not in e.design.lower()]
    chosen: list[EvidenceView] = []
    for candidate in sorted(usable, key=lambda e: (_off_topic(topic, e), _only_purpose(e.quote))):
        if len(chosen) >= count:
            break
        if not any(_repeats(topic, candidate.quote, c.quote) for c in chosen):
            chosen.append(candidate)
    return tuple(chosen)


def _off_topic(topic: frozenset[str], evidence: EvidenceView) -> bool:
    return topic.isdisjoint(words.terms(f"{evidence.title} {evidence.quote}"))


def _only_purpose(quote: str) -> bool:
    return states_purpose(quote) and all(states_purpose(quote[start:end]) for start, end in sentence_spans(quote))


def _repeats(topic: frozenset[str], quote: str, earlier: str) -> bool:
    found, before = frozenset(words.terms(quote)), words.terms(earlier)
    return words.coverage(found - topic or found, before) > REDUNDANT
