"""The simplest lookup for a question: its words."""

from __future__ import annotations

from medground.lookup import Lookup
from medground.question import Question


def words_lookup(question: Question) -> Lookup:
    """The question for all rankers; those that rank by words also get its answer options."""
    return Lookup.words(question.text, also=" ".join(option.text for option in question.options))
