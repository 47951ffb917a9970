"""Reasoning: a rationale that splits the question into parts, cites sentences for each, and leads to an answer."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import BeforeValidator, Field

from medground.language import words
from medground.language.prose import is_prose
from medground.models.operators import base, prose
from medground.models.operators.compare import compare
from medground.models.operators.reading import quotes_on_topic
from medground.models.operators.writing import (
    ANSWERS,
    Answers,
    Form,
    Missing,
    answer_choices,
    check_answer,
    chosen_quotes,
)
from medground.values.question import Option, Task


class Demonstration(base.QuestionInput):
    """A solved example (q, E, r, y): its passages or their quotes, its rationale, its answer.

    `reference` is the known answer to an open question, in words.
    """

    options: tuple[Option, ...] = ()
    evidence: tuple[base.Untrusted, ...]
    rationale: base.Untrusted
    reference: base.Untrusted = ""
    answer: tuple[str, ...]


class PastRound(base.OperatorInput):
    """An earlier round: what was asked, what was answered, and which statements nothing supported (history H)."""

    query: base.Untrusted
    passages: tuple[base.Untrusted, ...] = ()
    rationale: base.Untrusted
    answer: tuple[str, ...]
    unsupported: tuple[base.Untrusted, ...] = ()


class ReasonInput(base.AskedInput):
    demonstrations: tuple[Demonstration, ...] = ()
    question: base.Untrusted
    task: Task
    options: tuple[Option, ...] = ()
    history: tuple[PastRound, ...] = ()
    passages: tuple[base.SentencedPassage, ...]
    sentences: int = 3


class SubClaim(base.OperatorOutput):
    text: str = Field(min_length=1, max_length=1200, description="one part of the reasoning, a plain sentence, no ids")
    sentences: tuple[str, ...] = Field(description="ids of the sentences that say so, such as P1.S2")


class ReasonOutput(base.OperatorOutput):
    claims: tuple[SubClaim, ...] = Field(description="the rationale, in order, one part of the question each")
    answer: Answers
    form: Form = None
    missing: Missing = ()


class DirectOutput(base.OperatorOutput):
    """The same the other way round: fields are written in their order, so the answer comes before any reasoning."""

    answer: Answers
    form: Form = None
    claims: tuple[SubClaim, ...] = Field(description="one short sentence that says the answer")
    missing: Missing = ()


def _fits(value: ReasonInput, output: ReasonOutput | DirectOutput) -> None:
    if not all(claim.text.strip() for claim in output.claims):
        raise base.InvalidOutput("a part of the rationale is empty; write it or leave it out")
    check_answer(value, output.answer, output.form)


_OPTIONS = {**ANSWERS, "check": _fits, "ids": {"sentences": lambda value: base.sentence_ids(value.passages)}}


def best_quotes(value: ReasonInput, most: int) -> tuple[SubClaim, ...]:
    """At most `most` sentences quoted from the passages on topic, best first; empty if no passage is on topic."""
    chosen = chosen_quotes(value.asked, quotes_on_topic(value.asked, value.passages), most)
    return tuple(SubClaim(text=e.quote[:1200], sentences=(e.id,)) for e in chosen)


def _claims(value: ReasonInput, text: str) -> tuple[SubClaim, ...]:
    """A rationale in prose; of a passage that a sentence names, it cites the sentence that is nearest to it."""
    claims = []
    for said in prose.sentences(text):
        named = [one.sentences for one in prose.passages_cited(said, value.passages) if one.sentences]
        nearest = ((*nearest_sentences(said, own), own[0].id)[0] for own in named)
        claims.append(SubClaim(text=said, sentences=tuple(dict.fromkeys(nearest))))
    return tuple(claims)


def read_prose(value: ReasonInput, text: str) -> ReasonOutput:
    """A rationale and an answer as the prompts of papers ask for them. Raises InvalidOutput: there is no answer."""
    rationale, answer = prose.rationale_and_answer(value, text)
    form: Form = "sentence" if answer and value.task == "free" else None
    return ReasonOutput(claims=_claims(value, rationale), answer=answer, form=form)


def _direct_prose(value: ReasonInput, text: str) -> DirectOutput:
    return DirectOutput(**dict(read_prose(value, text)))


@base.operator(streamed="claims", reads=read_prose, **_OPTIONS)
def reason(value: ReasonInput) -> ReasonOutput:
    """The best quotes, word for word, and no short answer."""
    return ReasonOutput(claims=best_quotes(value, value.sentences), answer=())


@base.operator(reads=_direct_prose, **_OPTIONS)
def direct(value: ReasonInput) -> DirectOutput:
    """The best quote, word for word, and no short answer."""
    return DirectOutput(answer=(), claims=best_quotes(value, 1))


reason_or_recall = replace(reason, name="reason_or_recall", instructions="")
"""`reason` as in appendix B, whose base instruction lets the model fall back on its own knowledge."""

direct_or_recall = replace(direct, name="direct_or_recall", instructions="")
"""`direct` with the same fallback."""


# Answering a choice from the paragraphs of a report, and from nothing else.

LEAST = 0.2
"""Least share of an option's words, by weight, in a sentence that is shown for it."""
MOST = 2
"""Sentences shown for an option."""
REVERSED = 0.5
"""What remains of a lean where the nearest sentence has another direction, negation or number."""
_REVERSING = frozenset({"negation", "direction", "number", "unit"})


