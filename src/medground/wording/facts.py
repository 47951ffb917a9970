"""Facts that a knowledge graph states, as the rows of a table: read from the lines that state them."""

from __future__ import annotations

from medground.answer import SourceDocument
from medground.evidence import Evidence
from medground.graph.wording import read_line
from medground.text.clean import clean
from medground.wording.view_types import FactView


def fact_view(quote: Evidence, document: SourceDocument) -> FactView:
    """A quote from a knowledge graph as a row: its subject is the page that states it."""
    stated = read_line(clean(quote.quote))
    return FactView(
        subject=f"{clean(document.title)} ({document.id})",
        relation=clean(quote.section or ""),
        object=stated.object,
        frequency=stated.details,
        references=stated.references,
        evidence=quote.id,
    )
