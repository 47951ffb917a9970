"""The next query of a loop: the current query and the unsupported statements.

Source: Self-MedRAG, Algorithm 1, `Q_{i+1} = Q_i u U_i`. Statements that drifted from the question stay out of the
query, so that a wrong answer does not lead the search astray; the paper has no such guard.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from medground.query import Query, Words
from medground.question import Question
from medground.text import words


@dataclass(frozen=True)
class LoopQuery:
    """`Q_i` as an ordered set: the question, then unsupported statements, without duplicates."""

    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The query as text, for dense rankers and for display."""
        return " ".join(self.parts)

    @property
    def key(self) -> frozenset[str]:
        """Equal for queries that differ only in order, case, white space or punctuation."""
        return frozenset(map(_normal, self.parts))

    def tree(self, question: Question) -> Query:
        """The query for rankers by words, always with the options of a choice question."""
        return Words(text=" ".join([*self.parts, *(option.text for option in question.options)]))


@dataclass(frozen=True)
class Revision:
    """The next query, and the statements that were left out because they drifted from the question."""

    query: LoopQuery
    drifted: tuple[str, ...]


def first_query(question: Question) -> LoopQuery:
    """`Q_0`."""
    return LoopQuery((question.text,))


def revised(question: Question, query: LoopQuery, unsupported: Sequence[str], least: float) -> Revision:
    """`Q_{i+1} = Q_i u U_i`, without statements whose closeness to the question is below `least`."""
    about = " ".join([question.text, *(option.text for option in question.options)])
    added: dict[str, str] = {}
    drifted: list[str] = []
    for statement in unsupported:
        if closeness(about, statement) < least:
            drifted.append(statement)
        elif _normal(statement) not in query.key:
            added.setdefault(_normal(statement), statement)
    return Revision(LoopQuery((*query.parts, *added.values())), tuple(drifted))


def closeness(one: str, other: str) -> float:
    """Cosine similarity of two texts over their content words, weighted by rarity: 0 to 1.

    It is 0 if a text has no content words. Only words count, so a paraphrase without a shared word scores 0. On
    PubMedQA's training split, adding MeSH names to the words did not separate an abstract's own sentences from others
    any better.
    """
    weights = [{term: words.weight(term) for term in set(words.terms(text))} for text in (one, other)]
    lengths = [math.hypot(*sorted(weight.values())) for weight in weights]
    shared = sorted(weights[0].keys() & weights[1].keys())
    product = sum(weights[0][term] ** 2 for term in shared)
    return min(1.0, product / (lengths[0] * lengths[1])) if all(lengths) else 0.0


def _normal(text: str) -> str:
    return " ".join(words.tokens(text))
