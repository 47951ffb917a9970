"""A question as the sentences of papers are compared with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from medground.language import words
from medground.language.question_reading import reading_of

_PIECE = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*|[,;:?()/]")


@dataclass(frozen=True)
class Asked:
    """A question as the sentences are compared with it.

    Attributes:
        terms: its content stems, in order, without repeats.
        weights: the weight of each.
        names: which of the terms belong to names, as far as their form and rarity tell.
        rarest: the term that most likely names the subject; empty without terms.
        pairs: pairs of neighbouring terms.
        near: pairs of terms at most three apart, in order.
        topic: the terms that say what it is about.
        parts: the terms of each stretch between words that say nothing of the topic, such as a drug and a disease.
        kinds: what it asks for (`question_kinds.KINDS`).
        options: stems of the answer options that the question does not have.
        claim: whether it is a statement, not a question.
    """

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    names: frozenset[str]
    rarest: str
    pairs: frozenset[tuple[str, str]]
    near: frozenset[tuple[str, str]]
    topic: frozenset[str]
    parts: tuple[tuple[str, ...], ...]
    kinds: frozenset[str]
    options: frozenset[str]
    claim: bool


@lru_cache(maxsize=64)
def asked(question: str, options: str = "") -> Asked:
    """Read a question, with the texts of its options if it has any."""
    reading, content = reading_of(question), words.terms(question)
    topic, names = reading.topic, reading.names
    terms = tuple(dict.fromkeys(content))
    weights = tuple(words.weight(t) * (1.0 if t in topic else 0.4) for t in terms)
    ranked = sorted(terms, key=lambda t: (t in names, t in topic, words.weight(t), len(t)))
    return Asked(
        terms=terms,
        weights=weights,
        names=names & set(terms),
        rarest=ranked[-1] if ranked else "",
        pairs=frozenset(pairwise(content)),
        near=frozenset((one, other) for n, one in enumerate(terms) for other in terms[n + 1 : n + 4]),
        topic=topic,
        parts=_parts(question, topic) or (terms,),
        kinds=reading.kinds,
        options=frozenset(words.terms(options)) - set(terms),
        claim=reading.is_claim,
    )


def _parts(question: str, topic: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    parts: list[list[str]] = [[]]
    for piece in _PIECE.findall(question):
        stems = [term for term in words.terms(piece) if term in topic]
        if stems:
            parts[-1] += stems
        elif parts[-1]:
            parts.append([])
    return tuple(tuple(dict.fromkeys(part)) for part in parts if part)
