"""The report of a research plan: what answers each sub-question, how the sub-answers connect, and what they come to.

Source: BioMedSearch, section III.C. The instructions are in our own words.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import BeforeValidator, Field

from medground.answering.verify.reporting import asks_or_plans
from medground.language import words
from medground.language.question_reading import Asked
from medground.language.quoting.leading import POINTS_BACK, describes_method, is_fragment
from medground.language.requests import aspects_told
from medground.models.operators import base
from medground.models.operators.base import EvidenceView, SentencedPassage
from medground.models.operators.reading import quotes_on_topic
from medground.models.operators.reasoning import SubClaim
from medground.models.operators.writing import ANSWERS, Answers, Form, Missing, WrittenSentence, chosen_quotes
from medground.recipes.model_fields import one_line
from medground.values.document import AtLeastOne
from medground.values.question import Option, Task
from medground.values.report import Relation


class AnswerPartInput(base.QuestionInput):
    """A sub-question and the passages that were found for it, each with the kind of its source."""

    part_of: base.Untrusted
    passages: tuple[base.SentencedPassage, ...]
    sentences: AtLeastOne = 3


class AnswerPartOutput(base.OperatorOutput):
    answerable: bool = Field(description="whether some passage addresses the question, also with a no")
    reason: base.FewWords = Field(default="", description="if it is not answerable: what is missing, in a few words")
    claims: tuple[SubClaim, ...] = Field(description="the short answer, one sentence each; none if not answerable")


def _answers(value: AnswerPartInput, output: AnswerPartOutput) -> None:
    if not all(claim.text.strip() and claim.sentences for claim in output.claims):
        raise base.InvalidOutput("a sentence of the answer is empty or names no sentence ids; write it or leave it out")


@base.operator(ids={"sentences": lambda value: base.sentence_ids(value.passages)}, check=_answers)
def answer_part(value: AnswerPartInput) -> AnswerPartOutput:
    """The sentences that answer, as far as words tell."""
    found = answering(value.asked, value.part_of, value.passages, value.sentences)
    if not found:
        return AnswerPartOutput(answerable=False, reason=why_not(value.asked, value.passages), claims=())
    claims = tuple(SubClaim(text=view.quote[:1200], sentences=(view.id,)) for view in found)
    return AnswerPartOutput(answerable=True, claims=claims)


class PartView(base.OperatorInput):
    """A sub-question, the sentences that answer it, and the quotes that they cite."""

    id: str
    question: base.Untrusted
    answer: tuple[base.Untrusted, ...]
    quotes: tuple[base.EvidenceView, ...]


class ConnectInput(base.QuestionInput):
    parts: tuple[PartView, ...]


_ABOUT = 120


class Connected(base.OperatorOutput):
    first: str = Field(description="id of a sub-answer, such as q1")
    second: str = Field(description="id of another one")
    relation: Relation = Field(
        description="supports: they show the same; extends: the second goes on where the first ends; contradicts: both "
        "cannot hold"
    )
    about: Annotated[
        str, BeforeValidator(one_line(_ABOUT)), Field(max_length=_ABOUT, description="what joins them, in few words")
    ]
    evidence: tuple[str, ...] = Field(min_length=2, description="ids of quotes of both that show it, such as E2")


class ConnectOutput(base.OperatorOutput):
    connections: tuple[Connected, ...]


def _quotes(value: "ConnectInput | ComposeReportInput") -> Iterator[str]:
    return (quote.id for part in value.parts for quote in part.quotes)


def _connects(value: ConnectInput, output: ConnectOutput) -> None:
    quotes = {part.id: {quote.id for quote in part.quotes} for part in value.parts}
    for connection in output.connections:
        if connection.first == connection.second or not {connection.first, connection.second} <= quotes.keys():
            raise base.InvalidOutput(f"a connection is between two of {', '.join(quotes)}")
        if unknown := set(connection.evidence) - quotes[connection.first] - quotes[connection.second]:
            raise base.InvalidOutput(
                f"{', '.join(sorted(unknown)[:5])} is not a quote of {connection.first} or {connection.second}"
            )
        if any(quotes[side].isdisjoint(connection.evidence) for side in (connection.first, connection.second)):
            raise base.InvalidOutput("a connection needs a quote of each side")


@base.operator(
    check=_connects,
    choices=lambda value: {
        "first": tuple(part.id for part in value.parts),
        "second": tuple(part.id for part in value.parts),
        "evidence": tuple(dict.fromkeys(_quotes(value))),
    },
)
def connect_parts(value: ConnectInput) -> ConnectOutput:
    """No connection."""
    return ConnectOutput(connections=())


class JoinedView(base.OperatorInput):
    """A connection of two sub-answers."""

    first: str
    second: str
    relation: Relation
    about: base.Untrusted


class ComposeReportInput(base.QuestionInput):
    task: Task
    options: tuple[Option, ...] = ()
    parts: tuple[PartView, ...]
    connections: tuple[JoinedView, ...] = ()
    sentences: AtLeastOne = 3


class ComposeReportOutput(base.OperatorOutput):
    background: tuple[WrittenSentence, ...] = Field(description="what a reader must know first")
    synthesis: tuple[WrittenSentence, ...] = Field(description="what the sub-answers come to together")
    answer: Answers
    form: Form = None
    missing: Missing = ()


@base.operator(ids={"evidence": _quotes}, **ANSWERS)
def compose_report(value: ComposeReportInput) -> ComposeReportOutput:
    """Neither background nor synthesis: only the sub-answers are shown."""
    return ComposeReportOutput(background=(), synthesis=(), answer=())


# A report without a model: which sentences answer a sub-question, as far as its reading and the words of texts tell.

OWN = 0.4
"""Least share, in a quote and its title, of what a sub-question asks in words that are no aspect, such as pathways."""
LINES = 3
"""Most lines of the records of proteins in a sub-answer."""
_RECORDS = ("protein", "graph")


def answering(asked: Asked, whole: str, passages: Sequence[SentencedPassage], most: int) -> tuple[EvidenceView, ...]:
    """The sentences that answer a sub-question, best first, then lines of records; empty if none does.

    Of the whole question, the best quotes of all passages on its topic, as in any answer; those that tell what it asks
    of its things alone, if there are any. Of a part, a quote with its title must be about its things, and speak of what
    it asks of them. Titles, aims, parts of sentences, and what is read with a sentence before answer nothing.
    """
    texts = [passage for passage in passages if passage.kind not in _RECORDS]
    views = [one for one in quotes_on_topic(asked, texts) if _stands(asked, one)]
    if asked.text != whole:
        views = [one for one in views if asked.is_about(f"{one.title}\n{one.quote}") and _speaks(asked, whole, one)]
    elif asked.aspects:
        views = [one for one in views if _speaks(asked, whole, one)] or views
    records = [passage for passage in passages if passage.kind in _RECORDS]
    return (*chosen_quotes(asked, views, most), *_lines(asked.text, whole, records))


def _stands(asked: Asked, view: EvidenceView) -> bool:
    """Whether a quote is a whole sentence that tells something by itself; of a diagnosis methods tell too."""
    is_method = "diagnosis" not in asked.aspects and describes_method(view.quote)
    is_part = is_fragment(view.quote, view.title) or POINTS_BACK.match(view.quote)
    return not (is_part or is_method or asks_or_plans(view.quote))


def why_not(asked: Asked, passages: Sequence[SentencedPassage]) -> str:
    """Why no passage answers a question, as far as words tell."""
    unnamed = asked.unnamed([_text(passage) for passage in passages])
    return f"no passage mentions {' or '.join(unnamed)}" if unnamed else "no passage says enough of what it asks"


def _text(passage: SentencedPassage) -> str:
    return f"{passage.title}\n{' '.join(sentence.text for sentence in passage.sentences)}"


def _speaks(asked: Asked, whole: str, view: EvidenceView) -> bool:
    if asked.aspects:
        return not asked.aspects.isdisjoint(aspects_told(view.quote))
    own = words.topic(asked.text) - words.topic(whole)
    return words.coverage(own, words.terms(f"{view.title} {view.quote}")) >= OWN


def _lines(question: str, whole: str, records: Sequence[SentencedPassage]) -> list[EvidenceView]:
    """Lines that share a word with the question, most of them first.

    Words of the record's name do not count, nor, where the sub-question has words of its own, those that it shares
    with the whole question: they are in the same lines for every sub-question.
    """
    topic = words.topic(question)
    own = topic - words.topic(whole) or topic
    found: list[tuple[float, float, EvidenceView]] = []
    for record in records:
        beyond = topic - frozenset(words.terms(record.title))
        for one in record.sentences:
            said = words.terms(f"{one.text} {record.section or ''}")
            view = EvidenceView(id=one.id, title=record.title, section=record.section, quote=one.text)
            found.append((words.coverage(own & beyond, said), words.coverage(beyond, said), view))
    found.sort(key=lambda one: (-one[0], -one[1]))
    return [view for share, _, view in found if share > 0][:LINES]
