"""Removes what must not be shown with a question because it could give the answer away.

Source: Reason and Verify, section 4.1 (data decontamination).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NEAR_DUPLICATE = 0.95
"""Minimum cosine of two questions that count as the same question in other words."""


@dataclass(frozen=True)
class Clean:
    """Places that are left, and how many were removed for each reason. Each is counted once, for its first reason."""

    places: tuple[int, ...]
    shared: int
    near: int


def decontaminated(
    documents: Sequence[Collection[str]],
    vectors: NDArray[np.float32],
    held_documents: Collection[str],
    held_vectors: NDArray[np.float32],
) -> Clean:
    """Remove candidates that share a document with the held-out side, then those that nearly repeat its questions.

    Args:
        documents: ids of each candidate's documents.
        vectors: unit vectors of the candidates' questions, shape (candidates, dimensions).
        held_documents: ids of the documents of the current question, or of all held-out questions.
        held_vectors: unit vectors of those questions, shape (questions, dimensions).
    """
    held = frozenset(held_documents)
    disjoint = [place for place, ids in enumerate(documents) if held.isdisjoint(ids)]
    if not disjoint or not len(held_vectors):
        return Clean(tuple(disjoint), len(documents) - len(disjoint), 0)
    nearest = (vectors[disjoint] @ held_vectors.T).max(axis=1)
    kept = tuple(place for place, cosine in zip(disjoint, nearest, strict=True) if cosine < NEAR_DUPLICATE)
    return Clean(kept, len(documents) - len(disjoint), len(disjoint) - len(kept))
