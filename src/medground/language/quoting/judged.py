"""A sentence that was found, with every term of its score."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

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

    from medground.language.word_vectors import Nearness  # numpy is slow to import

    topic, stems = sorted(asked.topic), words.stems(without_accents(asked.in_own_words(text)))
    if not (topic and stems):
        return float(not topic)
    return float(np.average(Nearness(topic, stems)(stems), weights=[words.weight(stem) for stem in topic]))
