"""Compares a statement with its premises: which one is evidence about it, and how the two differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.operators.keyless.flags.kinds import differences
from medground.operators.keyless.flags.related import model, probability
from medground.operators.keyless.flags.sentences import nearest, read_statement, sentences
from medground.operators.views import EvidenceView

RELATED: float = model().threshold
"""Minimum probability of a related premise; 95 % of SciFact's training pairs with evidence reach it."""


@dataclass(frozen=True)
class Comparison:
    """A statement compared with its premises.

    Attributes:
        related: whether a premise is likely to be evidence about the statement, for or against it. This is not proof.
        best: id of that premise; None if nothing is related.
        probability: of the best premise being evidence, 0 to 1; 0 without premises.
        coverage: share of the statement's words and numbers, by weight, in the best premise, 0 to 1.
        sentence: the sentence of the best premise that is nearest to the statement; empty if nothing is related.
        flags: kinds of difference from that sentence, in the order of `RULES`.
    """

    related: bool
    best: str | None
    probability: float
    coverage: float
    sentence: str
    flags: tuple[str, ...]


def compare(statement: str, evidence: Sequence[EvidenceView]) -> Comparison:
    """Find the premise that is most likely evidence about a statement, and flag differences from its nearest sentence.

    Premises may have one or several sentences. On a tie, the first premise wins.
    """
    stated, read = read_statement(statement), [sentences(e.quote) for e in evidence]
    chances = [probability(stated, premise) for premise in read]
    if not chances:
        return Comparison(False, None, 0.0, 0.0, "", ())
    place = max(range(len(chances)), key=lambda i: (chances[i], -i))
    premise, chance = read[place], chances[place]
    covered = stated.coverage(frozenset[str]().union(*(s.terms for s in premise)))
    if chance < RELATED or not premise:
        return Comparison(False, None, chance, covered, "", ())
    sentence = premise[nearest(stated, premise)].text
    return Comparison(
        True, evidence[place].id, chance, covered, sentence, differences(statement, sentence, evidence[place].quote)
    )
