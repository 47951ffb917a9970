"""The eight labels as rules over signals: the critic's verdict on a statement, its citations, and its topic.

The rules do not judge anything themselves; they combine these signals into one label. Words alone are enough for three
of the eight (quoted, opposed to another statement, off topic). The others need a judge, and without one most statements
stay unlabelled.

Source: Reason and Verify, Table 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from medground.answer import Category
from medground.operators.keyless.flags.kinds import differences
from medground.operators.views import EvidenceView
from medground.text import words

STATED = 0.8
"""Minimum share of an entailed statement's words, by weight, in a quote that states it; below, it is inferred."""
SAME_THING = 0.8
"""Minimum share of each other's words, by weight, that two opposed statements contain."""
SOME_WORDS = 0.2
"""Minimum share of a statement's words, by weight, in a quote on the same topic."""

_EXCESS = frozenset({"certainty", "cause", "population", "purpose", "title"})
_OPPOSED = frozenset({"negation", "direction"})


@dataclass(frozen=True)
class Signals:
    """What is known about one statement.

    Attributes:
        relation: to the quotes it was compared with; `quoted` means the source's own words, `failed` that the critic
            failed.
        judged: whether a judge (a model, an NLI model, a stored fact) gave the relation, rather than word statistics.
        coverage: share of its words, by weight, in the quote that decided the relation, 0 to 1.
        flags: differences from that quote.
        on_topic: whether it has anything to do with the question or the quotes.
        opposed: whether another statement of the same rationale, on the same paper, says the opposite.
        elsewhere: the judge's relation to evidence of the run that the statement does not cite.
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
"""The first row that matches gives the label. Inferring a cause from an association, people from mice, or certainty
from `may` is a fault of logic, whatever the judge says. A statement that the judge finds nowhere counts as
unsupported."""


def labelled(signals: Signals) -> Category | None:
    """The label for the signals; None if they do not decide one."""
    if signals.relation == "failed":
        return None
    return next((category for category, holds in _TABLE if holds(signals)), None)


def on_topic(question: str, statement: str, quotes: Sequence[EvidenceView]) -> bool:
    """Whether a statement mentions anything that the question is about, or shares words with a quote."""
    said = words.terms(statement)
    if not said or not words.topic(question).isdisjoint(said):
        return True
    return any(words.coverage(said, words.terms(f"{q.title} {q.quote}")) >= SOME_WORDS for q in quotes)


def oppose(one: str, other: str) -> bool:
    """Whether two statements use the same words except for a negation or a direction."""
    first, second = words.terms(one), words.terms(other)
    if min(words.coverage(first, second), words.coverage(second, first)) < SAME_THING:
        return False
    return not _OPPOSED.isdisjoint({*differences(one, other)} & {*differences(other, one)})
