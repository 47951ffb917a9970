"""The typed query tree that every source and store takes. An engine never sees query text.

A leaf names a field; `None` means the engine's default text fields (title, text, MeSH). A tree that holds only
`Not` is legal: engines put an all-query beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from medground.document import DocumentId, Frozen, SourceKind

FieldName = Literal[
    "title",
    "text",
    "mesh",
    "mesh_major",
    "author",
    "journal",
    "publication_type",
    "language",
    "keyword",
    "id",
    "kind",
    "year",
    "identifier",
    "retraction",
    # From here on: what PubMed can be asked for. A store that does not hold one of these says so.
    "title_abstract",
    "text_word",
    "all",
    "first_author",
    "last_author",
    "author_id",
    "corporate_author",
    "investigator",
    "editor",
    "subject_name",
    "affiliation",
    "substance",
    "registry_number",
    "pharmacological_action",
    "subset",
    "volume",
    "issue",
    "pages",
    "grant",
    "secondary_source",
    "nlm_id",
    "place",
    "publisher",
    "book",
    "isbn",
    "conflict_of_interest",
    "transliterated_title",
]
DateField = Literal["published", "entered", "created", "revised", "completed", "indexed", "electronic", "print"]
"""Which date of a record: the keys of `Document.dates`, and `indexed` (MeSH added), `electronic`, `print`."""


class Words(Frozen):
    """Free text, analysed by the engine; any word may match and more matches rank higher (BM25)."""

    type: Literal["words"] = "words"
    text: str
    field: FieldName | None = None


class Term(Frozen):
    """One word (analysed) or, in the fields id, kind, publication_type, mesh, one exact value. `prefix` truncates."""

    type: Literal["term"] = "term"
    value: str
    field: FieldName | None = None
    prefix: bool = False


class Phrase(Frozen):
    """Words next to one another in order, or within `slop` positions of one another."""

    type: Literal["phrase"] = "phrase"
    text: str
    field: FieldName | None = None
    slop: int = Field(default=0, ge=0)


class Range(Frozen):
    """Years from `low` to `high`, both included; None leaves a side open."""

    type: Literal["range"] = "range"
    field: Literal["year"] = "year"
    low: int | None = None
    high: int | None = None


class DateRange(Frozen):
    """Days from `low` to `high`, both included; None leaves a side open.

    A record's date that is less precise than a day counts as the first day of its month or year, as in PubMed.
    """

    type: Literal["dates"] = "dates"
    field: DateField = "published"
    low: date | None = None
    high: date | None = None


class Near(Frozen):
    """All words of `text`, in any order, with at most `distance` other words between them."""

    type: Literal["near"] = "near"
    text: str
    field: FieldName | None = None
    distance: int = Field(default=0, ge=0)


class Mesh(Frozen):
    """Indexed with a MeSH heading, with any of its narrower headings when `explode`.

    Without a `heading`: any heading that carries one of the `qualifiers` (a free-floating subheading). With both, one
    of the qualifiers must be attached to the heading. `explode` widens the qualifiers too. `major`: as a main topic.
    """

    type: Literal["mesh"] = "mesh"
    heading: str | None = None
    qualifiers: tuple[str, ...] = ()
    explode: bool = True
    major: bool = False

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if self.heading is None and not self.qualifiers:
            raise ValueError("a Mesh query needs a heading or a qualifier")
        return self


class PublicationType(Frozen):
    """Of this publication type, or of one of its narrower types when `explode`."""

    type: Literal["publication_type"] = "publication_type"
    name: str
    explode: bool = True


class And(Frozen):
    type: Literal["and"] = "and"
    parts: tuple[Query, ...] = Field(min_length=1)


class Or(Frozen):
    type: Literal["or"] = "or"
    parts: tuple[Query, ...] = Field(min_length=1)


class Not(Frozen):
    type: Literal["not"] = "not"
    part: Query


class Everything(Frozen):
    """Matches all documents."""

    type: Literal["everything"] = "everything"


Query = Annotated[
    Words | Term | Phrase | Near | Range | DateRange | Mesh | PublicationType | And | Or | Not | Everything,
    Field(discriminator="type"),
]


class Filters(Frozen):
    """Limits that decide what may be found, and never how it is ranked. Empty means no limit."""

    year_from: int | None = None
    year_to: int | None = None
    kinds: tuple[SourceKind, ...] = ()
    publication_types: tuple[str, ...] = ()
    ids: tuple[DocumentId, ...] = ()

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.year_from is not None and self.year_to is not None and self.year_from > self.year_to:
            raise ValueError(f"the first year ({self.year_from}) is after the last ({self.year_to})")
        return self

    def as_query(self) -> Query | None:
        """The same limits as a tree, or None when there are none."""
        parts: list[Query] = []
        if self.year_from is not None or self.year_to is not None:
            parts.append(Range(low=self.year_from, high=self.year_to))
        exact: tuple[tuple[FieldName, tuple[str, ...]], ...] = (
            ("kind", self.kinds),
            ("publication_type", self.publication_types),
            ("id", self.ids),
        )
        parts += [any_of([Term(value=v, field=field) for v in values]) for field, values in exact if values]
        return all_of(parts) if parts else None


def all_of(parts: Sequence[Query]) -> Query:
    """`And` of the parts, or the part itself when it is alone."""
    return parts[0] if len(parts) == 1 else And(parts=tuple(parts))


def any_of(parts: Sequence[Query]) -> Query:
    """`Or` of the parts, or the part itself when it is alone."""
    return parts[0] if len(parts) == 1 else Or(parts=tuple(parts))


And.model_rebuild()
Or.model_rebuild()
Not.model_rebuild()
