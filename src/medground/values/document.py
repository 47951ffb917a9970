"""What sources return: documents, their passages, and ranked hits."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from itertools import takewhile
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, NonNegativeInt, model_validator

from medground.values.identifiers import paper_names
from medground.values.shown import LONGEST, Shown

SourceKind = Literal["book", "guideline", "research", "wiki", "graph", "protein", "web"]
"""The kind of a document, by which sources and filters are chosen."""
Retraction = Literal["none", "retracted", "notice", "concern"]
"""`retracted`: this paper was retracted. `notice`: this record announces the retraction of another. `concern`: an
expression of concern about it has been published."""

_DOCUMENT_ID = re.compile(
    r"[A-Za-z][A-Za-z0-9._-]{0,31}:[^\s#\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]{1,200}"
)


def _checked_document_id(value: str) -> str:
    if not _DOCUMENT_ID.fullmatch(value):
        raise ValueError(f"{value[:80]!r} is not a document id; use PREFIX:NAME, such as PMID:21645374")
    return value


DocumentId = Annotated[str, AfterValidator(_checked_document_id)]
"""`PREFIX:NAME`, such as `PMID:21645374`, `PMC:PMC1065070`, `HP:0001083`, `OMIM:154700`. No white space, no `#`."""


AtLeastOne = Annotated[int, Field(ge=1)]
Proportion = Annotated[float, Field(ge=0, le=1)]
NonEmpty = Annotated[str, Field(min_length=1)]


class Frozen(BaseModel, Shown):
    """Base of the value types: immutable, hashable if its fields are, without unknown fields; its `repr` is short."""

    model_config = ConfigDict(frozen=True, extra="forbid")  # as keywords, type checkers refuse dataclasses below it

    def __repr__(self) -> str:
        whole = super().__repr__()
        return whole if len(whole) <= LONGEST else Shown.__repr__(self)

    def replace(self, **fields: Any) -> Self:
        """A copy with other values in some fields, which are not validated: `hit.replace(rank=1)`."""
        return self.model_copy(update=fields)


class Described(Frozen, use_attribute_docstrings=True):
    """The same, for types that are shown to others: the docstring of a field is its description in the schema."""


class Section(Frozen):
    """A labelled slice of a document's text, in code points. Sections are in order and do not overlap."""

    label: str
    start: NonNegativeInt
    end: NonNegativeInt

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end < self.start:
            raise ValueError(f"section {self.label!r} ends before it starts")
        return self


LinePlace = tuple[int, int, int, int, int, int, int]
"""Where a slice of a text is printed: start, end, then the fields of `Box`."""


class Box(NamedTuple):
    """A rectangle on a page. Pages count from 1; the unit is a point (1/72 inch), the origin the lower left corner."""

    page: int
    left: int
    bottom: int
    right: int
    top: int


class MeshHeading(Frozen):
    """A MeSH heading of a record; `major` is NLM's asterisk on the heading or on one of its qualifiers."""

    descriptor: str
    ui: str | None = None
    major: bool = False
    qualifiers: tuple[str, ...] = ()
    major_qualifiers: tuple[str, ...] = ()


class Substance(Frozen):
    """A substance that indexers registered for a record; `number` is its registry number, `0` if it has none."""

    name: str
    ui: str | None = None
    number: str = "0"


class Joined(Frozen):
    """What a document has from a record that it was joined with, and not from its file."""

    record: DocumentId
    source: str
    """`corpus:medline`, `pubmed:live`."""
    fields: tuple[str, ...]
    """Names of fields, those of one entry with a dot: `mesh`, `identifiers.pmid`, `dates.published`."""


