"""The contract of a reranker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from medground.document import Passage


class Reranker(Protocol):
    """Scores passages against a question, higher is better, calibrated to 0..1 as far as the model allows."""

    @property
    def name(self) -> str:
        """How hits and traces name it."""
        ...

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """One score in 0..1 per passage, in the order given."""
        ...
