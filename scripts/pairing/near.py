"""Statements under similar passages that prove nothing: of another abstract, or another part of their own."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from real_sentences import Abstract
from sklearn.feature_extraction.text import TfidfVectorizer

from pairing.changed import contrary
from pairing.pair import Pair, Weights, joined
from pairing.paraphrase import reworded

_MOST_OVERLAP = 0.55
"""Above this share of a statement's words, a passage of another abstract may well prove it."""
_NEIGHBOURS = 6


def from_near(abstracts: Sequence[Abstract], weights: Weights, rng: random.Random, number: int) -> Iterator[Pair]:
    """Up to `number` pairs. Half of the statements have a planted error, so that an error does not reveal the label."""
    matrix = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=2).fit_transform(a.text for a in abstracts)
    for place in rng.sample(range(len(abstracts)), min(number, len(abstracts))):
        own = abstracts[place]
        if not own.usable:
            continue
        scores = (matrix[place] @ matrix.T).toarray()[0]
        scores[place] = 0
        near = abstracts[int(rng.choice(scores.argsort()[-_NEIGHBOURS:]))]
        statement = rng.choice(own.usable)
        yield from _under(statement, near.sentences, weights, rng, "near")
        statement = rng.choice(own.usable)
        rest = [s for s in own.sentences if s != statement and weights.overlap(statement, s) < _MOST_OVERLAP / 2]
        yield from _under(statement, rest, weights, rng, "near own")


def _under(
    statement: str, sentences: Sequence[str], weights: Weights, rng: random.Random, source: str
) -> Iterator[Pair]:
    premise = [sentences[i] for i in weights.best(statement, sentences, rng.choice((1, 2, 3)))]
    if not premise or max(weights.overlap(statement, s) for s in premise) > _MOST_OVERLAP:
        return
    changed = contrary(rng.choice(("negation", "direction", "number")), statement, rng) if rng.random() < 0.5 else None
    yield Pair(joined(premise), reworded(changed or statement, rng.getrandbits(30)), "neutral", source)
