"""A question and the kind of answer it asks for."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar
from unicodedata import category, normalize

from pydantic import BaseModel, Field

from medground.errors import UsageError
from medground.values.document import DocumentId, Frozen
from medground.values.query import Argument, Filters
from medground.values.research_plan import ResearchPlan

T = TypeVar("T")
Task = Literal["yes-no", "yes-no-maybe", "direction", "single-choice", "multiple-choice", "free"]
"""The kind of answer that a question asks for."""
TASKS: tuple[Task, ...] = ("yes-no", "yes-no-maybe", "direction", "single-choice", "multiple-choice", "free")

CLOSED: Mapping[Task, tuple[str, ...]] = {
    "yes-no": ("yes", "no"),
    "yes-no-maybe": ("yes", "no", "maybe"),
    "direction": ("higher", "lower", "no difference", "uncertain"),
}
"""The possible answers of questions without options."""

MAX_CHARACTERS = 4_000
MAX_CONTEXT = 16_000
"""Characters of a context: a long case or a few abstracts, about 4,000 tokens."""
_AUXILIARY = re.compile(
    r"(?i)(?:is|are|was|were|am|do|does|did|has|have|had|can|could|should|will|would|may|might|must)\b"
)
_NO_CHOICE = re.compile(r"(?i)\bor (?:not|no|never|without|more|less)\b|\band/or\b")
"""An "or" between which nobody is asked to choose."""
_UP = "higher|greater|larger|longer|more|up|increased|raised|elevated"
_DOWN = "lower|smaller|shorter|fewer|less|down|decreased|reduced|lowered"
_WAY = f"(?:{_UP}|{_DOWN}|(?:about )?the same|similar|equal|unchanged|(?:no|not) different)"
_BETWEEN = "(?:,? or |, |/)(?:(?:is|are|was|were|does|do|it|they|stays?|remains?) )*"
_AFTER = "with|when|in|for|than|after|if|among|compared|between|during|at|under|by|following|versus|vs|as|on"
WAYS = re.compile(
    rf"\b(?!more or less than \d){_WAY}(?:{_BETWEEN}{_WAY})+(?=\W*$|[,;?]| (?:{_AFTER})\b| \w+ (?:than|with|when)\b)"
    r"|\b(?:increase|raise)(?:, | or |/)(?:decrease|reduce|lower)\b"
    r"|\b(?:decrease|reduce|lower)(?:, | or |/)(?:increase|raise)\b",
    re.IGNORECASE,
)
"""The directions between which a question asks to choose; `lower or higher doses` offers doses."""
_OPEN_PART = re.compile(
    r"""
    \bor\b                                    # a choice: "Is A or B safer?"
    | \b(?:what|how|why)\b                    # "Has A been tried, and with what result?"
    | \b(?:know|remember|say)\ (?:which|who|whose|where|when)\b
    | ^(?:can|could|will|would|do)\ (?:you|anyone|anybody|someone|somebody)\ (?:(?:please|kindly)\ )?
      (?:list|name|explain|describe|summari[sz]e|outline|tell|give|provide|show|compare|define|identify|discuss
        |mention|recommend|suggest|clarify|share)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def asks_yes_or_no(text: str) -> bool:
    """Whether a question asks for yes or no: it begins with an auxiliary verb, offers no choice and requests nothing.

    >>> asks_yes_or_no("Is zinc safe in pregnancy?")
    True
    >>> asks_yes_or_no("Is zinc or iron safer in pregnancy?")
    False
    >>> asks_yes_or_no("Could you list the side effects of zinc?")
    False
    """
    return guessed_task(text) == "yes-no-maybe"


def guessed_task(text: str) -> Task:
    """The kind of answer that a question without options asks for.

    >>> guessed_task("Is pain lower, higher or the same with zinc than with placebo?")
    'direction'
    >>> guessed_task("Does zinc increase or decrease appetite?")
    'direction'
    >>> guessed_task("Is zinc or iron safer in pregnancy?")
    'free'
    """
    if _AUXILIARY.match(text) is None:
        return "free"
    if WAYS.search(text):
        return "direction"
    return "free" if _OPEN_PART.search(_NO_CHOICE.sub(" ", text)) else "yes-no-maybe"


def _is_empty(value: object) -> bool:
    return not value


