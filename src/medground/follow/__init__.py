"""A follow-up question: what "it" stands for in it, and the documents of the answer that it follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from medground.answer import Answer
from medground.follow.base import Reading
from medground.follow.reading import read_follow_up
from medground.query import Filters
from medground.question import Follows, Question, Task, as_question

__all__ = ["Reading", "follow_up", "read_follow_up"]


def follow_up(
    asked: str | Question,
    former: Answer,
    *,
    task: Task | None = None,
    options: Sequence[str] | Mapping[str, str] = (),
    context: str = "",
) -> Question:
    """A question as it reads after a former answer; the limits and the context of the former question hold where it
    has none.

    Args:
        asked: the follow-up.
        former: the answer that it follows.
        task: the kind of answer; guessed from the question as it was read when absent.
        options: the choices of a choice question.
        context: a passage or a case that it is about.

    Raises:
        UsageError: the former question does not tell what a word such as "it" stands for; or as `Question.ask`.
    """
    typed = as_question(asked, task=task, options=options, context=context)
    letters = {option.letter: option.text for option in typed.options}
    guessed = task is None and typed.task == Question.ask(typed.text, options=letters).task
    reading = read_follow_up(typed.text, former.question.text)
    question = Question.ask(
        reading.text,
        task=None if guessed else typed.task,
        options=letters,
        filters=typed.filters if typed.filters != Filters() else former.question.filters,
        documents=typed.documents,
        context=typed.context or former.question.context,
    )
    follows = Follows(
        answer=former.trace_id,
        question=former.question.text,
        asked=typed.text,
        word=reading.word,
        stands_for=reading.stands_for,
        documents=tuple(document.id for document in former.documents),
    )
    return question.model_copy(update={"follows": follows})
