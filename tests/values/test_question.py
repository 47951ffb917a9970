"""Questions: cleaning, limits, the guessed task."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medground.errors import UsageError
from medground.values.question import MAX_CHARACTERS, MAX_CONTEXT, Question, as_question


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Is ectopia lentis a feature of Marfan syndrome?", "yes-no-maybe"),
        ("does aspirin reduce stroke", "yes-no-maybe"),
        ("Which genes are associated with Rett syndrome?", "free"),
        ("Island populations: how frequent is it?", "free"),
    ],
)
def test_task_is_guessed_from_the_first_word(text: str, task: str) -> None:
    assert Question.ask(text).task == task


def test_options_make_a_single_choice_with_letters() -> None:
    question = Question.ask("Which one?", options=["aspirin", "heparin"])
    assert question.task == "single-choice"
    assert [(o.letter, o.text) for o in question.options] == [("A", "aspirin"), ("B", "heparin")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        (" \n\t\x00 ", "empty"),
        ("???", "no letter"),
        ("a" * 20_000, "20,000 characters; shorten it to at most 4,000"),
    ],
)
def test_unusable_text_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        Question.ask(text)
    assert "\n" not in str(caught.value)


def test_options_must_fit_the_task() -> None:
    with pytest.raises(UsageError, match="at least two options"):
        Question.ask("Which?", task="single-choice", options=["one"])
    with pytest.raises(UsageError, match="takes no options"):
        Question.ask("Is it?", task="yes-no", options=["a", "b"])
    with pytest.raises(UsageError, match="unknown task"):
        Question.ask("Is it?", task="essay")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="two options are the same"):
        Question.ask("Which?", options=["Aspirin", "aspirin "])
    with pytest.raises(UsageError, match="26 options"):
        Question.ask("Which?", options=[str(i) for i in range(30)])


@given(st.text(max_size=300))
def test_any_text_is_a_clean_question_or_a_usage_error(text: str) -> None:
    try:
        question = Question.ask(text)
    except UsageError:
        return
    assert question.text == " ".join(question.text.split())
    assert 0 < len(question.text) <= MAX_CHARACTERS
    assert Question.ask(question.text).text == question.text
    assert all(c.isprintable() or not c.isascii() for c in question.text)


def test_a_context_keeps_its_lines_and_loses_what_cannot_be_seen() -> None:
    question = Question.ask("Is it?", context="\n A man\tof 60.\r\nHe\x00 takes warfarin.\x1b[31m \n")
    assert question.context == "A man of 60.\nHe  takes warfarin. [31m"
    assert Question.ask("Is it?", context=" \n").context == ""


def test_a_context_has_a_limit() -> None:
    assert len(Question.ask("Is it?", context="a" * MAX_CONTEXT).context) == MAX_CONTEXT
    with pytest.raises(UsageError, match="the context has 16,001 characters; shorten it to at most 16,000") as caught:
        Question.ask("Is it?", context="a" * (MAX_CONTEXT + 1))
    assert "\n" not in str(caught.value)


def test_a_context_is_added_to_a_question_that_has_none() -> None:
    plain = Question.ask("Is it?")
    told = as_question(plain, context="A man of 60.")
    assert (told.context, plain.context) == ("A man of 60.", "")
    assert as_question(told) == as_question(told, context=" A man of 60.") == told
    with pytest.raises(UsageError, match="has a context already"):
        as_question(told, context="A woman of 40.")
