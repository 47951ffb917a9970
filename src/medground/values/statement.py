"""Statements with their verdicts, and statements that conflict."""

from typing import Literal, Self

from pydantic import Field, NonNegativeInt, model_validator

from medground.values.document import Frozen, Proportion
from medground.values.evidence import Stance
from medground.values.usage import Author

Label = Literal[
    "supported", "partly", "contradicted", "quoted", "related", "not found", "not judged", "unverified", "given"
]
"""`quoted`: the sentence repeats its source verbatim. `related`: the cited text is on the same topic, which is not
proof. `unverified`: the critic failed. `given`: the sentence only repeats what was given with the question, such as a
patient's case; it cites nothing and counts in no score."""
Assessed = Literal["supported", "partly", "contradicted"]
Category = Literal[
    "CORRECT-EXPLICIT",
    "CORRECT-IMPLICIT",
    "CORRECT-ADDITIONAL",
    "CORRECT-MISSING",
    "INCORRECT-FALSE",
    "INCORRECT-DEVIATING",
    "INCORRECT-ILLOGICAL",
    "INCORRECT-MISSING",
]
"""The eight labels of a statement against its evidence."""
RationaleVerdict = Literal["CORRECT", "INCORRECT"]
"""The verdict on a rationale as a whole."""
ErrorSource = Literal["retrieval", "generation"]


class Verdict(Frozen):
    """The result of verifying one statement. `critic` names the judge.

    Only a validated judge gives the labels `supported`, `partly` and `contradicted`. What another model says is in
    `assessed`, and the label is `not judged`.
    """

    label: Label
    critic: str
    assessed: Assessed | None = Field(
        default=None, description="what a model says that is not a validated judge here; `label` is then `not judged`"
    )
    probability: Proportion | None = None
    best: str | None = Field(default=None, description="id of the evidence that decided the label")
    flags: tuple[str, ...] = Field(
        default=(), description="differences from the evidence, such as negation, number, direction"
    )
    note: str = ""
    corrected: str = Field(
        default="", description="the number of its quote that an erratum changes, the right one first"
    )
    category: Category | None = Field(
        default=None, description="label of the eight-label taxonomy; null if not labelled"
    )
    labelled_by: str = Field(default="", description="who gave the category: `keyless` or a model's name")
    error_source: ErrorSource | None = Field(default=None, description="where an unsupported statement went wrong")

    @model_validator(mode="after")
    def _assessed_is_not_judged(self) -> Self:
        if self.assessed is not None and self.label != "not judged":
            raise ValueError(f"a statement labelled {self.label!r} has no assessment beside its label")
        return self

    @property
    def judged_by_model(self) -> bool:
        """Whether the verdict comes from anything but word statistics: a model, the graph or a verbatim comparison."""
        return Author(self.critic).is_model

    @property
    def labelled_by_model(self) -> bool:
        """Whether a model or a critic gave the category; False for word statistics or without a category."""
        return bool(self.labelled_by) and Author(self.labelled_by).is_model


class Assessment(Frozen):
    """What a model says of the whole answer: a verdict on its rationale, and its quality from 1 to 5."""

    verdict: RationaleVerdict | None = None
    quality: int | None = Field(default=None, ge=1, le=5)
    assessed_by: str = Field(description="the name of the model")
    reason: str = ""


class Statement(Frozen):
    """One checkable proposition: `text == rationale[start:end]`."""

    text: str
    start: NonNegativeInt
    end: NonNegativeInt
    evidence: tuple[str, ...] = ()
    verdict: Verdict


class Dropped(Frozen):
    """A sentence that was written but not released, with the reason."""

    text: str
    reason: str


class Side(Frozen):
    """One side of a conflict: its quotes; their documents give design and year."""

    stance: Stance
    evidence: tuple[str, ...] = Field(min_length=1)


class Conflict(Frozen):
    """Sources that disagree; both sides are reported, never averaged. `found_by` names the model that read them."""

    about: str
    sides: tuple[Side, ...] = Field(min_length=2)
    found_by: str