class Option(Frozen):
    """One choice of a choice question: its letter and its text."""

    letter: str
    text: str


def lettered(task: Task, options: tuple[Option, ...]) -> tuple[Option, ...]:
    """The options of a question; of one that its task closes, the possible answers as options: A yes, B no."""
    return options or tuple(Option(letter=chr(65 + n), text=one) for n, one in enumerate(CLOSED.get(task, ())))


class Follows(Frozen):
    """How a follow-up question was read, and what it keeps of the answer that it follows."""

    answer: str
    """The trace id of that answer."""
    question: str
    """Its question."""
    asked: str
    """The follow-up as it was typed."""
    word: str = ""
    """The word or words that were replaced, such as `it`; empty where none was."""
    stands_for: str = ""
    """What was put in their place."""
    documents: tuple[DocumentId, ...] = ()
    """The documents of that answer, which are searched beside everything else."""
    carried: str = Field(default="", exclude_if=_is_empty)
    """What the question was about before and names no longer, such as `gout`; empty where nothing was added."""
    things: tuple[str, ...] = Field(default=(), exclude_if=_is_empty)
    """What the conversation named, the latest first, each as often as it was named."""
    began: str = Field(default="", exclude_if=_is_empty)
    """The question with which the conversation began, or began anew."""
    paper: DocumentId | None = Field(default=None, exclude_if=_is_empty)
    """The one paper of that answer that the question is about, such as "the trial"; only this paper is searched."""
    choices: tuple[str, ...] = Field(default=(), exclude_if=_is_empty)
    """What it may mean, as whole questions, where that cannot be decided: then it is asked back, and not searched."""
    unclear: str = Field(default="", exclude_if=_is_empty)
    """Why its words alone do not tell what it means; an error, unless a model reads it."""


class Question(Argument):
    """A question as passed to recipes. Create it with `Question.ask`, which cleans and checks the text."""

    text: str
    task: Task
    options: tuple[Option, ...] = ()
    filters: Filters = Filters()
    documents: tuple[DocumentId, ...] = ()
    """Documents that the question was written from, if a data set names them: no demonstration may share one."""

    follows: Follows | None = None
    """If it is a follow-up: how it was read, and the documents of the answer that it follows."""

    context: str = ""
    """What the asker gives beside the question, such as a patient's case or a passage: data for the answerer, never
    searched for by itself and never evidence."""

    original: str = ""
    """The question as it was typed, where `text` is the English that a model made of it."""

    plan: ResearchPlan | None = None
    """A plan of research that the asker gives with the question; None where the recipe is to make its own."""

    @property
    def closed(self) -> bool:
        """Whether it asks for yes or no."""
        return asks_yes_or_no(self.text)

    @property
    def typed(self) -> str:
        """The question in the language in which it was asked, for people and for the model that answers."""
        return self.original or self.text

    def reworded(self, words: str) -> Question:
        """The question in other words, which may ask for another kind of answer where none was chosen."""
        text, is_guessed = _cleaned(words), not self.options and self.task == guessed_task(self.text)
        return self.replace(text=text, task=guessed_task(text) if is_guessed else self.task)

    def in_english(self, english: str) -> Question:
        """The question as its English translation."""
        return self.reworded(english).replace(original=self.text)

    def worded(self, values: Sequence[str]) -> tuple[str, ...]:
        """Values of an answer in words: a letter with the text of its option, others as they are."""
        texts = {option.letter: f"{option.letter}: {option.text}" for option in self.options}
        return tuple(texts.get(value, value) for value in values)

    @classmethod
    def ask(
        cls,
        text: str,
        *,
        task: Task | None = None,
        options: Sequence[str] | Mapping[str, str] = (),
        filters: Filters | None = None,
        documents: Sequence[DocumentId] = (),
        context: str = "",
    ) -> Question:
        """Create a question from what a user typed; `context` is a passage or a case that it is about, or empty.

        If `task` is omitted, it is `single-choice` with options, else what the text asks for: `yes-no-maybe`,
        `direction` or `free`.

        Raises:
            UsageError: the text is empty, too long or without a letter or number, the context is too long, or options
                and task do not match.
        """
        cleaned = _cleaned(text)
        given = options if isinstance(options, Mapping) else tuple(checked_list(options, "options"))
        letters = given if isinstance(given, Mapping) else dict(zip(string.ascii_uppercase, given, strict=False))
        if len(letters) != len(given):
            raise UsageError(
                f"a question can have at most {len(string.ascii_uppercase)} options; {len(given)} were given"
            )
        if task is not None and task not in TASKS:
            raise UsageError(f"unknown task {task!r}; use one of {', '.join(TASKS)}")
        task = task or ("single-choice" if letters else guessed_task(cleaned))
        needs_options = task in ("single-choice", "multiple-choice")
        if needs_options and len(letters) < 2:
            raise UsageError(
                f"task {task} needs at least two options; "
                "[[give --option twice or more|give options=[...]|give options]]"
            )
        if not needs_options and letters:
            raise UsageError(f"task {task} takes no options; remove them or use single-choice")
        if len({_cleaned(choice, "option").casefold() for choice in letters.values()}) < len(letters):
            raise UsageError("two options are the same; give each once")
        choices = tuple(Option(letter=letter, text=_cleaned(choice, "option")) for letter, choice in letters.items())
        return cls(
            text=cleaned,
            task=task,
            options=choices,
            filters=_limits(filters),
            documents=tuple(documents),
            context=_lines(context),
        )


