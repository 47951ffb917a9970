"""A plain function as a source: the contract of every source, what it may return, and how it fails."""

from collections.abc import Callable
from typing import Any

import pytest

from medground.errors import SourceUnavailable, UsageError
from medground.sources.base import Source
from medground.sources.retriever import RetrieverSource
from medground.testing import SourceContract
from medground.testing.sources import DOCUMENTS, searched
from medground.values.lookup import Lookup
from medground.values.query import Filters, Phrase

WORDS = Lookup.words("aspirin")


def by_words(text: str) -> list[Any]:
    words = set(text.lower().split())
    return [one for one in DOCUMENTS if words & set(one.text.lower().replace(".", "").split())]


class TestRetrieverSource(SourceContract):
    """A function that returns documents."""

    @pytest.fixture
    def make(self) -> Callable[[], Source]:
        return lambda: RetrieverSource("mine", by_words, kinds=("research", "wiki"))


def test_results_are_texts_mappings_or_documents() -> None:
    async def found(text: str) -> list[Any]:
        return ["Aspirin.", {"pmid": "7", "text": "Aspirin helps.", "year": "1999"}, DOCUMENTS[2], {}, 5]

    result = searched(source := RetrieverSource("mine", found), WORDS)
    passages = [hit.passage for hit in result.rankings[0]]
    assert [(one.text[:14], one.year, one.kind) for one in passages[:2]] == [
        ("Aspirin.", None, "research"),
        ("Aspirin helps.", 1999, "research"),
    ]
    assert [one.document_id for one in passages[1:]] == ["PMID:7", "PMID:3"]
    assert result.notes == ("2 results could not be read: they have no text, or a wrong value",)
    assert searched(source, WORDS, Filters(kinds=("web",))).rankings == ((),)
    (dated,) = searched(source, WORDS, Filters(year_from=1990, year_to=2000)).rankings[0]
    assert dated.passage.year == 1999


def test_a_retriever_that_fails_is_not_an_empty_result() -> None:
    source = RetrieverSource("mine", lambda text: 1 / 0)
    with pytest.raises(SourceUnavailable, match="ZeroDivisionError: division by zero"):
        searched(source, WORDS)
    assert not searched(source, Lookup(asked=Phrase(text="a b"), shown="a b")).understood
    with pytest.raises(UsageError, match="5 is not a retriever"):
        RetrieverSource("mine", 5)
