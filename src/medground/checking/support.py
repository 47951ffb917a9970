"""How likely a cited text says what a sentence says: a linear model of their words and of what the critic reads.

People write sentences that cite several papers, each for a part. So the parts before the marks are compared one by one
with the text, and the part that fits best counts. `scripts/train_citing.py` learns the weights from people's labels.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

from medground.answering.verify.critic import Claim, Judgement
from medground.answering.verify.marks import SUPERSCRIPT, without_citations
from medground.checking.comparing import in_digits
from medground.checking.sources import Quote, Source, told
from medground.language import words
from medground.models.operators.base import EvidenceView

LEAST_WORDS = 4
"""Stems that tell what a claim is about."""
_MARK = re.compile(rf"[\[({{][^\[\](){{}}]*[\])}}]|{SUPERSCRIPT.pattern}|;", SUPERSCRIPT.flags)


class Features(NamedTuple):
    """What tells whether a text says what a sentence says, each 0 to 1 and of the part for which it is highest.

    Attributes:
        words: the share of words, by weight, in two sentences that follow each other.
        abstract: the same in the title and the abstract.
        entailment: the mean of the critic's probabilities over the passages that it reads.
    """

    words: float
    abstract: float
    entailment: float


def parts_of(shown: str) -> list[str]:
    """What stands before each mark of citation, without the marks; the whole text where that says too little."""
    cuts = [mark.end() for mark in _MARK.finditer(shown) if mark[0] == ";" or not without_citations(mark[0]).strip()]
    ends = pairwise([0, *cuts, len(shown)])
    found = [without_citations(shown[start:end]).strip(" ,;:") for start, end in ends]
    kept = [part for part in found if len(set(told(part))) >= LEAST_WORDS]
    return [in_digits(part) for part in (kept if len(kept) > 1 else [without_citations(shown)])]


def claim_on(part: str, read: Sequence[Quote], names: dict[str, str] | None = None) -> Claim:
    """What a critic is asked: whether what it reads entails a part. `names` are of passages that other claims have."""
    named, titles = {} if names is None else names, {quote.text: quote.document.title for quote in read}
    for text in titles:
        named.setdefault(text, f"P1.S{len(named) + 1}")
    return Claim(part, tuple(EvidenceView(id=named[text], title=title, quote=text) for text, title in titles.items()))


def features_of(parts: Sequence[str], sources: Sequence[Source], read: Sequence[Judgement]) -> Features:
    """The features of the parts of a sentence, of which each has what the critic says."""
    beside = (words.coverage(told(part), both) for part in parts for source in sources for both in _pairs(source))
    shares = (words.coverage(told(part), source.opening) for part in parts for source in sources)
    return Features(max(beside, default=0.0), max(shares, default=0.0), max(one.mean or 0.0 for one in read))


def _pairs(source: Source) -> Iterator[frozenset[str]]:
    stems = source.stems
    return (one | other for one, other in pairwise(stems)) if len(stems) > 1 else iter(stems)


def likelihood(features: Features) -> float:
    """How likely the text says it, 0 to 1."""
    weights, intercept = _weights()
    return 1 / (1 + math.exp(-intercept - sum(w * x for w, x in zip(weights, features, strict=True))))


@cache
def _weights() -> tuple[list[float], float]:
    stored = json.loads((resources.files("medground") / "data" / "citing_judge.json").read_text(encoding="utf-8"))
    return [stored["weights"][name] for name in Features._fields], stored["intercept"]
