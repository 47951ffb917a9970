"""The eight labels as a rule over signals: who said what of a statement, what it cites, and what it is about.

A rule judges nothing: it puts a critic's word, the citation and the topic into one label. Words alone carry three of
the eight (quoted, opposed to another statement, off topic); the others need the word of a judge, and without one most
statements stay unlabelled.

Source: Reason and Verify, Table 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from medground.answer import Category
from medground.operators.keyless.flags import differences
from medground.operators.views import EvidenceView
from medground.text import words

STATED = 0.8
"""Least share of an entailed statement's words, by weight, in one quote that states it; below, it is inferred."""
SAME_THING = 0.8
"""Least share of each other's words, by weight, that two statements hold which oppose one another."""
SOME_WORDS = 0.2
"""Least share of a statement's words, by weight, in a quote that it has something to do with."""

_EXCESS = frozenset({"certainty", "cause", "population", "purpose", "title"})
_OPPOSED = frozenset({"negation", "direction"})


@dataclass(frozen=True)
class Signals:
    """What is known of one statement.

    Attributes:
        relation: to what it was compared with; `quoted` are the source's own words, `failed` nobody could tell.
        judged: a judge gave the relation (a model, an NLI model, a stored fact), not words.
        coverage: share of its words, by weight, in the quote that decided the relation, 0 to 1.
        flags: differences from that quote.
        on_topic: it has something to do with the question or with the quotes.
        opposed: another statement of the same rationale, on the same paper, says the opposite.
        elsewhere: its relation, by the judge, to evidence of the run that it does not cite.
    """

    relation: Literal["quoted", "entails", "contradicts", "related", "neutral", "failed"]
    judged: bool = False
    coverage: float = 0.0
    flags: tuple[str, ...] = ()
    on_topic: bool = True
    opposed: bool = False
    elsewhere: Literal["entails", "contradicts"] | None = None

    def says(self, relation: str) -> bool:
        """Whether a judge gave this relation."""
        return self.judged and self.relation == relation


_TABLE: Sequence[tuple[Category, Callable[[Signals], bool]]] = (
    ("CORRECT-EXPLICIT", lambda s: s.relation == "quoted"),
    ("INCORRECT-FALSE", lambda s: s.says("contradicts")),
    ("INCORRECT-ILLOGICAL", lambda s: s.says("entails") and not _EXCESS.isdisjoint(s.flags)),
    ("CORRECT-ADDITIONAL", lambda s: s.says("entails") and "number" in s.flags),
    ("CORRECT-EXPLICIT", lambda s: s.says("entails") and s.coverage >= STATED),
    ("CORRECT-IMPLICIT", lambda s: s.says("entails")),
    ("INCORRECT-ILLOGICAL", lambda s: s.opposed),
    ("CORRECT-ADDITIONAL", lambda s: s.says("related") and s.elsewhere == "entails"),
    ("CORRECT-MISSING", lambda s: s.says("neutral") and s.elsewhere == "entails"),
    ("INCORRECT-FALSE", lambda s: s.says("related") and s.elsewhere == "contradicts"),
    ("INCORRECT-MISSING", lambda s: s.says("neutral") and s.elsewhere == "contradicts"),
    ("INCORRECT-DEVIATING", lambda s: s.relation == "neutral" and not s.on_topic),
    ("INCORRECT-MISSING", lambda s: s.says("related") or s.says("neutral")),
)
"""The first row that holds gives the label. To draw a cause from an association, people from mice, or certainty from
`may` is a fault of logic, whatever the judge says. What a judge finds nowhere counts as unsupported."""


def labelled(signals: Signals) -> Category | None:
    """The label that the signals carry; None where they carry none."""
    if signals.relation == "failed":
        return None
    return next((category for category, holds in _TABLE if holds(signals)), None)


def on_topic(question: str, statement: str, quotes: Sequence[EvidenceView]) -> bool:
    """Whether a statement names anything that the question is about, or shares words with a quote."""
    said = words.terms(statement)
    if not said or not words.topic(question).isdisjoint(said):
        return True
    return any(words.coverage(said, words.terms(f"{q.title} {q.quote}")) >= SOME_WORDS for q in quotes)


def oppose(one: str, other: str) -> bool:
    """Whether two statements say the same thing in the same words but for a negation or a direction."""
    first, second = words.terms(one), words.terms(other)
    if min(words.coverage(first, second), words.coverage(second, first)) < SAME_THING:
        return False
    return not _OPPOSED.isdisjoint({*differences(one, other)} & {*differences(other, one)})
