"""What the server learns from a corpus: how a query was read, what matches, and what the corpus is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

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
