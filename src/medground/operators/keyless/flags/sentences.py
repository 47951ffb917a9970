"""Statements and premises as the words to compare, each parsed once."""

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
        """Share of the statement's stems, by weight, that were found: 0 to 1, and 0 if it has no stems."""
        return sum([w for term, w in self.weights.items() if term in found]) / self.total if self.total else 0.0


@lru_cache(maxsize=2048)
def sentences(premise: str) -> tuple[Sentence, ...]:
    """The sentences of a premise; none if it is blank."""
    return tuple(_read(premise[start:end]) for start, end in sentence_spans(premise))


def _read(text: str) -> Sentence:
    stems = tuple(words.terms(text))
    return Sentence(text, stems, frozenset(stems))


def read_statement(text: str) -> Statement:
    """Parse a statement."""
    terms = words.terms(text)
    weights = {term: words.weight(term) for term in dict.fromkeys(terms)}
    return Statement(text, weights, frozenset(pairwise(terms)), tuple(aligned(text)))


def nearest(statement: Statement, premise: Sequence[Sentence]) -> int:
    """Index of the sentence that contains most of a statement's words, by weight and in order; the first on a tie.

    Raises:
        ValueError: the premise has no sentence.
    """
    covered = [statement.coverage(sentence.terms) for sentence in premise]
    least = max(covered) - CLOSE
    near = [i for i, share in enumerate(covered) if share >= least]
    return max(near, key=lambda i: covered[i] + repetition(statement.tokens, premise[i].tokens))
