"""Reading documents and answering from them in one call."""

from pydantic import Field

from medground.models.operators import base
from medground.models.operators.reading import quotable_sentences
from medground.models.operators.reasoning import SubClaim
from medground.models.operators.writing import ANSWERS, Answers, Form, Missing
from medground.values.question import Option, Task


class ReadInput(base.QuestionInput):
    """Documents, best first. `search` says how a query is written here; empty where none may be written."""

    task: Task
    options: tuple[Option, ...] = ()
    passages: tuple[base.SentencedPassage, ...]
    search: str = ""


class AnswerOutput(base.OperatorOutput):
    statements: tuple[SubClaim, ...] = Field(description="the rationale, two to five sentences, in order")
    answer: Answers
    form: Form = None
    missing: Missing = ()
    query: str = Field(default="", max_length=500)


@base.operator(ids={"sentences": lambda value: base.sentence_ids(value.passages)}, streamed="statements", **ANSWERS)
def read_and_answer(value: ReadInput) -> AnswerOutput:
    """The strongest sentences, word for word; nothing is decided."""
    texts = {sentence.id: sentence.text for passage in value.passages for sentence in passage.sentences}
    chosen = quotable_sentences(value.asked, value.passages)[:3]
    return AnswerOutput(statements=tuple(SubClaim(text=texts[i][:1200], sentences=(i,)) for i in chosen), answer=())
