"""How likely each sentence of the documents found answers a question: the weighted sum of `columns.py`.

`scripts/train_scorer.py` learns the weights from sentences and papers that experts marked; `data/scorer.json` holds
them with the data and the figures.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

import numpy as np

from medground.errors import ConfigError
from medground.language.question_reading import Asked
from medground.language.quoting.candidate import Candidate
from medground.language.quoting.columns import COLUMNS, columns

Terms = Mapping[str, float]
"""What each column adds to the score of a sentence, by name."""


def terms(asked: Asked, candidates: Sequence[Candidate]) -> list[list[Terms]]:
    """For each candidate, the terms of each of its sentences.

    Args:
        candidates: the documents, in the order of the search.
    """
    weighed = (columns(asked, candidates) * _weights()).round(6).tolist()
    rows = iter([dict(zip(COLUMNS, row, strict=True)) for row in weighed])
    return [[next(rows) for _ in candidate.sentences] for candidate in candidates]


def strengths(asked: Asked, candidates: Sequence[Candidate]) -> list[list[float]]:
    """For each candidate, the score of each of its sentences; only their order has a meaning."""
    return [[sum(row.values()) for row in rows] for rows in terms(asked, candidates)]


def digest(weights: Mapping[str, float]) -> str:
    """SHA-256 over weights as JSON."""
    return hashlib.sha256(json.dumps(weights, sort_keys=True).encode()).hexdigest()


@cache
def _weights() -> np.ndarray:
    """The shipped weight of each column. Raises ConfigError: the file of the package is damaged."""
    stored = json.loads((resources.files("medground") / "data" / "scorer.json").read_text(encoding="utf-8"))
    weights = stored["weights"]
    if digest(weights) != stored["sha256"] or list(weights) != list(COLUMNS):
        raise ConfigError("the weights of the scorer (data/scorer.json) are damaged; reinstall medground")
    return np.array([*weights.values()])
