"""Compares a statement with its premises: which one is evidence about it, and how the two differ."""

import json
import math
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from itertools import chain, pairwise
from typing import TypeVar

from medground.language import words
from medground.language.sentences import sentence_spans
from medground.models.operators.base import EvidenceView
from medground.models.operators.differences import aligned, differences, repetition

Bigram = tuple[str, str]

CLOSE = 0.3
"""A sentence whose coverage is this much lower than the best one's cannot be the nearest, whatever its word order."""


@dataclass(frozen=True)
class Sentence:
    """One sentence of a premise: its stems in order and as a set."""

    text: str
    stems: tuple[str, ...]
    terms: frozenset[str]

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Its tokens in order. Computed lazily, because few sentences of a premise are aligned."""
        return tuple(aligned(self.text))


@dataclass(frozen=True)
class Statement:
    """A statement: the weights of its stems, their consecutive pairs, and its tokens in order."""

    weights: dict[str, float]
    pairs: frozenset[Bigram]
    tokens: tuple[str, ...]

    @cached_property
    def total(self) -> float:
        """The weight of all its stems."""
        return sum(self.weights.values())

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its stems."""
        return frozenset(self.weights)

    def coverage(self, found: Set[str]) -> float:
        """Share of the statement's stems, by weight, that were found: 0 to 1, and 0 if it has no stems."""
        return sum([w for term, w in self.weights.items() if term in found]) / self.total if self.total else 0.0


@lru_cache(maxsize=2048)
def sentences(premise: str) -> tuple[Sentence, ...]:
    """The sentences of a premise; none if it is blank."""
    texts = (premise[start:end] for start, end in sentence_spans(premise))
    read = ((text, tuple(words.terms(text))) for text in texts)
    return tuple(Sentence(text, stems, frozenset(stems)) for text, stems in read)


def read_statement(text: str) -> Statement:
    """Parse a statement."""
    terms = words.terms(text)
    weights = {term: words.weight(term) for term in dict.fromkeys(terms)}
    return Statement(weights, frozenset(pairwise(terms)), tuple(aligned(text)))


def nearest(statement: Statement, premise: Sequence[Sentence]) -> int:
    """Index of the sentence that contains most of a statement's words, by weight and in order; the first on a tie.

    Raises ValueError: the premise has no sentence.
    """
    covered = [statement.coverage(sentence.terms) for sentence in premise]
    least = max(covered) - CLOSE
    near = [i for i, share in enumerate(covered) if share >= least]
    return max(near, key=lambda i: covered[i] + repetition(statement.tokens, premise[i].tokens))


# How likely a premise is evidence about a statement, for or against it: a logistic regression over words.

T = TypeVar("T")


_STORED = json.loads((resources.files("medground") / "data" / "keyless_critic.json").read_text(encoding="utf-8"))
RELATED: float = _STORED["threshold"]
"""Minimum probability of a related premise; 95 % of SciFact's training pairs with evidence reach it."""


def features(statement: Statement, premise: Sequence[Sentence]) -> dict[str, float]:
    """The features of a statement and the sentences of a premise, each from 0 to 1."""
    wanted, held = statement.terms, _terms(premise)
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


def _terms(premise: Sequence[Sentence]) -> frozenset[str]:
    return frozenset[str]().union(*(s.terms for s in premise))


def _share(wanted: frozenset[T], held: Iterable[T]) -> float:
    return len(wanted.intersection(held)) / len(wanted) if wanted else 0.0


def probability(statement: Statement, premise: Sequence[Sentence]) -> float:
    """Probability that a premise is evidence about a statement, 0 to 1; 0 if they share no word."""
    seen = features(statement, premise)
    if not seen["words"]:
        return 0.0
    score = _STORED["intercept"] + sum(weight * seen[name] for name, weight in _STORED["weights"].items())
    return 1.0 / (1.0 + math.exp(-score))


@dataclass(frozen=True)
class Comparison:
    """A statement compared with its premises.

    Attributes:
        related: whether a premise is likely to be evidence about the statement, for or against it. This is not proof.
        best: id of that premise; None if nothing is related.
        probability: of the best premise being evidence, 0 to 1; 0 without premises.
        coverage: share of the statement's words and numbers, by weight, in the best premise, 0 to 1.
        flags: kinds of difference from the sentence of the best premise that is nearest to the statement, in the order
            of `RULES`.
    """

    related: bool
    best: str | None
    probability: float
    coverage: float
    flags: tuple[str, ...]


def compare(statement: str, evidence: Sequence[EvidenceView]) -> Comparison:
    """Find the premise that is most likely evidence about a statement, and flag differences from its nearest sentence.

    Premises may have one or several sentences. On a tie, the first premise wins.
    """
    stated, read = read_statement(statement), [sentences(e.quote) for e in evidence]
    chances = [probability(stated, premise) for premise in read]
    if not chances:
        return Comparison(False, None, 0.0, 0.0, ())
    place = max(range(len(chances)), key=lambda i: (chances[i], -i))
    premise, chance = read[place], chances[place]
    covered = stated.coverage(_terms(premise))
    if chance < RELATED or not premise:
        return Comparison(False, None, chance, covered, ())
    sentence = premise[nearest(stated, premise)].text
    return Comparison(
        True, evidence[place].id, chance, covered, differences(statement, sentence, evidence[place].quote)
    )
