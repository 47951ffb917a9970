"""The next query of a loop: the query before it, and the statements that nothing supported.

Source: Self-MedRAG, Algorithm 1, `Q_{i+1} = Q_i u U_i`. The paper has no guard; ours keeps statements that left the
question's subject out of the query, so that a wrong answer does not lead the search away.
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
    """`Q_i` as a set that keeps its order: the question, then statements, each there once."""

    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The query in words, as dense rankers and readers see it."""
        return " ".join(self.parts)

    @property
    def key(self) -> frozenset[str]:
        """The same for queries that differ in order, case, white space or punctuation only."""
        return frozenset(map(_normal, self.parts))

    def tree(self, question: Question) -> Query:
        """The query for rankers of words. The options of a choice question are always among them."""
        return Words(text=" ".join([*self.parts, *(option.text for option in question.options)]))


@dataclass(frozen=True)
class Revision:
    """The next query, and the statements that were kept out of it because they had left the question."""

    query: LoopQuery
    drifted: tuple[str, ...]


def first_query(question: Question) -> LoopQuery:
    """`Q_0`."""
    return LoopQuery((question.text,))


def revised(question: Question, query: LoopQuery, unsupported: Sequence[str], least: float) -> Revision:
    """`Q_{i+1} = Q_i u U_i`, without the statements whose closeness to the question is below `least`."""
    about = " ".join([question.text, *(option.text for option in question.options)])
    joining: dict[str, str] = {}
    drifted: list[str] = []
    for statement in unsupported:
        if closeness(about, statement) < least:
            drifted.append(statement)
        elif _normal(statement) not in query.key:
            joining.setdefault(_normal(statement), statement)
    return Revision(LoopQuery((*query.parts, *joining.values())), tuple(drifted))


def closeness(one: str, other: str) -> float:
    """Cosine of two texts over their content words, each weighted by how rare it is: 0 to 1.

    It is 0 where a text has no content word. Words alone decide, so a paraphrase without a word in common is far; on
    PubMedQA's training split vectors with MeSH names beside the words told own from foreign sentences no better.
    """
    weights = [{term: words.weight(term) for term in set(words.terms(text))} for text in (one, other)]
    lengths = [math.hypot(*sorted(weight.values())) for weight in weights]
    shared = sorted(weights[0].keys() & weights[1].keys())
    product = sum(weights[0][term] ** 2 for term in shared)
    return min(1.0, product / (lengths[0] * lengths[1])) if all(lengths) else 0.0


def _normal(text: str) -> str:
    return " ".join(words.tokens(text))
