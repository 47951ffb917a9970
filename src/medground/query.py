"""The typed query tree that every source and store accepts. No engine parses query text.

A leaf names a field; `None` means the engine's default text fields (title, text, MeSH). A tree with nothing but `Not`
is valid: engines add a query that matches everything.
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
    # The rest are further fields of PubMed. A store that does not have one of them reports it.
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
    """Free text, analysed by the engine; any word may match, and more matches rank higher (BM25)."""

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
    """Words next to each other in this order, or within `slop` positions of each other."""

    type: Literal["phrase"] = "phrase"
    text: str
    field: FieldName | None = None
    slop: int = Field(default=0, ge=0)


class Range(Frozen):
    """Years from `low` to `high`, both included; None leaves that side open."""

    type: Literal["range"] = "range"
    field: Literal["year"] = "year"
    low: int | None = None
    high: int | None = None


class DateRange(Frozen):
    """Days from `low` to `high`, both included; None leaves that side open.

    A date without a day or month counts as the first day of its month or year, as in PubMed.
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
    """Indexed with a MeSH heading, or with a narrower one if `explode`.

    Without a `heading`: any heading that carries one of the `qualifiers` (a free-floating subheading). With both, one
    of the qualifiers must be attached to the heading. `explode` includes narrower qualifiers too. `major`: only as a
    major topic.
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
    """Of this publication type, or of a narrower one if `explode`."""

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
    """Limits on what may be found; they never change how it is ranked. Empty means no limit."""

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
        """The same limits as a query tree, or None if there are none."""
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
    """`And` of the parts, or the part itself if there is only one."""
    return parts[0] if len(parts) == 1 else And(parts=tuple(parts))


def any_of(parts: Sequence[Query]) -> Query:
    """`Or` of the parts, or the part itself if there is only one."""
    return parts[0] if len(parts) == 1 else Or(parts=tuple(parts))


And.model_rebuild()
Or.model_rebuild()
Not.model_rebuild()
