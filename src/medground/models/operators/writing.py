"""Writing: a rationale in which every sentence cites evidence, and the answer that follows from it."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Protocol

from pydantic import Field

from medground.language import words
from medground.language.prohibition import forbidden
from medground.language.question_reading import Asked
from medground.language.quoting.leading import stands_alone
from medground.language.requests import aspects_told
from medground.language.sentences import sentence_spans
from medground.language.subject import subjects
from medground.models.operators.base import AtMostOne, EvidenceView, InvalidOutput, OperatorOutput
from medground.models.operators.differences import NEGATION, differences, folded
from medground.values.decision import AnswerForm
from medground.values.question import CLOSED, Option, Task

_LABEL = re.compile(r"^\W*(?:[A-Z&/ ]{3,}: )?")
"""The heading of a part of an abstract before its first sentence, and marks of a list."""
SAME_WORDS = 0.5
"""Minimum share of the shorter quote's words, by weight, that two quotes share of which one denies the other."""
_DENIED = 2
"""Content words after a negation that may be what it denies."""
STUDIES = 2
"""How many times as many quotes a comparison shows, one of each study."""


def chosen_quotes(asked: Asked, evidence: Sequence[EvidenceView], count: int) -> tuple[EvidenceView, ...]:
    """The quotes that the rationale shows, at most `count`: in the given order, one of each paper before a second one.

    Quotes that say an earlier one again and quotes from retracted papers are left out. What forbids what the question
    asks leave for comes before all, and then how another disease is treated is left out. What another paper says
    against the first one comes second. For a comparison, studies that name both sides come first, and one quote of each
    is shown, also one that says the same as another, up to `STUDIES` times as many. A fragment never leads.
    """
    compared = asked.comparison
    usable = [e for e in evidence if "retract" not in e.design.lower()]
    forbids = {e.id: share for e in usable if (share := forbidden(asked, e.title, e.quote))}
    usable = [e for e in usable if e.id in forbids or not (forbids and _treats_another(asked, e))]
    both = {e.id for e in usable if compared and compared.names_both(f"{e.title} {e.quote}")}
    usable.sort(key=lambda e: (-forbids.get(e.id, 0.0), e.id not in both))
    number = {e.id: sum(one.title == e.title for one in usable[:n]) for n, e in enumerate(usable) if e.title}
    usable.sort(key=lambda e: (-forbids.get(e.id, 0.0), number.get(e.id, 0)))
    chosen: list[EvidenceView] = []
    for candidate in _opposed_second(usable):
        is_study = candidate.id in both and not number.get(candidate.id, 0)
        if len(chosen) >= (count * STUDIES if is_study else count):
            break
        if is_study or not any(_repeats(candidate.quote, c.quote) for c in chosen):
            chosen.append(candidate)
    return tuple(sorted(chosen, key=lambda e: (e.id not in forbids, not stands_alone(e.quote))))


def _opposed_second(usable: list[EvidenceView]) -> list[EvidenceView]:
    """The quotes, with the first one of another paper that denies the first quote in the second place."""
    others = usable[1:]
    second = next((e for e in others if e.title != usable[0].title and opposed(usable[0].quote, e.quote)), None)
    return [*usable[:1], *([second] if second else []), *(e for e in others if e is not second)]


def opposed(one: str, other: str) -> bool:
    """Whether one text denies what the other says, going by their words, of which the next ones are denied."""
    denied, too = _denied(one), _denied(other)
    if bool(denied) == bool(too) or (denied | too).isdisjoint(words.terms(one if too else other)):
        return False
    stems, others = sorted((frozenset(words.terms(text)) for text in (one, other)), key=len)
    return words.coverage(stems, others) >= SAME_WORDS and "negation" in differences(one, other)


def _denied(text: str) -> set[str]:
    return {stem for no in NEGATION.finditer(text) for stem in words.terms(text[no.end() :])[:_DENIED]}


def _treats_another(asked: Asked, view: EvidenceView) -> bool:
    """Whether a quote tells of the treatment of a disease that its title names and the question does not."""
    if aspects_told(view.quote).isdisjoint(("treatment", "the dose of")):
        return False
    diseases = [thing for thing in subjects(view.title) if thing.decides and thing.is_disease]
    return bool(diseases) and not any(disease.is_named_in(asked.plain) for disease in diseases)


def _repeats(quote: str, earlier: str) -> bool:
    """Whether an earlier quote has the same sentences: a word or a number more or less may turn what is said."""
    return _sentences(quote) <= _sentences(earlier)


@lru_cache(maxsize=512)
def _sentences(quote: str) -> frozenset[str]:
    """The sentences of a quote as they are compared: without labels, white space, case and the mark at the end."""
    read = (_LABEL.sub("", quote[start:end]) for start, end in sentence_spans(quote) or [(0, len(quote))])
    return frozenset(" ".join(folded(text).casefold().split()).rstrip(" .;") for text in read)


class WrittenSentence(OperatorOutput):
    text: str = Field(min_length=1, max_length=1200, description="one plain sentence with one claim, no citation marks")
    evidence: tuple[str, ...] = Field(description="ids of the quotes that say so, such as E2")


Answers = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=600)], ...],
    Field(description="in the form of the task; empty where the evidence does not answer"),
]
Form = Annotated[AnswerForm | None, Field(description="of the answer to an open question; else none")]
Missing = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=300)], ...],
    Field(description="sentences that each say what is asked and not reported; empty if all is"),
]


class ShortAnswer(Protocol):
    """What every output that answers a question has, beside its rationale."""

    @property
    def answer(self) -> tuple[str, ...]: ...
    @property
    def form(self) -> AnswerForm | None: ...
    @property
    def missing(self) -> tuple[str, ...]: ...


class TaskInput(Protocol):
    """What decides the form of an answer."""

    @property
    def task(self) -> Task: ...
    @property
    def options(self) -> tuple[Option, ...]: ...


class WriteOutput(OperatorOutput):
    sentences: tuple[WrittenSentence, ...] = Field(description="the rationale, in order")
    answer: Answers
    form: Form = None
    missing: Missing = ()


def check_answer(value: TaskInput, answer: Sequence[str], form: AnswerForm | None = None) -> None:
    """Check that an answer has the form of the task. Raises InvalidOutput: it has another."""
    allowed = allowed_answers(value)
    if unknown := set(answer) - set(allowed) if allowed else ():
        raise InvalidOutput(f"answer {min(unknown)[:60]!r} is not one of {', '.join(allowed)}")
    if answer and not allowed and form is None:
        raise InvalidOutput("say of which form the answer is")
    several = value.task == "multiple-choice" or (value.task == "free" and form == "items")
    if len(answer) > 1 and not several:
        raise InvalidOutput("give one answer, or for an open question several of the form `items`")


def answer_choices(value: TaskInput, field: str = "answer") -> dict[str, tuple[str, ...]]:
    """The answers that a field may have: at most one unless the task is multiple choice; empty for an open question."""
    allowed = allowed_answers(value)
    if not allowed:
        return {}
    return {field: allowed if value.task == "multiple-choice" else AtMostOne(allowed)}


ANSWERS: dict[str, Any] = {
    "check": lambda value, output: check_answer(value, output.answer, output.form),
    "choices": answer_choices,
}
"""Options of an operator that answers a question: its answer has the form of the task."""


def allowed_answers(value: TaskInput) -> tuple[str, ...]:
    """The valid answers to this task; empty for an open question."""
    return tuple(sorted(CLOSED.get(value.task) or (option.letter for option in value.options)))
