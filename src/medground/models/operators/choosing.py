"""Answering a choice from the paragraphs of a report, and from nothing else.

Source: BioMedSearch, section IV.B: every model gets the same instructions and the same context, and may use no other
knowledge. The instructions are in our own words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BeforeValidator, Field

from medground.language import words
from medground.language.prose import is_prose
from medground.models.operators.base import (
    EvidenceView,
    InvalidOutput,
    Operator,
    OperatorInput,
    OperatorOutput,
    SentencedPassage,
    SentenceView,
    Untrusted,
    only_known,
    sentence_ids,
)
from medground.models.operators.compare import compare
from medground.models.operators.reading import DATA_RULE
from medground.models.operators.writing import answer_choices, check_answer_form
from medground.values.question import Option, Task

LEAST = 0.2
"""Least share of an option's words, by weight, in a sentence that is shown for it."""
MOST = 2
"""Sentences shown for an option."""
REVERSED = 0.5
"""What remains of a lean where the nearest sentence has another direction, negation or number."""
_REVERSING = frozenset({"negation", "direction", "number", "unit"})


def nearest_sentences(option: str, sentences: Sequence[SentenceView]) -> tuple[str, ...]:
    """Ids of the sentences that share most with an option, best first; none if they share little."""
    wanted = words.terms(option)
    scored = [(words.coverage(wanted, words.terms(one.text)), n) for n, one in enumerate(sentences)]
    best = sorted((-share, n) for share, n in scored if share >= LEAST and is_prose(sentences[n].text))[:MOST]
    return tuple(sentences[n].id for _, n in best)


def option_lean(option: str, sentences: Sequence[str]) -> float:
    """How much of an option its own sentences say, 0 to 1: the share of its words, less where they say it differently.

    The share is that of the option's word stems, by weight, in all of these sentences together. It is halved where
    the nearest sentence has another direction, negation, number or unit. It is no probability.
    """
    if not sentences:
        return 0.0
    held = frozenset(term for one in sentences for term in words.terms(one))
    share = words.coverage(words.terms(option), held)
    found = compare(option, [EvidenceView(id=f"E{n}", quote=one) for n, one in enumerate(sentences, start=1)])
    return share * REVERSED if _REVERSING.intersection(found.flags) else share


MOST_SENTENCES = 4
"""Most sentences that are named for an option; a weak model lists all of them."""


class ChooseInput(OperatorInput):
    question: Untrusted
    task: Task
    options: tuple[Option, ...]
    paragraphs: tuple[SentencedPassage, ...]


def _first_few(said: object) -> object:
    return tuple(said)[:MOST_SENTENCES] if isinstance(said, list | tuple) else said


class OptionSentences(OperatorOutput):
    letter: str = Field(description="the letter of the option")
    sentences: Annotated[tuple[str, ...], BeforeValidator(_first_few)] = Field(
        max_length=MOST_SENTENCES,
        description="ids of the sentences that decide whether the option is right, such as P1.S2; none if none does",
    )


class ChooseOutput(OperatorOutput):
    options: tuple[OptionSentences, ...] = Field(description="every option once, in the order given")
    answer: tuple[str, ...] = Field(description="the letters of all right options; empty if no paragraph shows one")


def _fits(value: ChooseInput, output: ChooseOutput) -> None:
    letters = [option.letter for option in value.options]
    if sorted(one.letter for one in output.options) != sorted(letters):
        raise InvalidOutput(f"name each of the options {', '.join(letters)} once")
    only_known((s for one in output.options for s in one.sentences), sentence_ids(value.paragraphs), "sentence")
    check_answer_form(value.task, value.options, tuple(dict.fromkeys(output.answer)))
    shown = {one.letter for one in output.options if one.sentences}
    if bare := sorted(set(output.answer) - shown):
        raise InvalidOutput(f"no sentence is named for {', '.join(bare)}; name one or leave the option out")


def _choices(value: ChooseInput) -> dict[str, tuple[str, ...]]:
    return {
        "letter": tuple(option.letter for option in value.options),
        "sentences": sentence_ids(value.paragraphs),
        "answer": answer_choices(value.task, value.options),
    }


def _keyless(value: ChooseInput) -> ChooseOutput:
    """The sentences nearest to each option, and no answer: word statistics cannot tell which options are right."""
    sentences = [sentence for passage in value.paragraphs for sentence in passage.sentences]
    found = {option.letter: nearest_sentences(option.text, sentences) for option in value.options}
    options = (OptionSentences(letter=letter, sentences=nearest) for letter, nearest in found.items())
    return ChooseOutput(options=tuple(options), answer=())


choose_options = Operator(
    name="choose_options",
    instructions=(
        "Decide which options of a biomedical question are right, from the paragraphs alone, whose sentences are "
        "numbered. Use nothing that you know from elsewhere: what the paragraphs do not say, you do not know. Take the "
        "options one by one. For each give the ids of the sentences that decide it: those that state it, and those "
        "that state something else in its place. An option is right only if sentences state all of it; one that "
        "changes who, what, how much, when, or in which direction is wrong, however much of it is stated. Several "
        "options may be right if the task is multiple-choice, exactly one if it is single-choice. Mind what is asked: "
        "if it is what does not hold, the right options are those that the sentences rule out. Length, wording and "
        "place of an option say nothing. Then give the letters of the right options. " + DATA_RULE
    ),
    input=ChooseInput,
    output=ChooseOutput,
    keyless=_keyless,
    check=_fits,
    choices=_choices,
)
