"""The contract of a reranker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from medground.document import Passage


class Reranker(Protocol):
    """Scores passages against a question, from 0 to 1; higher is better. Calibrated as far as the model allows."""

    @property
    def name(self) -> str:
        """Its name in hits and traces."""
        ...

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """One score from 0 to 1 per passage, in the order given."""
        ...