def nearest_sentences(option: str, sentences: Sequence[base.SentenceView]) -> tuple[str, ...]:
    """Ids of the sentences that share most with an option, best first; none if they share little."""
    wanted = words.terms(option)
    scored = [(words.coverage(wanted, words.terms(one.text)), n) for n, one in enumerate(sentences)]
    best = sorted((-share, n) for share, n in scored if share >= LEAST and is_prose(sentences[n].text))[:MOST]
    return tuple(sentences[n].id for _, n in best)


def option_lean(option: str, sentences: Sequence[str]) -> float:
    """How much of an option its own sentences say, 0 to 1: the share of its words, less where they say it differently.

    The share is that of the option's word stems, by weight, in all of these sentences together. It is halved where
    the nearest sentence has another direction, negation, number or unit. It is not a probability.
    """
    if not sentences:
        return 0.0
    held = frozenset(term for sentence in sentences for term in words.terms(sentence))
    share = words.coverage(words.terms(option), held)
    found = compare(option, [base.EvidenceView(id=f"E{n}", quote=one) for n, one in enumerate(sentences, start=1)])
    return share * REVERSED if _REVERSING.intersection(found.flags) else share


MOST_SENTENCES = 4
"""Most sentences that are named for an option; a weak model lists all of them."""


class ChooseInput(base.QuestionInput):
    task: Task
    options: tuple[Option, ...]
    paragraphs: tuple[base.SentencedPassage, ...]


def _first_few(said: object) -> object:
    return tuple(said)[:MOST_SENTENCES] if isinstance(said, list | tuple) else said


class OptionSentences(base.OperatorOutput):
    letter: str = Field(description="the letter of the option")
    sentences: Annotated[tuple[str, ...], BeforeValidator(_first_few)] = Field(
        max_length=MOST_SENTENCES,
        description="ids of the sentences that decide whether the option is right, such as P1.S2; none if none does",
    )


class ChooseOutput(base.OperatorOutput):
    options: tuple[OptionSentences, ...] = Field(description="every option once, in the order given")
    answer: tuple[str, ...] = Field(description="the letters of all right options; empty if no paragraph shows one")


def _options_fit(value: ChooseInput, output: ChooseOutput) -> None:
    check_answer(value, tuple(dict.fromkeys(output.answer)))


@base.operator(
    ids={
        "letter": lambda value: (option.letter for option in value.options),
        "sentences": lambda value: base.sentence_ids(value.paragraphs),
    },
    check=_options_fit,
    choices=answer_choices,
)
def choose_options(value: ChooseInput) -> ChooseOutput:
    """The sentences nearest to each option, and no answer: word statistics cannot tell which options are right."""
    sentences = [sentence for passage in value.paragraphs for sentence in passage.sentences]
    found = {option.letter: nearest_sentences(option.text, sentences) for option in value.options}
    options = (OptionSentences(letter=letter, sentences=nearest) for letter, nearest in found.items())
    return ChooseOutput(options=tuple(options), answer=())
