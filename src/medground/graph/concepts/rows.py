"""What a graph says about a term: quoted lines of its documents, the best first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from medground.graph.concepts.cues import asked_for, says, without_cues
from medground.graph.relation import StatedAt
from medground.text import words

NEAREST = 3
"""Names suggested for a term that no concept has."""
_LENGTH = 1200
"""A line of so many characters counts half as much as a short one with the same words."""
_KIND = 0.4
"""What the kind of relation counts: less than a line with all words, so that "does it cause ..." finds that sign."""
_STEPS = 20
"""Fits that differ by less than one of so many steps are equal."""


class GraphSize(NamedTuple):
    """What a graph holds (Omni-RAG, Table 2): its concepts, those that are defined, and the relations between them."""

    concepts: int
    definitions: int
    relations: int


class StatedRow(NamedTuple):
    """A line of a document.

    Attributes:
        place: the document, and where; the end is -1 where the line is still to be found in the document.
        line: the line itself, as the document has it.
        ranked: what the question is compared with: the line, or the whole sentence that it stands for.
        group: `definition`, or the name of its predicate.
    """

    place: StatedAt
    line: str
    ranked: str
    group: str


class Named(NamedTuple):
    """The concepts that a term names: their ids and preferred names. `by` is how close the name is."""

    concepts: tuple[tuple[str, str], ...] = ()
    by: str = "name"


def best(rows: Sequence[StatedRow], question: str, limit: int) -> list[tuple[StatedRow, float]]:
    """The first definition, then the lines that fit the question best, with falling scores from 0 to 1.

    Source: Omni-RAG, section 3.2: a concept may have thousands of relations, and reranking leaves the useful ones. The
    measure is the share of the question's words in a line, each weighted by how few of the lines have it, over a mild
    penalty for length; where the question asks for a kind of relation (`cues`), that kind counts beside the words.
    Lines that fit about equally well take turns by predicate, so that none crowds out the others, and keep their order.
    """
    wanted = asked_for(question)
    weights = _fits(rows, frozenset(words.terms(without_cues(question))))
    if wanted:
        kinds = {group: says(_named(group), wanted) for group in {row.group for row in rows}}
        weights = [_KIND * kinds[row.group] + (1 - _KIND) * weight for row, weight in zip(rows, weights, strict=True)]
    weights = [round(weight * _STEPS) / _STEPS for weight in weights]
    turns: Counter[str] = Counter()
    order = []
    for number, (row, weight) in enumerate(zip(rows, weights, strict=True)):
        order.append((-weight, turns[row.group], number))
        turns[row.group] += 1
    order.sort()
    first = next((n for n, row in enumerate(rows) if row.group == "definition"), None)
    chosen = [] if first is None else [first]
    chosen += [number for _, _, number in order if number != first][: limit - len(chosen)]
    top = max((weights[n] for n in chosen), default=0.0)
    scores = [top if n == first else weights[n] for n in chosen]
    return [(rows[n], score) for n, score in zip(chosen[:limit], scores[:limit], strict=True)]


def _named(group: str) -> list[str]:
    """The words of a predicate's name; a name without any, such as `is_a`, is one word."""
    return list(words.terms(group)) or [group.replace("_", "")]


def _fits(rows: Sequence[StatedRow], wanted: frozenset[str]) -> list[float]:
    """How well each line fits the words of a question, from 0 to 1."""
    if not wanted:
        return [0.0] * len(rows)
    # A stem begins as its word does. Most of thousands of lines have no such word, and finding stems is the slow part.
    beginnings = tuple({term[:3] for term in wanted})
    found = [_shared(row.ranked, wanted, beginnings) for row in rows]
    having = Counter(term for terms in found for term in terms)
    rarity = {t: math.log((len(rows) + 1) / (having[t] + 0.5)) for t in wanted}
    total = sum(rarity.values()) or 1.0
    return [
        sum(rarity[t] for t in sorted(terms)) / total / (1 + len(row.ranked) / _LENGTH) if terms else 0.0
        for terms, row in zip(found, rows, strict=True)
    ]


def _shared(text: str, wanted: frozenset[str], beginnings: tuple[str, ...]) -> frozenset[str]:
    lower = text.lower()
    if not any(beginning in lower for beginning in beginnings):
        return frozenset()
    return wanted.intersection(words.terms(text))
