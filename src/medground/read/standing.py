"""Select the hits that may be read."""

from __future__ import annotations

from collections.abc import Sequence

from medground.document import Hit
from medground.read.versions import one_version
from medground.retraction import doubt, set_aside
from medground.run import Run


def texts(hits: Sequence[Hit]) -> list[Hit]:
    """The hits that can be read as text. Graph pages are left out: their lines are relations without a subject, and are
    used as facts instead (`read.facts`)."""
    return [hit for hit in hits if hit.passage.kind != "graph"]


async def readable(hits: Sequence[Hit], run: Run, *, retractions: bool = True) -> list[Hit]:
    """The hits that may become evidence, in order; of a paper that was found in several versions, those of one.

    Retracted papers and notices about papers are left out of the reading and listed in the answer. `retractions=False`
    keeps them, for ablations.

    Raises:
        SourceUnavailable: versions of a paper cannot be fetched to be compared, or one that was left out to be listed.
    """
    hits = await one_version(hits, run)
    if not retractions:
        return hits
    kept, aside = set_aside(hits)
    await run.retrieve(list(aside))
    for document, reason in aside.items():
        run.warn(f"{document} was found but is {reason}, so it is not used as evidence")
        run.shown.setdefault(document)
    for document, why in {h.passage.document_id: why for h in kept if (why := doubt(h.passage))}.items():
        run.warn(f"{document} {why}; check it before you rely on it")
    return kept
