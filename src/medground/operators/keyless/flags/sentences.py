"""Statements and premises as the words that are compared, each read once."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from medground.operators.keyless.flags.pair import aligned, repetition
from medground.text import words
from medground.text.sentences import sentence_spans

Bigram = tuple[str, str]

CLOSE = 0.3
"""Sentences that hold this much less of a statement than the best one are not the nearest, whatever their order."""


@dataclass(frozen=True)
class Sentence:
    """One sentence of a premise: its stems in order, and which they are."""

    text: str
    stems: tuple[str, ...]
    terms: frozenset[str]

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Its tokens in order; few sentences of a premise are ever aligned."""
        return tuple(aligned(self.text))


@dataclass(frozen=True)
class Statement:
    """What is stated: the weight of each of its stems, their consecutive pairs, and its tokens in order."""

    text: str
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
        """Share of the statement's stems, by weight, that were found: 0 to 1, and 0 for a statement without any."""
        return sum([w for term, w in self.weights.items() if term in found]) / self.total if self.total else 0.0


@lru_cache(maxsize=2048)
def sentences(premise: str) -> tuple[Sentence, ...]:
    """The sentences of a premise; a premise of white space has none."""
    return tuple(_read(premise[start:end]) for start, end in sentence_spans(premise))


def _read(text: str) -> Sentence:
    stems = tuple(words.terms(text))
    return Sentence(text, stems, frozenset(stems))


def read_statement(text: str) -> Statement:
    """The words of a statement."""
    terms = words.terms(text)
    weights = {term: words.weight(term) for term in dict.fromkeys(terms)}
    return Statement(text, weights, frozenset(pairwise(terms)), tuple(aligned(text)))


def nearest(statement: Statement, premise: Sequence[Sentence]) -> int:
    """Place of the sentence that holds most of a statement's words, by weight and in order; the first of equals.

    Raises:
        ValueError: the premise has no sentence.
    """
    covered = [statement.coverage(sentence.terms) for sentence in premise]
    least = max(covered) - CLOSE
    near = [i for i, share in enumerate(covered) if share >= least]
    return max(near, key=lambda i: covered[i] + repetition(statement.tokens, premise[i].tokens))
