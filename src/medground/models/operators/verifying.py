"""Labelling a statement of a rationale with one of eight labels, and assessing the whole.

A label follows from what is known of a statement (`labelled`), or a model gives it. Without a model, words
are compared.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from medground.language import words
from medground.models.operators import base
from medground.models.operators.compare import compare
from medground.models.operators.differences import differences
from medground.values.statement import Category, RationaleVerdict

STATED = 0.8
"""Minimum share of an entailed statement's words, by weight, in a quote that states it; below, it is inferred."""
SAME_THING = 0.8
"""Minimum share of each other's words, by weight, that two opposed statements contain."""
SOME_WORDS = 0.2
"""Minimum share of a statement's words, by weight, in a quote on the same topic."""

_EXCESS = frozenset({"certainty", "cause", "population", "purpose", "title"})
_OPPOSED = frozenset({"negation", "direction", "opposite"})


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
        uncited: whether the judge finds it only in evidence that it does not cite.
    """

    relation: Literal["quoted", "entails", "contradicts", "related", "neutral", "failed"]
    judged: bool = False
    coverage: float = 0.0
    flags: tuple[str, ...] = ()
    on_topic: bool = True
    opposed: bool = False
    uncited: bool = False

    def says(self, relation: str) -> bool:
        """Whether a judge gave this relation."""
        return self.judged and self.relation == relation


_TABLE: Sequence[tuple[Category, Callable[[Signals], bool]]] = (
    ("CORRECT-EXPLICIT", lambda s: s.relation == "quoted"),
    ("INCORRECT-FALSE", lambda s: s.says("contradicts")),
    ("INCORRECT-ILLOGICAL", lambda s: s.says("entails") and not _EXCESS.isdisjoint(s.flags)),
    ("CORRECT-MISSING", lambda s: s.says("entails") and s.uncited),
    ("CORRECT-ADDITIONAL", lambda s: s.says("entails") and "number" in s.flags),
    ("CORRECT-EXPLICIT", lambda s: s.says("entails") and s.coverage >= STATED),
    ("CORRECT-IMPLICIT", lambda s: s.says("entails")),
    ("INCORRECT-ILLOGICAL", lambda s: s.opposed),
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


def on_topic(question: str, statement: str, quotes: Sequence[base.EvidenceView]) -> bool:
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


_BY_PASSAGE = ("CORRECT-EXPLICIT", "CORRECT-IMPLICIT", "CORRECT-ADDITIONAL", "INCORRECT-FALSE")
"""Labels that depend on a passage of the context."""


class LabelInput(base.QuestionInput):
    rationale: base.Untrusted
    answer: tuple[str, ...] = ()
    statement: base.Untrusted
    cited: tuple[str, ...] = ()
    passages: tuple[base.EvidenceView, ...]


class LabelOutput(base.OperatorOutput):
    category: Category | None = Field(description="one of the eight labels; none only when none can be told")
    best: str | None = Field(default=None, description="id of the passage that decides it")
    reason: str = Field(default="", max_length=300, description="why, in a few words")


def _names_passage(value: LabelInput, output: LabelOutput) -> None:
    if output.best is None and output.category in _BY_PASSAGE and len(value.passages) != 1:
        raise base.InvalidOutput(f"{output.category} needs the id of the passage that decides it")


@base.operator(ids={"best": lambda value: (passage.id for passage in value.passages)}, check=_names_passage)
def label(value: LabelInput) -> LabelOutput:
    """The category by the words that statement and passages share."""
    found = compare(value.statement, value.passages)
    same = next((p for p in value.passages if p.quote.split() == value.statement.split()), None)
    signals = Signals(
        relation="quoted" if same else "related" if found.related else "neutral",
        coverage=found.coverage,
        flags=found.flags,
        on_topic=on_topic(value.question, value.statement, value.passages),
    )
    return LabelOutput(category=labelled(signals), best=same.id if same else found.best)


class AssessInput(base.QuestionInput):
    passages: tuple[base.EvidenceView, ...]
    rationale: base.Untrusted
    answer: tuple[str, ...]


class AssessOutput(base.OperatorOutput):
    verdict: RationaleVerdict | None = Field(description="of the rationale as a whole; none only when none can be told")
    quality: int | None = Field(default=None, ge=1, le=5, description="of the answer, 1 the worst, 5 the best")
    reason: str = Field(default="", max_length=300, description="why, in a few words")


@base.operator()
def assess(value: AssessInput) -> AssessOutput:
    """No verdict."""
    return AssessOutput(verdict=None)
