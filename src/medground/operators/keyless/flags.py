"""What makes a lookalike wrong: differences between a statement and the quote that is nearest to it.

Nothing here says that a quote supports a statement. Measured on SciFact, word statistics do not tell SUPPORT from
REFUTE better than the majority does; they tell `related` from `not related`, and they point at differences to look at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from medground.operators.keyless import words
from medground.operators.views import EvidenceView

RELATED = 0.5
"""Least share of a statement's words, by weight, that a related quote holds."""


@dataclass(frozen=True)
class Comparison:
    """A statement against the quotes.

    Attributes:
        related: whether a quote is about the same things, which is no proof.
        best: id of the nearest quote, None when nothing is related.
        coverage: share of the statement's words, by weight, in the nearest quote, 0 to 1.
        flags: kinds of difference from the nearest quote: `number`, `negation`, `direction`, `comparison`,
            `certainty`, `cause`.
    """

    related: bool
    best: str | None
    coverage: float
    flags: tuple[str, ...]


def compare(statement: str, evidence: Sequence[EvidenceView]) -> Comparison:
    """Find the quote nearest to a statement and name the differences that change a meaning."""
    wanted = words.terms(statement)
    scores = [words.coverage(wanted, words.terms(e.quote)) for e in evidence]
    best = max(range(len(scores)), key=lambda i: (scores[i], -i), default=None)
    if best is None or scores[best] < RELATED:
        return Comparison(related=False, best=None, coverage=scores[best] if best is not None else 0.0, flags=())
    return Comparison(True, evidence[best].id, scores[best], differences(statement, evidence[best].quote))


_NEGATION = re.compile(
    r"\b(?:no|not|never|neither|nor|without|cannot|fail(?:s|ed)? to|lack(?:s|ed|ing)?)\b|n['’]t\b", re.I
)


def differences(statement: str, quote: str) -> tuple[str, ...]:
    """Kinds of difference between a statement and a quote, in a fixed order."""
    found = []
    if bool(_NEGATION.search(statement)) != bool(_NEGATION.search(quote)):
        found.append("negation")
    return tuple(found)
