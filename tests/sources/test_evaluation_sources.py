"""Sources of an evaluation: documents that come with an item, and recorded rankings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from contracts import in_one_test

from medground.errors import SourceUnavailable
from medground.sources.base import CountingSource, Source
from medground.testing import DOCUMENTS, SourceContract
from medground.values.document import Document
from medground.values.lookup import Lookup
from medground.values.query import Everything, Filters, Term
from medground_evaluate.runner import GivenSource, RecordingSource, found_documents, recording


@in_one_test
class TestRecordedGivenSource(SourceContract):
    nothing = None  # every lookup finds all documents

    @pytest.fixture
    def make(self) -> Callable[[], Source]:
        return lambda: RecordingSource(GivenSource(DOCUMENTS))


def test_all_searches_are_recorded_and_fused_by_document(memory_source: Any) -> None:
    long = Document(id="PMID:7", text="Lens and aorta. " * 400)  # several passages
    source = RecordingSource(memory_source([DOCUMENTS[0], long]))
    assert found_documents([source], 60) == ()
    for text in ("ectopia lentis", "aorta lens"):
        asyncio.run(source.search(Lookup.words(text), Filters()))
    assert len(source.rankings) == 2
    asyncio.run(RecordingSource(source).close())  # which leaves the source that it wraps open
    given = asyncio.run(GivenSource(DOCUMENTS[::-1]).search(Lookup(asked=Term(value="nowhere")), Filters()))
    assert [hit.passage.document_id for hit in given.rankings[0]] == [one.id for one in DOCUMENTS[::-1]]
    assert sorted(found_documents([source, memory_source(DOCUMENTS)], 60)) == ["PMID:1", "PMID:7"]


def test_facts_and_what_is_only_counted_are_not_recorded(memory_source: Any) -> None:
    class Facts(memory_source):  # type: ignore[misc]
        def entails(self, fact: Any) -> bool:
            return True

    facts = Facts([])
    assert recording([facts]) == [facts]

    class Counting(memory_source):  # type: ignore[misc]
        async def count(self, lookup: Lookup, filters: Filters) -> int:
            return 7

    wrapped = recording([Counting(DOCUMENTS), memory_source(DOCUMENTS)])
    assert [isinstance(source, CountingSource) for source in wrapped] == [True, False]
    counting = wrapped[0]
    assert isinstance(counting, CountingSource)
    lookup = Lookup(asked=Everything(), text="marfan", limit=5)
    assert asyncio.run(counting.count(lookup, Filters())) == 7
    assert counting.rankings == []
    asyncio.run(counting.close())
    with pytest.raises(SourceUnavailable, match="closed"):
        asyncio.run(counting.count(lookup, Filters()))
