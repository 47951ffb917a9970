"""Premises as sentences with their words, read once for all the statements that are compared with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from medground.corpus.sentences import sentence_spans
from medground.operators.keyless import words
from medground.operators.keyless.flags.pair import aligned, repetition


@dataclass(frozen=True)
class Sentence:
    """One sentence of a premise: its stems, their consecutive pairs, and its tokens in order."""

    text: str
    terms: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    tokens: tuple[str, ...]


@lru_cache(maxsize=2048)
def sentences(premise: str) -> tuple[Sentence, ...]:
    """The sentences of a premise; a premise of white space has none."""
    return tuple(_read(premise[start:end]) for start, end in sentence_spans(premise))


def _read(text: str) -> Sentence:
    terms = words.terms(text)
    return Sentence(text, frozenset(terms), frozenset(pairwise(terms)), tuple(aligned(text)))


def nearest(statement: str, premise: Sequence[Sentence]) -> int:
    """Place of the sentence that holds most of a statement's words, by weight and in order; the first of equals.

    Raises:
        ValueError: the premise has no sentence.
    """
    wanted, tokens = words.terms(statement), aligned(statement)
    return max(
        range(len(premise)),
        key=lambda i: words.coverage(wanted, premise[i].terms) + repetition(tokens, premise[i].tokens),
    )
