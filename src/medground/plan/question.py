"""A question as a query, in the simplest way: its words, ranked by BM25."""

from __future__ import annotations

from medground.query import Query, Words
from medground.question import Question


def words_query(question: Question) -> Query:
    """All words of the question and of its options; the engine drops stop words and ranks by the rest."""
    return Words(text=" ".join([question.text, *(option.text for option in question.options)]))
