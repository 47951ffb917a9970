"""How likely a premise is evidence about a statement, for or against it: a logistic regression over words.

Trained by `scripts/train_keyless_critic.py` on SciFact's training claims and the abstracts that they cite. It says that
a premise is relevant to the statement, never that it supports it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import chain, pairwise
from typing import TypeVar

from medground.operators.keyless.flags.sentences import Sentence, Statement
from medground.text import words

T = TypeVar("T")


@dataclass(frozen=True)
class Model:
    """Weights of the regression.

    Attributes:
        weights: one per feature, by name.
        intercept: the score of a premise without any feature.
        threshold: minimum probability of a related premise.
    """

    weights: Mapping[str, float]
    intercept: float
    threshold: float


@cache
def model() -> Model:
    """The stored weights."""
    text = (resources.files("medground") / "data" / "keyless_critic.json").read_text(encoding="utf-8")
    stored = json.loads(text)
    return Model(stored["weights"], stored["intercept"], stored["threshold"])


def features(statement: Statement, premise: Sequence[Sentence]) -> dict[str, float]:
    """The features of a statement and the sentences of a premise, each from 0 to 1."""
    wanted, held = statement.terms, frozenset[str]().union(*(s.terms for s in premise))
    pairs = chain.from_iterable(pairwise(s.stems) for s in premise)
    each = sorted((statement.coverage(s.terms) for s in premise), reverse=True)
    return {
        "words": statement.coverage(held),
        "words of the second best": each[1] if len(each) > 1 else 0.0,
        "share of words": _share(wanted, held),
        "share of words of the best sentence": max((_share(wanted, s.terms) for s in premise), default=0.0),
        "pairs of words": _share(statement.pairs, pairs),
        "most telling word that is missing": max((statement.weights[t] for t in wanted - held), default=0.0)
        / words.MOST,
    }


def _share(wanted: frozenset[T], held: Iterable[T]) -> float:
    return len(wanted.intersection(held)) / len(wanted) if wanted else 0.0


def probability(statement: Statement, premise: Sequence[Sentence]) -> float:
    """Probability that a premise is evidence about a statement, 0 to 1; 0 if they share no word."""
    seen = features(statement, premise)
    if not seen["words"]:
        return 0.0
    stored = model()
    score = stored.intercept + sum(weight * seen[name] for name, weight in stored.weights.items())
    return 1.0 / (1.0 + math.exp(-score))
