"""The interface that the server needs from a corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from medground.document import Document
from medground.pubmed.records_index import Order
from medground.query import Query

Check = Callable[[], None]
"""Called between two steps of long work; raises where it may not go on."""


@dataclass(frozen=True)
class Leaf:
    """A term of a translated query, and the number of records that match it."""

    term: str
    field: str
    count: int
    explode: bool


@dataclass(frozen=True)
class Reading:
    """How a query was interpreted.

    Attributes:
        translation: the full query, as PubMed shows it.
        translations: words of the query and the terms they were mapped to.
        stack: terms and operators in postfix order.
        not_found: terms that match no record.
        notes: what was repaired or ignored.
    """

    translation: str
    translations: tuple[tuple[str, str], ...] = ()
    stack: tuple[Leaf | str, ...] = ()
    not_found: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Matches:
    """The number of matching records, the requested PMIDs (bare numbers), and how the query was interpreted."""

    count: int
    ids: tuple[str, ...]
    reading: Reading


@dataclass(frozen=True)
class About:
    """Description of a catalogue. `fields` maps short names of search fields to full names."""

    name: str
    count: int
    updated: str
    fields: dict[str, str] = field(default_factory=dict)


class Catalogue(Protocol):
    """A corpus that can be searched like PubMed. Must be thread-safe."""

    @property
    def about(self) -> About:
        """Description of the catalogue."""
        ...

    def search(
        self, term: str, within: Query | None, order: Order, *, start: int, limit: int, check: Check, field: str = ""
    ) -> Matches:
        """Search with PubMed query syntax, restricted to `within`. An invalid query is repaired, with a note.

        `field` is the tag for words without one. `check` is called for each term.
        """
        ...

    def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Return records by PMID. Unknown PMIDs are omitted."""
        ...

    def known(self, ids: Sequence[str]) -> list[str]:
        """Return the PMIDs that exist in the catalogue, in the order given."""
        ...

    def similar(self, pmid: str, limit: int) -> list[tuple[str, float]]:
        """Return PMIDs and scores of the most similar records, starting with the record itself."""
        ...

    def spelling(self, term: str, check: Check) -> str | None:
        """Return the query with corrected spelling, or None if there is nothing to correct. Checks for each word."""
        ...
