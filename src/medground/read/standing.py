"""What may be read of what was found."""

from __future__ import annotations

from collections.abc import Sequence

from medground.document import Hit
from medground.rank.retracted import set_aside_retracted
from medground.run import Run


async def readable(hits: Sequence[Hit], run: Run, *, retractions: bool = True) -> list[Hit]:
    """The hits that may become evidence, in their order.

    Retracted papers are set aside, and the answer lists them; `retractions=False` reads them all the same, for
    ablations. Pages of a graph are never read as text: a line of one is a relation without its subject, and the graph
    itself answers from it.

    Raises:
        SourceUnavailable: a retracted paper cannot be fetched, to be shown.
    """
    texts = [hit for hit in hits if hit.passage.kind != "graph"]
    if not retractions:
        return texts
    standing, retracted = set_aside_retracted(texts)
    await run.retrieve(retracted)
    for document in retracted:
        run.warn(f"{document} was found and is retracted: it supports nothing")
        run.shown.setdefault(document)
    return standing
