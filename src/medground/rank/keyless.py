"""Reranking by words alone."""

from __future__ import annotations

from collections.abc import Sequence

from medground.document import Passage
from medground.operators.keyless import words


class KeylessReranker:
    """Scores a passage by the share of the question's words, by weight, that its title and text hold."""

    @property
    def name(self) -> str:
        """How hits and traces name it."""
        return "keyless"

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """One score in 0..1 per passage, in the order given, which is the fused one."""
        wanted = words.terms(question)
        return [words.coverage(wanted, words.terms(f"{p.title} {p.text}")) for p in passages]
