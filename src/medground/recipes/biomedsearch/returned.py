"""What one source returned to a tool of a sub-question, or why it could not be searched."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from medground.answering.run import Run
from medground.errors import NotConfigured, SourceUnavailable
from medground.values.document import Hit
from medground.values.lookup import Found, Lookup
from medground.values.report import ToolState


@dataclass(frozen=True)
class Returned:
    """What a source returned, or why it could not be searched."""

    source: str
    found: tuple[Found, ...] = ()
    failure: SourceUnavailable | None = None

    @property
    def hits(self) -> list[Hit]:
        """The hits of all rankings."""
        return [hit for one in self.found for ranking in one.rankings for hit in ranking]

    @property
    def notes(self) -> list[str]:
        """What a reader should know of the search."""
        return [note for one in self.found for note in one.notes]


async def returned(lookup: Lookup, run: Run) -> Returned:
    """What the one source of a lookup returns. One that fails is reported; the others count all the same."""
    (source,) = lookup.sources
    try:
        return Returned(source, tuple(await run.look_up(lookup)))
    except SourceUnavailable as error:
        return Returned(source, failure=error)


def missed(every: Iterable[Returned], what: str) -> tuple[str, ...]:
    """A line for each source that failed."""
    failed = (f"{one.source}: {one.failure.reason}; its {what} are missing" for one in every if one.failure)
    return tuple(dict.fromkeys(failed))


def state_of_nothing(every: Sequence[Returned]) -> ToolState:
    """What became of a search that kept nothing."""
    failures = [one.failure for one in every]
    if not all(failures):
        return "empty"
    return "not configured" if all(isinstance(failure, NotConfigured) for failure in failures) else "failed"
