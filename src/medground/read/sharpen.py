"""How much a document is about what was given with the question, so that it may be read before its equals.

The question's words decide what is searched; the context only orders what they found, and is sent to no source.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.question import Question
from medground.text import words

WEIGHT = 4.0
"""What all words of the context in a document are worth, as a logarithm of how likely it holds the best quote.

Chosen on 150 of BioASQ's questions, of 2, 4, 8 and 16: more hurts questions that need no context."""


def closeness(question: Question, texts: Sequence[str]) -> list[float]:
    """For each text, 0 to `WEIGHT`: the share, by weight, of the words that the context adds to the question."""
    added = frozenset(words.terms(question.context)).difference(words.terms(question.text))
    return [WEIGHT * words.coverage(added, words.terms(text)) if added else 0.0 for text in texts]
