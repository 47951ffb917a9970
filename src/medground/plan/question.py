"""A question as a lookup, in the simplest way: its words, for every ranker."""

from __future__ import annotations

from medground.lookup import Lookup
from medground.question import Question


def words_lookup(question: Question) -> Lookup:
    """The question's words, and those of its options for rankers by words; an engine ranks by all but stop words."""
    return Lookup.words(question.text, also=" ".join(option.text for option in question.options))
