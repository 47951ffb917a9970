"""A closer look at the strongest sentences: boosted trees, learned by `scripts/train_closer.py` (LambdaMART).

The linear model sees every sentence and adds up what it sees; which signs count beside which others, for example that a
title on the subject is enough where the sentence tells what is asked, takes trees, and only a few sentences.
"""

from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from medground.language.quoting.features import Matrix

LOOKED_AT = 12
"""Strongest sentences that are looked at."""
SIGNS = (
    *("names", "on what is named", "defines", "beside or in a cell", "form", "quotable", "names alone", "title names"),
    *("behind", "words behind", "words", "place", "document", "of its document", "place of its document"),
)
"""What is seen of a sentence beside its `features`."""
_SCALE = 1.7
"""Makes scores logarithms of how much likelier one sentence is the best quote than another: chosen by folds."""


def looked_at(rows: Matrix, own: Matrix, strengths: Matrix, words: Matrix, documents: NDArray[np.intp]) -> Matrix:
    """What trees see of the strongest sentences, in their order. Array of shape (sentences, features and `SIGNS`).

    Args:
        rows: their `features`.
        own: the first eight `SIGNS` of each.
        strengths: how strong each is by rules and words.
        words: how strong each is by words alone.
        documents: the place of its document in the search.
    """
    first = {document: place for place, document in reversed([*enumerate(documents.tolist())])}
    among = [(documents == one).sum() for one in documents]
    signs = (
        *(strengths - strengths.max(), words - words.max(), words, np.arange(len(words)), documents),
        *(among, [first[one] for one in documents.tolist()]),
    )
    return np.column_stack([rows, own, *signs])


def scores(seen: Matrix) -> Matrix:
    """By how much each sentence is likelier the best quote than the likeliest one, as logarithms: 0 or less."""
    features, thresholds, left, right, leaves = _trees()
    trees = np.arange(len(features))
    nodes = np.zeros((len(seen), len(features)), dtype=np.int64)
    while (nodes >= 0).any():
        at = np.maximum(nodes, 0)
        below = np.take_along_axis(seen, features[trees, at], axis=1) <= thresholds[trees, at]
        nodes = np.where(nodes < 0, nodes, np.where(below, left[trees, at], right[trees, at]))
    whole = leaves[trees, ~nodes].sum(axis=1)
    return np.asarray(_SCALE * (whole - whole.max()))


@cache
def _trees() -> tuple[NDArray[np.int64], Matrix, NDArray[np.int64], NDArray[np.int64], Matrix]:
    """Of each node the feature and its threshold, the nodes below, `~n` for leaf n; and what the leaves are worth."""
    with (resources.files("medground") / "data" / "closer.npz").open("rb") as file, np.load(file) as stored:
        features, left, right = (stored[name].astype(np.int64) for name in ("features", "left", "right"))
        return features, stored["thresholds"].astype(float), left, right, stored["leaves"].astype(float)
