"""The lookups of a question, made once and kept: any number of plans can then be compared without searching again."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

from medground.document import Frozen, Hit
from medground.evaluate.source_plans.gold import Gold, seen_in
from medground.operators.keyless.planning import Sought


class Passed(Frozen):
    """A passage that a lookup found: where it is and what it holds of the gold answer, without its text."""

    key: str
    document: str
    size: int
    terms: int = 0
    exact: int = 0


class LookedUp(Frozen):
    """A lookup and what it found, best first."""

    sought: Sought
    passages: tuple[Passed, ...]
    seconds: float


class Row(Frozen):
    """The lookups of one question; `has_paper`: whether the sources hold one of its gold papers."""

    dataset: str
    id: str
    has_paper: bool = False
    lookups: tuple[LookedUp, ...] = ()

    def found(self, sought: Sought) -> LookedUp | None:
        """What a lookup found; None if it was not made."""
        return next((one for one in self.lookups if one.sought == sought), None)


Search = Callable[[Sought], Awaitable[Sequence[Hit]]]
"""The best passages of a source for a query."""


async def look_up(row: Row, wanted: Iterable[Sought], gold: Gold, search: Search) -> Row:
    """The row with these lookups; those that it has are not made again."""
    made = list(row.lookups)
    for sought in dict.fromkeys(wanted):
        if row.found(sought) is None:
            begun = time.perf_counter()
            hits = await search(sought)
            seconds = time.perf_counter() - begun
            made.append(LookedUp(sought=sought, passages=tuple(_passed(h, gold) for h in hits), seconds=seconds))
    return row.model_copy(update={"lookups": tuple(made)})


def read_rows(path: Path) -> dict[tuple[str, str], Row]:
    """The rows of a file, the last of each question; empty if there is no file. A truncated last line is left out."""
    if not path.exists():
        return {}
    rows = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        try:
            row = Row.model_validate(json.loads(line))
        except ValueError:
            continue
        rows[row.dataset, row.id] = row
    return rows


def append_row(row: Row, path: Path) -> None:
    """Add a row; it takes the place of an earlier one of the same question."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        torn = size > 0 and file.read(1) != b"\n"  # a killed run left half a line
        file.write((("\n" if torn else "") + row.model_dump_json() + "\n").encode())


def _passed(hit: Hit, gold: Gold) -> Passed:
    passage = hit.passage
    text = f"{passage.title} {passage.text}"
    seen = seen_in(text, gold)
    return Passed(key=passage.key, document=passage.document_id, size=len(text), terms=seen.terms, exact=seen.exact)
