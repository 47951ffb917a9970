"""The English of a question in another language: texts, readings of questions and queries are in English."""

from pydantic import Field

from medground.models.operators import base


class TranslateInput(base.OperatorInput):
    question: base.Untrusted


class TranslateOutput(base.OperatorOutput):
    english: str = Field(min_length=1, max_length=4000, description="the question in English")


@base.operator()
def translate(value: TranslateInput) -> TranslateOutput:
    """The question as it is: word statistics translate nothing."""
    return TranslateOutput(english=value.question)
