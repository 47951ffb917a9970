"""Which sentences are about an option, and how far its words lean towards them. Neither says that it is right."""

from __future__ import annotations

from collections.abc import Sequence

from medground.operators.keyless.flags.compare import compare
from medground.operators.views import EvidenceView, SentenceView
from medground.text import words
from medground.text.prose import is_prose

LEAST = 0.2
"""Least share of an option's words, by weight, in a sentence that is shown for it."""
MOST = 2
"""Sentences shown for an option."""
REVERSED = 0.5
"""What remains of a lean where the nearest sentence has another direction, negation or number."""
_REVERSING = frozenset({"negation", "direction", "number", "unit"})


def nearest_sentences(option: str, sentences: Sequence[SentenceView]) -> tuple[str, ...]:
    """Ids of the sentences that share most with an option, best first; none if they share little."""
    wanted = words.terms(option)
    scored = [(words.coverage(wanted, words.terms(one.text)), n) for n, one in enumerate(sentences)]
    best = sorted((-share, n) for share, n in scored if share >= LEAST and is_prose(sentences[n].text))[:MOST]
    return tuple(sentences[n].id for _, n in best)


def option_lean(option: str, sentences: Sequence[str]) -> float:
    """How much of an option its own sentences say, 0 to 1: the share of its words, less where they say it differently.

    The share is that of the option's word stems, by weight, in all of these sentences together. It is halved where
    the nearest sentence has another direction, negation, number or unit. It is no probability.
    """
    if not sentences:
        return 0.0
    held = frozenset(term for one in sentences for term in words.terms(one))
    share = words.coverage(words.terms(option), held)
    found = compare(option, [EvidenceView(id=f"E{n}", quote=one) for n, one in enumerate(sentences, start=1)])
    return share * REVERSED if _REVERSING.intersection(found.flags) else share
