"""How well each sentence of the retrieved papers answers a question: a linear model over `features.py`.

`scripts/train_reader.py` learns the weights from the sentences and papers that experts marked; `data/reader.json`
records the data, and `benchmarks/answers.py` measures the result. There are two sets of weights, with and without
vectors.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from medground.errors import ConfigError
from medground.language.quoting.features import NAMES, Matrix, features
from medground.language.quoting.pool import Candidate, asked

LIMIT = 5.0
"""Standard deviations: a value further from the mean counts as this far."""


def strengths(question: str, candidates: Sequence[Candidate], options: str = "") -> list[list[float]]:
    """For each candidate, one number per sentence; higher for a better quote. Only their order has a meaning.

    Args:
        candidates: the documents, in the order of the search.
    """
    flat = weighed(question, candidates, options)[1].tolist()
    found: list[list[float]] = []
    for candidate in candidates:
        found.append(flat[: len(candidate.sentences)])
        flat = flat[len(candidate.sentences) :]
    return found


def weighed(question: str, candidates: Sequence[Candidate], options: str = "") -> tuple[Matrix, Matrix]:
    """The features of all sentences, in order, and the strength of each."""
    rows = features(asked(question, options), candidates)
    weights = _weights()["vectors" if any(c.by_meaning for c in candidates) else "words"]
    return rows, scored(rows, weights).round(6)


def scored(rows: Matrix, weights: Mapping[str, Matrix]) -> Matrix:
    """The scores of feature rows."""
    standard = np.clip((rows - weights["means"]) / weights["scales"], -LIMIT, LIMIT)
    return np.asarray(standard @ weights["weights"])


def digest(sets: Mapping[str, Any]) -> str:
    """SHA-256 over the sets of weights as JSON."""
    return hashlib.sha256(json.dumps(sets, sort_keys=True).encode()).hexdigest()


@cache
def _weights() -> Mapping[str, Mapping[str, Matrix]]:
    """The shipped weights. Raises ConfigError: the file of the package is damaged."""
    stored = json.loads((resources.files("medground") / "data" / "reader.json").read_text(encoding="utf-8"))
    if digest(stored["sets"]) != stored["sha256"] or stored["features"] != list(NAMES):
        raise ConfigError("the weights of the reader (data/reader.json) are damaged; reinstall medground")
    return {
        name: {part: np.array(values, dtype=np.float64) for part, values in parts.items()}
        for name, parts in stored["sets"].items()
    }
