"""A document to quote from, and a sentence of it with every term of its score."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from medground.language import words
from medground.language.clean import without_accents
from medground.language.question_reading import Asked


@dataclass(frozen=True)
class Judged:
    """How likely a sentence answers a question.

    Attributes:
        title: the title of its document.
        sentence: its text.
        terms: what each column adds to its score, by the name of the column, as `{"near": 1.2, "named": 0.9}`.
    """

    title: str
    sentence: str
    terms: Mapping[str, float]

    @property
    def answers(self) -> float:
        """The score, a logarithm: only differences between sentences of one question have a meaning."""
        return sum(self.terms.values())

    def with_term(self, name: str, value: float) -> "Judged":
        """The same with one more term."""
        return replace(self, terms={**self.terms, name: value})


def on_subject(asked: Asked, text: str) -> float:
    """How near the words of a text come to those that say what a question is about, by meaning: 0 to 1.

    For each word of the question the nearest one of the text counts, and rare words count more.
    """
    import numpy as np

    from medground.language.kinds import Nearness  # numpy is slow to import

    topic, stems = sorted(asked.topic), words.stems(without_accents(asked.in_own_words(text)))
    if not (topic and stems):
        return float(not topic)
    return float(np.average(Nearness(topic, stems)(stems), weights=[words.weight(stem) for stem in topic]))


class AnswerNetwork(Protocol):
    """A network that reads a question together with a sentence under its title."""

    def scores(self, question: str, sentences: Sequence[tuple[str, str]]) -> Sequence[float]:
        """The log-odds that each sentence, given after its title, answers the question."""
        ...


READ = 40
"""Sentences of a question that a network reads: those that the columns judge best."""
TOGETHER = 2.0
"""How much a network counts beside the columns. First sentences right at 0, 1, 1.5, 2 and 3, of 115 letters to choose
by: 48, 60, 60, 62, 61; of 192 others: 92, 118, 119, 120, 123."""


def read_together(
    asked: Asked, judged: Sequence[Mapping[int, Judged]], network: AnswerNetwork
) -> list[dict[int, Judged]]:
    """The judged sentences of each document with one more term, what the network says of them.

    Those that it does not read get the least that it said of any.
    """
    whole = sorted((sentence for sentences in judged for sentence in sentences.values()), key=lambda one: -one.answers)
    read = whole[:READ]
    found = network.scores(asked.text, [(one.title, one.sentence) for one in read])
    scores = {id(one): TOGETHER * float(score) for one, score in zip(read, found, strict=True)}
    least = min(scores.values(), default=0.0)
    return [
        {start: one.with_term("read together", scores.get(id(one), least)) for start, one in sentences.items()}
        for sentences in judged
    ]


NO_ANSWER = math.log(0.05 / 0.95)
"""Log-odds of one in twenty: what a network takes for less does not come first. Of the first quotes for 619 letters it
takes away 5 of 256 right ones, 16 of 146 others, and 3 of 20 for which nothing was there."""
_LEAST = 2.0
"""Chosen by 60 letters. Of 120 others it refuses 4 of 40 that have no answer, and none more of those that have one."""


def none_answers(asked: Asked, judged: Sequence[Judged]) -> bool:
    """Whether nothing that a network read is near the question and answers it; False without a network."""
    read = [one.terms["read together"] for one in judged if "read together" in one.terms]
    best = max(judged, key=lambda one: one.answers, default=None)
    near = on_subject(asked, f"{best.title}\n{best.sentence}") if best else 1.0
    return bool(read) and 20 * near + max(read) < _LEAST


@dataclass(frozen=True)
class Candidate:
    """A document to quote from, or what was found of it.

    Attributes:
        title: its title.
        sentences: the sentences in text order.
        by_words: its best score of the ranking by words, divided by the best of all documents; 0 to 1, 0 if unknown.
        headings: for each sentence, the heading over it; empty if there are none.
    """

    title: str
    sentences: Sequence[str]
    by_words: float = 0.0
    headings: Sequence[str | None] = ()

    def heading(self, sentence: int) -> str | None:
        """The heading over a sentence, by its number."""
        return self.headings[sentence] if self.headings else None


def log_sum(strengths: Iterable[float]) -> float:
    """The logarithm of the summed exponentials; minus infinity for none."""
    values = list(strengths)
    most = max(values, default=-math.inf)
    return most + math.log(sum(math.exp(value - most) for value in values)) if math.isfinite(most) else most
