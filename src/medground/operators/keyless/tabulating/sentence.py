"""A sentence of a study as the rules of a column see it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from medground.operators.keyless.sentences import describes_method, reports_result, states_purpose
from medground.quoting.sections import NAMES, parts
from medground.text import words
from medground.text.quantities import Quantity, quantities

_OF_OTHERS = re.compile(
    r"\b(?:previous|earlier|recent|other|prior) (?:studies|reports|trials|work|research|literature)\b|"
    r"\b(?:has|have) (?:been )?(?:shown|reported|suggested|demonstrated)\b|\bin the literature\b|"
    r"\b(?:is|are) (?:considered|known|thought|believed|often used|widely used|associated with)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:we|our|this study|the present study|were|was)\b", re.IGNORECASE)


@dataclass(frozen=True)
class ReadSentence:
    """A sentence of a study.

    Attributes:
        text: the sentence.
        heading: the heading over it; empty if there is none.
        at: its place in the text, 0 for the first sentence and 1 for the last.
    """

    text: str
    heading: str
    at: float

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Its numbers."""
        return quantities(self.text)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Its stems."""
        return tuple(words.terms(self.text))

    @cached_property
    def parts(self) -> frozenset[str]:
        """The parts of a paper that its heading names."""
        return frozenset(name for name, held in zip(NAMES, parts(self.heading), strict=True) if held)

    @property
    def is_background(self) -> bool:
        """Whether it tells what was known or wanted before the study, or what only frames it."""
        if self.parts & {"opening", "back"} and not self.parts & {"results", "methods", "conclusion"}:
            return not self.is_own_design
        return bool(_OF_OTHERS.search(self.text))

    @property
    def is_own_design(self) -> bool:
        """Whether a sentence of an introduction tells how this study was done, as in `In this randomized trial, we`."""
        return bool(re.search(r"\b(?:in this|this|the present|our)\b.{0,80}\b(?:study|trial|analysis)\b", self.text))

    @property
    def reports(self) -> bool:
        """Whether it says what was found, and not what was aimed at or done."""
        if states_purpose(self.text) or self.is_background:
            return False
        return reports_result(self.text) or not (describes_method(self.text) or "methods" in self.parts)

    @property
    def is_aim(self) -> bool:
        """Whether it states an aim or a question."""
        return states_purpose(self.text)
