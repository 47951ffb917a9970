"""Search without a question to answer: the passages that fit some words best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from medground.answering.rank.fuse import fuse, merge_duplicates
from medground.answering.run import Run
from medground.errors import UsageError
from medground.sources.base import MOST_HITS, FieldSource
from medground.values.answer import Search
from medground.values.decision import Notice
from medground.values.lookup import Lookup, Ranking
from medground.values.where import check_fields

Syntax = Literal["words", "pubmed"]
"""How a text is searched for: by its words and its meaning, or as a query in PubMed's syntax, in every source."""
_DEPTH = 100
"""Least number of hits per ranker: near-duplicates are merged, and fusion needs more hits than are shown."""


@dataclass(frozen=True)
class SearchResult:
    """Passages, best first, one for near-duplicates; which sources were searched; what the reader should know.

    Attributes:
        notice: what a face shows first, if the words show a person at risk; one about self-harm comes alone.
    """

    hits: Ranking
    searches: tuple[Search, ...]
    notes: tuple[str, ...]
    notice: Notice | None = None


def check_limits(run: Run) -> None:
    """Check that the fields that the run's question is limited by are fields of what is searched.

    Raises:
        UsageError: a field is unknown; the message names the nearest ones.
    """
    known = {name for source in run.sources if isinstance(source, FieldSource) for name in source.fields}
    check_fields(run.question.filters, sorted(known))


async def find_passages(run: Run, limit: int, syntax: Syntax = "words") -> SearchResult:
    """The best passages for the words of the run's question.

    Raises:
        UsageError: `limit` is out of range, a field to limit by is unknown, or the words are not a query of PubMed.
        SourceUnavailable: no source could be searched.
    """
    if not 1 <= limit <= MOST_HITS:
        raise UsageError(f"a search takes a limit from 1 to {MOST_HITS:,}, not {limit}")
    if run.notice is not None and run.notice.stops:
        return SearchResult((), (), (), run.notice)
    check_limits(run)
    asked = _lookup(run.question.text, syntax).model_copy(update={"limit": max(limit, _DEPTH)})
    found = await run.look_up(asked)
    fused = fuse([ranking for one in found for ranking in one.rankings], k=run.settings.retrieval.fusion_k)
    return SearchResult(merge_duplicates(fused)[:limit], tuple(run.searches), tuple(run.warnings), run.notice)


def _lookup(text: str, syntax: Syntax) -> Lookup:
    if syntax == "words":
        return Lookup.words(text)
    from medground.pubmed.translate import parse  # imported late: it loads MeSH

    return Lookup(asked=parse(text), shown=text)
