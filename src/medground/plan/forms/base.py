"""What every form of a written plan has: names of sources, and the text written for each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from medground.described import SourceDescription

RepairKind = Literal[
    "unclosed",
    "nested",
    "stray tag",
    "repeated source",
    "renamed source",
    "unknown source",
    "other form",
    "text outside",
    "marks removed",
    "no query",
    "duplicate",
    "too many",
    "too long",
    "no term",
    "several commas",
    "nothing read",
]
"""`other form`: JSON, lines or a code fence in place of tags. `no query`: "none" and the like in a tag. `no term`: a
graph's query without a comma, of which all is taken for the term. `nothing read`: no source was named at all."""


class Note(NamedTuple):
    """One thing that was odd."""

    kind: RepairKind
    source: str
    text: str


class Names:
    """The names of sources, in whatever case and number a model writes them."""

    def __init__(self, sources: Sequence[SourceDescription]) -> None:
        self._names = {source.name: source.name for source in sources}
        self._loose = {form: source.name for source in sources for form in (f"{source.name}s", f"the {source.name}")}

    def find(self, said: str) -> tuple[str, bool] | None:
        """The source that a word names, and whether it is its name letter by letter; None for no source."""
        word = said.strip().casefold()
        name = self._names.get(word) or self._loose.get(word)
        return (name, name == said) if name else None

    @property
    def pattern(self) -> str:
        """A regular expression of all forms of the names."""
        forms = sorted([*self._names, *self._loose], key=len, reverse=True)
        return "|".join(map(re.escape, forms)) or r"(?!)"


@dataclass
class Written:
    """The text written for each source, in order, and what was odd about it."""

    inside: dict[str, list[str]] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def put(self, name: str, text: str) -> None:
        """Text for a source."""
        self.inside.setdefault(name, []).append(text)

    def note(self, kind: RepairKind, source: str, text: str) -> None:
        """Something odd."""
        self.notes.append(Note(kind, source, text))
