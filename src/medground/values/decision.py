"""A decision, the short answer to a question of each kind; and the notice where a person may be at risk."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, computed_field, model_validator

from medground.values.document import Frozen, Proportion

NoticeKind = Literal["self-harm", "emergency", "see-doctor", "treatment"]
"""`self-harm`, `emergency`: nothing is searched or quoted. `see-doctor` (a sign that a doctor should see within days),
`treatment` (one's own treatment): the answer follows."""


class Notice(Frozen):
    """Where to turn, shown before anything else."""

    kind: NoticeKind
    sentence: str
    stops: bool = Field(
        default_factory=lambda given: given["kind"] == "self-harm",
        description="whether the question is not answered; false for an emergency of answers before 2.0, and of an "
        "examination's question or a case that was given with one",
    )


Status = Literal["decided", "not judged", "unanswerable"]
"""`decided`: a stored relation, a model that read the evidence, or a critic that was measured on questions gives the
answer. `not judged`: evidence was found, but no validated judge has assessed it. `unanswerable`: no evidence was
found, it does not mention what the question asks about, or the model that read it gave no answer."""


Basis = Literal["graph fact", "model", "critic"]

AnswerForm = Literal["name", "items", "sentence"]
"""The form of a short answer to an open question: one name or number, the items of a list, or one sentence."""


ExactAnswer = str | list[str] | list[list[str]] | None


CheckResult = Literal["follows", "contradicted", "not shown", "not checked"]
"""Only an answer that follows is released. `not checked`: the check failed, or did not say."""


class AnswerCheck(Frozen):
    """What a model that compared a short answer with the sentences released with it says."""

    answer: tuple[str, ...] = Field(description="the short answer that was checked: words of the task, or letters")
    result: CheckResult
    found: tuple[str, ...] = Field(default=(), description="the answer that the sentences give; empty if none is named")
    checked_by: str = Field(description="the name of the model")
    reason: str = ""


_ESTIMATED = "an older version of Medground estimated an answer from word statistics; such estimates are not shown"


class _Decision(Frozen):
    status: Status
    basis: Basis | None = None
    probability: Proportion | None = Field(default=None, description="calibrated; null if not calibrated")
    validated: bool | None = Field(
        default=None, description="whether the model that decided is a validated judge here; null if no model decided"
    )
    reason: str = ""
    check: AnswerCheck | None = Field(
        default=None,
        description="the check of a model's short answer against its sentences; null if none was made. An answer that "
        "does not follow is reported here and is not a value",
    )
    unmentioned: tuple[str, ...] = Field(
        default=(), description="what the question asks about that no passage found mentions; then nothing is decided"
    )

    def shown(self) -> str | None:
        """The decided value as text, or None."""
        return getattr(self, "value", None)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def exact_answer(self) -> ExactAnswer:
        """The short answer in the form of BioASQ: a word, `[name]`, or `[[item], [item]]`; None where it has none."""
        if str(getattr(self, "task", "")).startswith("yes-no"):
            return self.shown()
        form, items = getattr(self, "form", None), getattr(self, "items", ())
        return [[one] for one in items] if form == "items" else list(items) if form == "name" else None

    @model_validator(mode="before")
    @classmethod
    def _read_again(cls, content: Any) -> Any:
        """What a kept answer is read from: the exact answer follows from the rest; an estimate decides nothing."""
        if not isinstance(content, dict):
            return content
        left_out = {"exact_answer"}
        if content.get("status") == "lean":  # of schema 1.8 and older
            content = content | {"status": "not judged", "reason": _ESTIMATED}
            left_out |= {"basis", "probability", "value", "values"}
        return {name: value for name, value in content.items() if name not in left_out}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        has_value = self.shown() is not None
        if has_value != (self.status == "decided"):
            raise ValueError(f"a decision with status {self.status!r} must {'not ' if has_value else ''}have a value")
        if has_value and self.check is not None and self.check.result != "follows":
            raise ValueError("an answer that failed its check cannot be the value of a decision")
        if has_value and self.basis is None:
            raise ValueError("a decision with a value needs a basis")
        return self


class YesNoDecision(_Decision):
    task: Literal["yes-no"] = "yes-no"
    value: Literal["yes", "no"] | None = None


class YesNoMaybeDecision(_Decision):
    task: Literal["yes-no-maybe"] = "yes-no-maybe"
    value: Literal["yes", "no", "maybe"] | None = None


class DirectionDecision(_Decision):
    """How an outcome is with what a question names first: whether it is higher or lower."""

    task: Literal["direction"] = "direction"
    value: Literal["higher", "lower", "no difference", "uncertain"] | None = None


class SingleChoiceDecision(_Decision):
    task: Literal["single-choice"] = "single-choice"
    value: str | None = None


class MultipleChoiceDecision(_Decision):
    task: Literal["multiple-choice"] = "multiple-choice"
    values: tuple[str, ...] | None = None

    def shown(self) -> str | None:
        return ", ".join(self.values) if self.values else None


class FreeDecision(_Decision):
    """The answer to an open question: its short answer if a check found that it follows, else the sentences."""

    task: Literal["free"] = "free"
    value: str | None = None
    form: AnswerForm | None = Field(default=None, description="of the short answer; null where the sentences answer")
    items: tuple[str, ...] = Field(
        default=(), description="the short answer: one name, number or sentence, or the items"
    )


Decision = Annotated[
    YesNoDecision
    | YesNoMaybeDecision
    | DirectionDecision
    | SingleChoiceDecision
    | MultipleChoiceDecision
    | FreeDecision,
    Field(discriminator="task"),
]
