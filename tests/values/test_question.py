"""Questions: cleaning, limits, the guessed task."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.errors import UsageError
from medground.values.question import MAX_CHARACTERS, MAX_CONTEXT, Question, as_question


def test_task_is_guessed_from_the_first_word_and_options_make_a_single_choice() -> None:
    closed = ("Is ectopia lentis a feature of Marfan syndrome?", "does aspirin reduce stroke")
    open_ = ("Which genes are associated with Rett syndrome?", "Island populations: how frequent is it?")
    assert {Question.ask(text).task for text in closed} == {"yes-no-maybe"}
    assert {Question.ask(text).task for text in open_} == {"free"}
    question = Question.ask("Which one?", options=["aspirin", "heparin"])
    assert question.task == "single-choice"
    assert [(o.letter, o.text) for o in question.options] == [("A", "aspirin"), ("B", "heparin")]


@each_row(
    ("text", "more", "message"),
    [
        (" \n\t\x00 ", {}, "empty"),
        ("???", {}, "no letter"),
        ("a" * 20_000, {}, "20,000 characters; shorten it to at most 4,000"),
        ("Is it?", {"context": "a" * (MAX_CONTEXT + 1)}, "context has 16,001 characters; shorten it to at most 16,000"),
        ("Which?", {"task": "single-choice", "options": ["one"]}, "at least two options"),
        ("Is it?", {"task": "yes-no", "options": ["a", "b"]}, "takes no options"),
        ("Is it?", {"task": "essay"}, "unknown task"),
        ("Which?", {"options": ["Aspirin", "aspirin "]}, "two options are the same"),
        ("Which?", {"options": [str(number) for number in range(30)]}, "26 options"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(text: str, more: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        Question.ask(text, **more)
    assert "\n" not in str(caught.value)


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
    assert len(Question.ask("Is it?", context="a" * MAX_CONTEXT).context) == MAX_CONTEXT


def test_a_context_is_added_to_a_question_that_has_none() -> None:
    plain = Question.ask("Is it?")
    told = as_question(plain, context="A man of 60.")
    assert (told.context, plain.context) == ("A man of 60.", "")
    assert as_question(told) == as_question(told, context=" A man of 60.") == told
    with pytest.raises(UsageError, match="has a context already"):
        as_question(told, context="A woman of 40.")
