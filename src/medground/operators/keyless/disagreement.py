"""Two findings that disagree: the same cause and the same outcome, in opposite directions.

This is not a judgement: the papers may have studied other people, doses or times. It is a reason to read both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from medground.operators.keyless.findings import Reported, findings
from medground.operators.keyless.flags import FLAGS
from medground.operators.keyless.sameness import same_cause, same_disease, same_outcome
from medground.text import words

Kind = Literal["a link and none", "an increase and a decrease", "better and worse"]

ON_QUESTION = 0.6
"""Minimum share of the question's topic words, by weight, that each paper names in its title or quote."""


@dataclass(frozen=True)
class Finding:
    """A quote, and the title of its paper, which may name what the quote leaves out."""

    title: str
    quote: str

    @property
    def text(self) -> str:
        """Title and quote."""
        return f"{self.title}. {self.quote}" if self.title else self.quote


@dataclass(frozen=True)
class Difference:
    """How two findings differ.

    Attributes:
        kind: what the two report.
        cause: the treatment or exposure of both, as the first finding names it.
        outcome: the outcome of both, as the first finding names it.
        swapped: whether the second finding is the one that reports a link, more or better.
    """

    kind: Kind
    cause: str
    outcome: str
    swapped: bool


def difference(question: str, one: Finding, other: Finding) -> Difference | None:
    """How two findings differ; None unless the same cause and outcome are found to go in opposite directions.

    Args:
        question: the question, which must name the cause.
        one: a quote of a paper.
        other: a quote of another paper.
    """
    topic = words.topic(question)
    if any(words.coverage(topic, words.terms(finding.text)) < ON_QUESTION for finding in (one, other)):
        return None
    pairs = ((mine, theirs) for mine in findings(one.quote) for theirs in findings(other.quote))
    found = next((seen for pair in pairs if (seen := _difference(*pair)) is not None), None)
    if found is None or topic.isdisjoint(words.terms(found.cause)) or not _comparable(one, other):
        return None
    return found


def _difference(one: Reported, other: Reported) -> Difference | None:
    kind = _kind(one, other)
    if kind is None:
        return None
    turned = [(other.cause, other.outcome)]
    if one.mutual or other.mutual:
        turned.append((other.outcome, other.cause))
    for their_cause, their_outcome in turned:
        cause, outcome = same_cause(one.cause, their_cause), same_outcome(one.outcome, their_outcome)
        if cause and outcome:
            return Difference(kind, cause, outcome, swapped=one.denied or (not other.denied and one.sign < 0))
    return None


def _kind(one: Reported, other: Reported) -> Kind | None:
    if one.denied == other.denied:
        if one.denied or one.axis != other.axis or one.sign * other.sign >= 0:
            return None
        return "better and worse" if one.axis == "quality" else "an increase and a decrease"
    denied, said = (one, other) if one.denied else (other, one)
    opposite = denied.axis == "link" or (denied.axis, denied.sign) == (said.axis, said.sign)
    return "a link and none" if opposite else None


def _comparable(one: Finding, other: Finding) -> bool:
    """Whether two papers are not on different kinds of people or animals, or on different diseases."""
    population = FLAGS["population"]
    if population(one.text, other.text) or population(other.text, one.text):
        return False
    return same_disease(one.text, other.text)
