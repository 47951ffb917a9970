"""A finished step in lines: how much there is, how the labels fall, and what a question cost (Tables 11 and 14)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import fmean

from medground.train.planning.cost import cost_table, step_cost
from medground.train.planning.explore import Finished
from medground.train.planning.values import Explored, Judged, JudgedQuery, Tried
from medground.train.planning.work import read_work


def lines_of(finished: Finished, workers: int) -> Iterator[str]:
    """The lines of a step."""
    head = finished.head
    yield f"{finished.path}: {finished.lines:,} questions of {head.dataset}, {head.step} by {head.model}"
    if head.step == "exploration":
        explored = read_work(finished.path, Explored)[1]
        tried: list[Tried] = [query for one in explored for query in one.queries]
        for source in head.sources:
            mine = [one for one in tried if one.source == source.name]
            states = Counter(one.state for one in mine)
            each = fmean(len(one.found) for one in mine) if mine else 0.0
            counts = ", ".join(f"{states[state]:,} {state}" for state in ("found", "empty", "failed") if states[state])
            yield f"  {source.name}: {len(mine):,} queries ({counts}), {each:.1f} passages each"
        spent = [one.spent for one in explored]
    else:
        judged = read_work(finished.path, Judged)[1]
        labelled: list[JudgedQuery] = [query for one in judged for query in one.queries]
        for source in head.sources:
            labels = Counter(one.label for one in labelled if one.source == source.name)
            yield "  " + source.name + ": " + ", ".join(f"{labels[name]:,} {name}" for name in sorted(labels))
        spent = [one.spent for one in judged]
        if failed := [one.why for one in labelled if one.label == "failed"]:
            yield f"  {len(failed):,} queries have no label, such as: {failed[0]}"
    yield from cost_table([step_cost(head.step, spent)], workers=workers)
    yield f"this run took {finished.seconds:.1f} s with {workers} workers"
