"""Any statement beside passages on the same subject, without a label: a teacher labels them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from real_sentences import Abstract
from sklearn.feature_extraction.text import TfidfVectorizer

from pairing.changed import contrary
from pairing.pair import Pair, Weights, joined
from pairing.paraphrase import reworded

KINDS = ("negation", "direction", "number", "subject", "strengthened")
_NEIGHBOURS = 8
_REPEATS = 0.97
"""From this share of a statement's word weight on, a sentence is taken to be the statement itself."""


def beside(
    statements: Sequence[tuple[str, str]],
    abstracts: Sequence[Abstract],
    weights: Weights,
    rng: random.Random,
    each: int,
) -> Iterator[Pair]:
    """Each statement under `each` of the abstracts most like it, of which the nearest is always one.

    A planter changes half of the statements and a quarter of the passages, so that the style of a text does not reveal
    the label. In half of the pairs, a sentence of the passage that repeats the statement is left out.

    Args:
        statements: source and text.
    """
    words = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=2)
    matrix = words.fit_transform(a.text for a in abstracts).T.tocsc()
    asked = words.transform(text for _, text in statements)
    for row, (source, text) in enumerate(statements):
        near = (asked[row] @ matrix).toarray()[0].argsort()[::-1][:_NEIGHBOURS]
        places = [near[0], *rng.sample(list(near[1:]), each - 1)]
        for place in places:
            yield from _pair(source, text, abstracts[int(place)].sentences, weights, rng)


def _pair(source: str, text: str, sentences: Sequence[str], weights: Weights, rng: random.Random) -> Iterator[Pair]:
    if rng.random() < 0.5:
        sentences = [s for s in sentences if weights.overlap(text, s) < _REPEATS]
    best = [sentences[i] for i in weights.best(text, sentences, rng.choice((1, 2, 3)))]
    if not best:
        return
    if rng.random() < 0.25:
        top = max(best, key=lambda s: weights.overlap(text, s))
        turned = contrary(rng.choice(KINDS), top, rng, best)
        best = [turned or s if s == top else s for s in best]
    said = contrary(rng.choice(KINDS), text, rng, best) if rng.random() < 0.5 else None
    yield Pair(joined(best), reworded(said or text, rng.getrandbits(30)), "unlabelled", f"beside {source}")
