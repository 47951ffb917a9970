"""Where records come from, and what became of asking for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from medground.document import Document

Outcome = Literal["joined", "no id", "not found", "title", "several", "failed"]
"""`no id`: the document carries no PMID, PMC id or DOI. `title`: the record found has another title. `several`: more
than one record matches. `failed`: the source could not be asked, and is asked again the next time."""


class Records(Protocol):
    """A source of records by their ids."""

    @property
    def name(self) -> str:
        """What the user calls it: a corpus, `pubmed` or an address. The corpus that is enriched remembers it."""
        ...

    @property
    def source(self) -> str:
        """Its name in provenance: `corpus:medline`, `pubmed:live`."""
        ...

    @property
    def state(self) -> str:
        """Changes when its records do; empty if that cannot be known."""
        ...

    async def find(self, documents: Sequence[Document]) -> list[tuple[Document, ...]]:
        """For each document, the records that share a PMID, PMC id or DOI with it.

        Raises:
            SourceUnavailable: it could not be asked.
        """
        ...

    async def close(self) -> None:
        """Close files and connections; the next `find` opens them again."""
        ...
