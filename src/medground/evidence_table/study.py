"""A study as numbered sentences, so that a cell is a verbatim quote by construction."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from medground.document import Document
from medground.operators.tabulating import StudySentence
from medground.read.numbered import spans
from medground.text.sentences import Span


@dataclass(frozen=True)
class Study:
    """A document with the places of its sentences, by their ids."""

    document: Document
    places: dict[str, Span]

    @classmethod
    def of(cls, document: Document) -> Study:
        """Its sentences as S1, S2, ... A heading ends a sentence, as in an abstract that is one paragraph."""
        text = document.text
        edges = sorted({0, len(text), *(edge for s in document.sections for edge in (s.start, s.end))})
        places: dict[str, Span] = {}
        for first, last in pairwise(edges):
            for start, end in spans(text[first:last]):
                places[f"S{len(places) + 1}"] = (first + start, first + end)
        return cls(document, places)

    @property
    def has_only_title(self) -> bool:
        """Whether no text but the title is stored, so that nothing can be said of what the study reports."""
        return " ".join(self.document.text.split()) == " ".join(self.document.title.split())

    def sentences(self) -> tuple[StudySentence, ...]:
        """Its sentences with the headings over them."""
        return tuple(
            StudySentence(id=name, heading=self.document.section_at(start) or "", text=self.document.text[start:end])
            for name, (start, end) in self.places.items()
        )
