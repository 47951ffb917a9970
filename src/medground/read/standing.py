"""What may be read of what was found."""

from __future__ import annotations

from collections.abc import Sequence

from medground.document import Hit
from medground.retraction import set_aside
from medground.run import Run


def texts(hits: Sequence[Hit]) -> list[Hit]:
    """The hits that can be read as text. A line of a graph page is a relation without its subject, so it cannot: such
    facts answer through `read.facts`."""
    return [hit for hit in hits if hit.passage.kind != "graph"]


async def readable(hits: Sequence[Hit], run: Run, *, retractions: bool = True) -> list[Hit]:
    """The hits that may become evidence, in their order.

    Retracted papers and notices about papers are set aside, and the answer lists them; `retractions=False` reads them
    all the same, for ablations.

    Raises:
        SourceUnavailable: a paper that was set aside cannot be fetched to be shown.
    """
    if not retractions:
        return list(hits)
    standing, aside = set_aside(hits)
    await run.retrieve(list(aside))
    for document, reason in aside.items():
        run.warn(f"{document} was found but is {reason}, so it is not used as evidence")
        run.shown.setdefault(document)
    return standing