class Document(Frozen):
    """A stored text and its metadata. All offsets in Medground refer to `text`.

    The text of a record without an abstract is its title, so that it can still be quoted.
    """

    id: DocumentId
    title: str = ""
    text: str
    sections: tuple[Section, ...] = Field(default=(), repr=False)
    kind: SourceKind = "research"
    year: int | None = Field(default=None, ge=1000, le=2999)
    dates: Mapping[str, str] = Field(default_factory=dict)
    """ISO dates, as precise as the record, by kind: `published`, `entered`, `created`, `revised`, `completed`."""
    journal: str | None = None
    authors: tuple[str, ...] = ()
    """`Family Initials` or `Family, Given`; a group by its name."""
    language: str | None = None
    mesh: tuple[MeshHeading, ...] = ()
    keywords: tuple[str, ...] = ()
    """The authors' own."""
    substances: tuple[Substance, ...] = ()
    """Substances that indexers registered, which are not the authors' keywords."""
    publication_types: tuple[str, ...] = ()
    identifiers: Mapping[str, str] = Field(default_factory=dict)
    """Other ids of the same record: `pmid`, `pmc`, `doi`, `omim`, ..."""
    imprint: Mapping[str, str] = Field(default_factory=dict)
    """Where it is printed in its journal or book: `volume`, `issue`, `pages`, as far as the record says."""
    references: tuple[str, ...] = ()
    """Ids of the works that this record cites as its basis, as `PMID:...`, `OMIM:...`."""
    url: str | None = None
    license: str | None = None
    retraction: Retraction = "none"
    lines: tuple[LinePlace, ...] = Field(default=(), repr=False)
    """Of a document that has pages: its printed lines, in the order of the text. They do not overlap."""
    cautions: tuple[str, ...] = ()
    """What a reader must know of the file before trusting it, such as invisible text on its pages."""
    metadata: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """Further fields as the file has them, by name: what Medground has no field of its own for."""
    joined: tuple[Joined, ...] = ()
    """The records from which fields were filled. All other fields are as the file has them."""

    @property
    def paper(self) -> tuple[str, ...]:
        """Names of the paper that it is about: `pmid:1`, `pmc:PMC1`, `doi:10.1/x`, each in its normal form."""
        return paper_names(self.id, self.identifiers, self.url)

    @model_validator(mode="after")
    def _parts_inside(self) -> Self:
        last = 0
        for start, end, page, *_ in self.lines:
            if not last <= start <= end <= len(self.text) or page < 1:
                raise ValueError(f"the line at {start} is outside the text, on no page, or overlaps the line before")
            last = end
        last = 0
        for section in self.sections:
            if section.start < last or section.end > len(self.text):
                raise ValueError(f"section {section.label!r} is outside the text or overlaps the section before")
            last = section.end
        return self

    def passage(self, start: int, end: int, section: str | None) -> Passage:
        """A slice of the text with what is known of the document."""
        return Passage(
            document_id=self.id,
            start=start,
            end=end,
            text=self.text[start:end],
            section=section,
            page=self.page_at(start),
            title=self.title,
            year=self.year,
            kind=self.kind,
            publication_types=self.publication_types,
            retraction=self.retraction,
            paper=self.paper,
        )

    def section_at(self, start: int) -> str | None:
        """Label of the section that contains offset `start`, or None."""
        return next((s.label for s in self.sections if s.start <= start < s.end), None)

    def page_at(self, start: int) -> int | None:
        """The page on which offset `start` is printed, from 1; None if the document has no pages."""
        at = bisect_right(self.lines, start, key=lambda line: line[0]) - 1
        return self.lines[max(at, 0)][2] if self.lines else None

    def places(self, start: int, end: int) -> tuple[LinePlace, ...]:
        """The printed lines that hold a slice of the text."""
        at = max(bisect_right(self.lines, start, key=lambda line: line[0]) - 1, 0)
        return tuple(line for line in takewhile(lambda line: line[0] < end, self.lines[at:]) if line[1] > start)

    def boxes(self, start: int, end: int) -> tuple[Box, ...]:
        """The boxes of the printed lines that hold a slice of the text; `Engine.highlights` cuts them at its ends."""
        return tuple(Box(*place[2:]) for place in self.places(start, end))


class Passage(Frozen):
    """A slice of a document: `text == document.text[start:end]`."""

    document_id: DocumentId
    start: NonNegativeInt
    end: NonNegativeInt
    text: str
    section: str | None = None
    page: int | None = None
    title: str = ""
    year: int | None = None
    kind: SourceKind = "research"
    publication_types: tuple[str, ...] = ()
    retraction: Retraction = "none"
    paper: tuple[str, ...] = Field(default=(), exclude=True)
    """Names of the paper: `pmid:1`, `doi:10.1/x`. Records that share one are versions of the same paper."""

    @property
    def key(self) -> str:
        """`DOCUMENT#START-END`, unique in a corpus."""
        return f"{self.document_id}#{self.start}-{self.end}"

    @model_validator(mode="after")
    def _length(self) -> Self:
        if self.end - self.start != len(self.text):
            raise ValueError(f"passage {self.key}: offsets and text differ in length")
        return self


class Hit(Frozen):
    """A passage with its rank (1 is best) by one ranker. Scores of different rankers are never compared."""

    passage: Passage
    ranker: str
    rank: AtLeastOne
    score: float
    source: str = ""
    also: tuple[str, ...] = ()
    """Keys of near-duplicate passages that were merged into this hit."""
    scores: Mapping[str, float] = Field(default_factory=dict, exclude=True)
    """If rankings were fused: the score of each ranker that found it, by the ranker's name."""
