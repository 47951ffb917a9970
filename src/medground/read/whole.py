"""Articles quoted whole: what baselines and ablations read in place of chosen sentences."""

from __future__ import annotations

from collections.abc import Sequence

from medground.document import Hit
from medground.evidence import Evidence
from medground.read.order import reading_list
from medground.run import Run


async def quoted_whole(hits: Sequence[Hit], most: int, run: Run) -> list[Evidence]:
    """The passages found in the first `most` documents, each as one quote.

    Raises:
        SourceUnavailable: a document could not be fetched.
    """
    readings = reading_list([hit for hit in hits if hit.passage.text.strip()], most)
    await run.retrieve([reading.document_id for reading in readings])
    return [
        run.ledger.quote(passage.document_id, passage.start, passage.end, rank=reading.rank)
        for reading in readings
        for passage in reading.passages
        if run.stands(passage)
    ]
