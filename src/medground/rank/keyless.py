"""Score relevance by words and by the rank of the search.

On SciFact's training claims (BM25, top 20) the search order has an nDCG@10 of 0.708, words alone are worse (0.56 to
0.68), and this combination is the same (0.709). So the score is informative, but the order is no better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from medground.document import Passage
from medground.text import words

WINDOW = 25
_INTERCEPT, _RANK, _COVERAGE, _NEARNESS, _PAIRS, _TITLE = -2.47, -1.68, 1.57, 1.98, 1.10, 1.42
"""Logistic regression on SciFact's training claims: relevant or not, for the 20 best BM25 hits of each."""


class KeylessReranker:
    """Estimates the probability that a claim's authors would cite a passage.

    Pass passages in the order of the search.
    """

    @property
    def name(self) -> str:
        """Its name in hits and traces."""
        return "keyless"

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """One score from 0 to 1 per passage, in the order given."""
        asked = words.terms(question)
        wanted = frozenset(asked)
        bodies = [words.terms(f"{p.title}\n{p.text}") for p in passages]
        rarity = _rarity(wanted, [frozenset(b) for b in bodies])
        pairs = set(pairwise(asked))
        scores = []
        for rank, (passage, body) in enumerate(zip(passages, bodies, strict=True), start=1):
            found = wanted.intersection(body)
            logit = (
                _INTERCEPT
                + _RANK * math.log(rank)
                + _COVERAGE * sum(rarity[t] for t in sorted(found)) / (sum(rarity.values()) or 1.0)
                + _NEARNESS * words.densest(wanted, body, WINDOW)
                + _PAIRS * len(pairs.intersection(pairwise(body))) / max(len(pairs), 1)
                + _TITLE * words.coverage(wanted, words.terms(passage.title))
            )
            scores.append(1.0 / (1.0 + math.exp(-logit)))
        return scores


def _rarity(wanted: frozenset[str], bodies: Sequence[frozenset[str]]) -> dict[str, float]:
    """How rare each wanted stem is among these passages, which share a topic and so its common words."""
    return {t: math.log((len(bodies) + 1) / (sum(t in b for b in bodies) + 0.5)) for t in sorted(wanted)}
