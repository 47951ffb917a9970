"""What the server needs of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from medground.document import Document
from medground.pubmed.records_index import Order
from medground.query import Query


@dataclass(frozen=True)
class Leaf:
    """A term of a translated query, and how many records have it."""

    term: str
    field: str
    count: int
    explode: bool


@dataclass(frozen=True)
class Reading:
    """How a query was understood.

    Attributes:
        translation: the query in full, as PubMed shows it.
        translations: words of it, and what they were mapped to.
        stack: its terms and operators in postfix order.
        not_found: terms that no record has.
        notes: what was repaired or ignored.
    """

    translation: str
    translations: tuple[tuple[str, str], ...] = ()
    stack: tuple[Leaf | str, ...] = ()
    not_found: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Matches:
    """How many records match, the PMIDs (bare numbers) asked for in order, and how the query was understood."""

    count: int
    ids: tuple[str, ...]
    reading: Reading


@dataclass(frozen=True)
class About:
    """What the catalogue is. `fields` are short and full names of the search fields."""

    name: str
    count: int
    updated: str
    fields: dict[str, str] = field(default_factory=dict)


class Catalogue(Protocol):
    """A corpus that can be asked like PubMed. Called from several threads at once."""

    @property
    def about(self) -> About:
        """What it is."""
        ...

    def search(
        self, term: str, within: Query | None, order: Order, *, start: int, limit: int, field: str = ""
    ) -> Matches:
        """Search in PubMed's query language, within a limit. A query that cannot be read is repaired, with a note.

        `field` is a tag for the words that have none.
        """
        ...

    def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Records by PMID; unknown ones are absent."""
        ...

    def known(self, ids: Sequence[str]) -> list[str]:
        """Those of the PMIDs that it holds, in the order given."""
        ...

    def similar(self, pmid: str, limit: int) -> list[tuple[str, float]]:
        """PMIDs and scores of the records most like a record, itself first."""
        ...

    def spelling(self, term: str) -> str | None:
        """The query with its spelling corrected, or None when nothing is to be corrected."""
        ...
