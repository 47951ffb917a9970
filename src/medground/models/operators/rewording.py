"""A question in other words, before anything is searched: in English, or with what a conversation leaves out."""

from pydantic import Field

from medground.models.operators import base


class TranslateInput(base.QuestionInput):
    """A question in another language."""


class TranslateOutput(base.OperatorOutput):
    english: str = Field(min_length=1, max_length=4000, description="the question in English")


@base.operator()
def translate(value: TranslateInput) -> TranslateOutput:
    """The question as it is: word statistics translate nothing."""
    return TranslateOutput(english=value.question)


class CompleteInput(base.OperatorInput):
    conversation: tuple[base.Untrusted, ...]
    """The questions before, as they were read: the one with which it began, and the latest."""
    things: tuple[base.Untrusted, ...]
    """What the conversation named, the latest first."""
    question: base.Untrusted
    """The question as it was typed."""
    reading: str = Field(exclude=True)
    """What it means by the words of the conversation alone."""


class CompleteOutput(base.OperatorOutput):
    whole: str = Field(min_length=1, max_length=4000, description="the question as it stands by itself")


@base.operator()
def complete(value: CompleteInput) -> CompleteOutput:
    """What was learned from conversations (`language.choosing`)."""
    return CompleteOutput(whole=value.reading)
