"""Two scores that decide whether a set of passages is enough to reason from, or the query is rewritten.

Source: Reason and Verify, Algorithm 1, lines 5 and 6, with its implementation details.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from medground.document import Hit, Passage
from medground.text import words

_NEAREST = 1e-6
"""Means are kept at least this far from 0 and 1, so that their logit is finite."""


class Calibration(BaseModel):
    """A logistic map from a reranker's mean score to the probability that the passages include a paper to cite."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reranker: str
    intercept: float
    slope: float
    fitted_on: str
    sets: int

    def __call__(self, mean: float) -> float:
        bounded = min(max(mean, _NEAREST), 1 - _NEAREST)
        return 1 / (1 + math.exp(-(self.intercept + self.slope * math.log(bounded / (1 - bounded)))))


def overlap(question: str, passages: Sequence[Passage]) -> float:
    """Overlap(q, E): share of the question's content words that occur in the passages and their titles, 0 to 1.

    Words are compared by stem, as in the index. A question with only stop words has an overlap of 1.
    """
    asked = frozenset(words.terms(question))
    found = {term for passage in passages for term in words.terms(f"{passage.title}\n{passage.text}")}
    return len(asked & found) / len(asked) if asked else 1.0


def evidence_score(reranker: str, hits: Sequence[Hit]) -> float:
    """EvidenceScore(q, E): the mean score of the passages by the reranker, calibrated if a calibration is available.

    Scores of different rerankers are not comparable. If the reranker has a row in `data/evidence_scores.json`, the mean
    is mapped to the probability that the passages contain the evidence. A cross-encoder without a row counts as its
    sigmoid gives it, as in the paper. No hits score 0.
    """
    if not hits:
        return 0.0
    mean = sum(hit.score for hit in hits) / len(hits)
    known = calibrations().get(reranker)
    return mean if known is None else known(mean)


@cache
def calibrations() -> dict[str, Calibration]:
    """The calibrations that ship with the package, by reranker."""
    rows = json.loads((resources.files("medground") / "data" / "evidence_scores.json").read_text(encoding="utf-8"))
    return {row["reranker"]: Calibration.model_validate(row) for row in rows}