def as_question(
    asked: str | Question,
    *,
    task: Task | None = None,
    options: Sequence[str] | Mapping[str, str] = (),
    filters: Filters | None = None,
    context: str = "",
) -> Question:
    """A question as it is, or made of what a user typed; `filters` and a `context` are added to one that has none.

    Raises UsageError: as `Question.ask`; the question has others.
    """
    if not isinstance(asked, Question):
        return Question.ask(asked, task=task, options=options, filters=filters, context=context)
    if (given := _lines(context)) not in ("", asked.context):
        if asked.context:
            raise UsageError("the question has a context already; give one context")
        asked = asked.replace(context=given)
    if (limits := _limits(filters)) not in (Filters(), asked.filters):
        if asked.filters != Filters():
            raise UsageError("the question has filters already; give them once")
        asked = asked.replace(filters=limits)
    return asked


def _limits(filters: Filters | Mapping[str, Any] | None) -> Filters:
    """Limits that a program gave, also as `{"year_from": 2015}`. Raises UsageError: they are something else."""
    if isinstance(filters, Filters):
        return filters
    if not isinstance(filters, Mapping | None):
        raise UsageError(f"filters are given as Filters(year_from=2015), not {filters!r:.80}")
    return Filters(**filters or {})


def _lines(context: str) -> str:
    """A context as text of one or more lines, without characters that cannot be seen."""
    text = normalize("NFC", "\n".join(checked_text(context, "context").splitlines()))
    visible = "".join(c if c == "\n" or category(c) not in ("Cc", "Cs") else " " for c in text).strip()
    if len(visible) > MAX_CONTEXT:
        raise UsageError(
            f"the context has {len(visible):,} characters; shorten it to at most {MAX_CONTEXT:,}, or build a corpus of "
            "longer texts to search them"
        )
    return visible


def checked_text(text: object, what: str) -> str:
    """A text that a program gave. Raises UsageError: it is not a text, such as None; `what` it should be."""
    if not isinstance(text, str):
        raise UsageError(f"the {what} must be text, not {text!r:.80}")
    return text


def checked_list(values: Iterable[T], what: str) -> Iterable[T]:
    """Values that a program gave. Raises UsageError: it gave one, such as a text, whose letters are not meant."""
    if isinstance(values, str | bytes | BaseModel) or not isinstance(values, Iterable):
        raise UsageError(f"the {what} must be a list, not {values!r:.80}; put brackets around it")
    return values


def _cleaned(text: str, what: str = "question") -> str:
    given = checked_text(text, what)
    visible = "".join(" " if category(c) in ("Cc", "Cs") else c for c in given)
    cleaned = " ".join(normalize("NFC", visible).split())
    if not cleaned:
        raise UsageError(f"the {what} is empty; write it in words")
    if len(cleaned) > MAX_CHARACTERS:
        raise UsageError(f"the {what} has {len(cleaned):,} characters; shorten it to at most {MAX_CHARACTERS:,}")
    if not any(c.isalnum() for c in cleaned):
        raise UsageError(f"the {what} has no letter or number; write it in words")
    return cleaned
