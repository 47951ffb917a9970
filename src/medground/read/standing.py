"""What may be read of what was found."""

from __future__ import annotations

from collections.abc import Sequence

from medground.document import Hit
from medground.retraction import set_aside
from medground.run import Run


async def readable(hits: Sequence[Hit], run: Run, *, retractions: bool = True) -> list[Hit]:
    """The hits that may become evidence, in their order.

    Retracted papers and notices about papers are set aside, and the answer lists them; `retractions=False` reads them
    all the same, for ablations. Pages of a graph are never read as text: a line of one is a relation without its
    subject, and the graph itself answers from it.

    Raises:
        SourceUnavailable: a paper that was set aside cannot be fetched, to be shown.
    """
    texts = [hit for hit in hits if hit.passage.kind != "graph"]
    if not retractions:
        return texts
    standing, aside = set_aside(texts)
    await run.retrieve(list(aside))
    for document, reason in aside.items():
        run.warn(f"{document} was found and is {reason}: it supports nothing")
        run.shown.setdefault(document)
    return standing
