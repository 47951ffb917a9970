"""The sources of a plan as an answer lists them, and why they gave nothing."""

from collections.abc import Sequence

from medground.values.answer import SearchedSource
from medground.values.source_plan import SourceFound


def searched_sources(found: Sequence[SourceFound]) -> tuple[SearchedSource, ...]:
    """Each source with its state, its queries and the number of different passages that they found."""
    return tuple(
        SearchedSource(
            name=one.source.name,
            kind=one.source.kind,
            state=one.state,
            queries=tuple(str(query.query) for query in one.queries),
            passages=one.passages,
            failure=one.failure,
            licence=one.source.licence,
        )
        for one in found
    )


def reason_of_nothing(found: Sequence[SourceFound]) -> str:
    """Why there is no evidence: nothing was searched, or what was searched has nothing."""
    asked = [one for one in found if one.queries]
    if not found or all(one.state == "not configured" for one in found):
        return "nothing was searched: no source of the plan is open; build a knowledge base with medground kb build"
    if not asked:
        return "nothing was searched: the plan uses none of the sources"
    empty = ", ".join(one.source.name for one in asked if one.state != "failed")
    failed = ", ".join(one.source.name for one in asked if one.state == "failed")
    return f"no passage on this question was found in {empty}" + (f"; {failed} could not be searched" if failed else "")
