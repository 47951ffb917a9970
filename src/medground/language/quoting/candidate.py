"""A document to quote from."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A document to quote from, or what was found of it.

    Attributes:
        title: its title.
        sentences: the sentences in text order.
        by_words: its best score of the ranking by words, divided by the best of all documents; 0 to 1, 0 if unknown.
        headings: for each sentence, the heading over it; empty if there are none.
    """

    title: str
    sentences: Sequence[str]
    by_words: float = 0.0
    headings: Sequence[str | None] = ()

    def heading(self, sentence: int) -> str | None:
        """The heading over a sentence, by its number."""
        return self.headings[sentence] if self.headings else None


def log_sum(strengths: Iterable[float]) -> float:
    """The logarithm of the summed exponentials; minus infinity for none."""
    values = list(strengths)
    most = max(values, default=-math.inf)
    return most + math.log(sum(math.exp(value - most) for value in values)) if math.isfinite(most) else most
