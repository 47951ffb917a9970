"""What a run counts: cheap where a source can count, a search where not, no number where none can be asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from medground.answering.run import Run
from medground.errors import SourceUnavailable
from medground.values.document import Document
from medground.values.lookup import Lookup
from medground.values.query import Filters, Words

MakeRun = Callable[..., Run]
PAPERS = [Document(id=f"PMID:{n}", title="Lens", text="The lens moved in Marfan syndrome.") for n in (1, 2)]
LENS = Lookup(asked=Words(text="lens"), text="lens")


@pytest.fixture
def counting(memory_source: Any) -> Any:
    """A class of sources that count a million records, or fail to."""

    class Counting(memory_source):  # type: ignore[misc]
        async def count(self, lookup: Lookup, filters: Filters) -> int:
            if self._fails:
                raise self._fails
            return 1_000_000

    return Counting


def test_nothing_is_fetched_where_a_source_can_count(make_run: MakeRun, counting: Any) -> None:
    run = make_run("x", [counting(PAPERS)])
    assert asyncio.run(run.count(LENS)) == 1_000_000
    assert (run.usage.counts, run.usage.searches, len(run.searches)) == (1, 0, 0)
    assert not run.ledger.documents


def test_a_source_that_cannot_count_is_searched(make_run: MakeRun, counting: Any, memory_source: Any) -> None:
    run = make_run("x", [counting(PAPERS, "corpus:a"), memory_source(PAPERS, "corpus:b")])
    assert asyncio.run(run.count(LENS)) == 1_000_002
    assert (run.usage.counts, run.usage.searches) == (1, 1)


def test_a_source_that_fails_is_told_and_only_if_none_is_left_an_error(make_run: MakeRun, counting: Any) -> None:
    down = SourceUnavailable("no answer", source="corpus:down")
    run = make_run("x", [counting(PAPERS, "corpus:a"), counting([], "corpus:down", fails=down)])
    assert asyncio.run(run.count(LENS)) == 1_000_000
    assert any("corpus:down could not be searched" in warning for warning in run.warnings)
    alone = make_run("x", [counting([], "corpus:down", fails=down)])
    with pytest.raises(SourceUnavailable):
        asyncio.run(alone.count(LENS))
