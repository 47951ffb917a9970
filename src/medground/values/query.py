"""The typed query tree that every source and store accepts. No engine parses query text.

A leaf names a field; `None` means the engine's default text fields (title, text, MeSH). A tree with nothing but `Not`
is valid: engines add a query that matches everything.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, NonNegativeInt, ValidationError, model_validator

from medground.errors import UsageError
from medground.values.document import DocumentId, Frozen, SourceKind

T = TypeVar("T")

_OwnField = Literal[
    "title", "text", "mesh", "mesh_major", "author", "journal", "publication_type", "language", "keyword"
]
_ExactField = Literal["id", "kind", "year", "identifier", "retraction"]
# The rest are further fields of PubMed. A store that does not have one of them reports it.
_TextField = Literal["title_abstract", "text_word", "all"]
_PersonField = Literal["first_author", "last_author", "author_id", "corporate_author", "investigator", "editor"]
_SubjectField = Literal["subject_name", "affiliation", "substance", "registry_number", "pharmacological_action"]
_PlaceField = Literal["subset", "volume", "issue", "pages", "grant", "secondary_source", "nlm_id", "place", "publisher"]
_BookField = Literal["book", "isbn", "conflict_of_interest", "transliterated_title"]
FieldName = Literal[_OwnField, _ExactField, _TextField, _PersonField, _SubjectField, _PlaceField, _BookField]
DateField = Literal["published", "entered", "created", "revised", "completed", "indexed", "electronic", "print"]
"""Which date of a record: the keys of `Document.dates`, and `indexed` (MeSH added), `electronic`, `print`."""


_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")


def checked_date(value: str) -> str:
    """A year, a month or a day as it is written: `2019`, `2019-03` or `2019-03-15`. Raises ValueError: it is none."""
    try:
        if not _DATE.fullmatch(value):
            raise ValueError
        last_day(value)
        first_day(value)
    except ValueError:
        raise ValueError(f"{value[:40]!r} is not a date; use 2019, 2019-03 or 2019-03-15") from None
    return value


def _pairs(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    listed = (list, tuple, set, frozenset)
    return tuple(
        (name, one) for name, given in value.items() for one in (given if isinstance(given, listed) else [given])
    )


PartialDate = Annotated[str, AfterValidator(checked_date)]
"""`2019`, `2019-03` or `2019-03-15`."""


class Argument(Frozen):
    """Base of what programs make to hand it in. Raises UsageError, in one line, where pydantic's error would not
    be Medground's; within other values, and in JSON, a wrong one is an error of pydantic, with its place."""

    if not TYPE_CHECKING:  # type checkers know the arguments from the fields

        def __init__(self, **values: Any) -> None:
            try:
                super().__init__(**values)
            except ValidationError as error:
                said = import_module("medground.home.layers").wrong_values  # `home` stands above
                raise UsageError(said(error.errors())) from None

        __init__.__pydantic_base_init__ = True  # pydantic calls it from nowhere


class _Node(Frozen, defer_build=True):
    """Base of the nodes of a tree, which names its own type and so takes long to build."""


class Words(_Node):
    """Free text, analysed by the engine; any word may match, and more matches rank higher (BM25)."""

    type: Literal["words"] = "words"
    text: str
    field: FieldName | None = None


class Term(_Node):
    """One word (analysed) or, in the fields id, kind, publication_type, mesh, one exact value. `prefix` truncates."""

    type: Literal["term"] = "term"
    value: str
    field: FieldName | None = None
    prefix: bool = False


class Phrase(_Node):
    """Words next to each other in this order, or within `slop` positions of each other."""

    type: Literal["phrase"] = "phrase"
    text: str
    field: FieldName | None = None
    slop: NonNegativeInt = 0


class Range(_Node):
    """Years from `low` to `high`, both included, or PMIDs (`id`); None leaves that side open."""

    type: Literal["range"] = "range"
    field: Literal["year", "id"] = "year"
    low: int | None = None
    high: int | None = None


class DateRange(_Node):
    """Days from `low` to `high`, both included; None leaves that side open.

    A date without a day or month counts as the first day of its month or year, as in PubMed.
    """

    type: Literal["dates"] = "dates"
    field: DateField = "published"
    low: date | None = None
    high: date | None = None


class Near(_Node):
    """All words of `text`, in any order, with at most `distance` other words between them."""

    type: Literal["near"] = "near"
    text: str
    field: FieldName | None = None
    distance: NonNegativeInt = 0


class Mesh(_Node):
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


class PublicationType(_Node):
    """Of this publication type, or of a narrower one if `explode`."""

    type: Literal["publication_type"] = "publication_type"
    name: str
    explode: bool = True


class Metadata(_Node):
    """A metadata field of the user's own documents has this value. Case and extra white space do not count."""

    type: Literal["metadata"] = "metadata"
    name: str
    value: str


class And(_Node):
    type: Literal["and"] = "and"
    parts: tuple[Query, ...] = Field(min_length=1)


class Or(_Node):
    """Any of the parts. Those that match add up in the ranking, unless only the `best` counts: names of one thing."""

    type: Literal["or"] = "or"
    parts: tuple[Query, ...] = Field(min_length=1)
    best: bool = Field(default=False, exclude_if=lambda best: not best)


class Not(_Node):
    type: Literal["not"] = "not"
    part: Query


class Everything(_Node):
    """Matches all documents."""

    type: Literal["everything"] = "everything"


Leaf = Words | Term | Phrase | Near | Range | DateRange | Mesh | PublicationType | Metadata | Everything
Query = Annotated[Leaf | And | Or | Not, Field(discriminator="type")]
"""A query tree."""


class Filters(_Node, Argument):
    """Limits on what may be found; they never change how it is ranked. Empty means no limit.

    `where` holds fields and values: `Filters(where={"journal": "Lancet", "ward": ["ICU", "ED"]})`. Any of a field's
    values may fit; all fields must. `medground.values.where` says which fields there are.
    """

    year_from: int | None = None
    year_to: int | None = None
    date_from: PartialDate | None = None
    """First day, month or year of publication: `2019-03-15`, `2019-03` or `2019`. A date without a month counts as
    January, and one without a day as the first, as in PubMed."""
    date_to: PartialDate | None = None
    """Last day, month or year of publication, included as a whole."""
    kinds: tuple[SourceKind, ...] = ()
    publication_types: tuple[str, ...] = ()
    ids: tuple[DocumentId, ...] = ()
    where: Annotated[tuple[tuple[str, str], ...], BeforeValidator(_pairs)] = ()

    if TYPE_CHECKING:  # checkers know the fields as they are read, not what each may be made of

        def __init__(
            self,
            *,
            year_from: int | None = None,
            year_to: int | None = None,
            date_from: str | None = None,
            date_to: str | None = None,
            kinds: Sequence[SourceKind] = (),
            publication_types: Sequence[str] = (),
            ids: Sequence[DocumentId] = (),
            where: Mapping[str, str | Sequence[str]] | Sequence[tuple[str, str]] = (),
        ) -> None: ...

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.year_from is not None and self.year_to is not None and self.year_from > self.year_to:
            raise ValueError(f"the first year ({self.year_from}) is after the last ({self.year_to})")
        if self.date_from is not None and self.date_to is not None:
            first, last = first_day(self.date_from), last_day(self.date_to)
            if first > last:
                raise ValueError(f"the first date ({self.date_from}) is after the last ({self.date_to})")
        return self

    def as_query(self) -> Query | None:
        """The same limits as a query tree, or None if there are none.

        Raises UsageError: a field has a value that it cannot have.
        """
        parts: list[Query] = []
        if self.year_from is not None or self.year_to is not None:
            parts.append(Range(low=self.year_from, high=self.year_to))
        if self.date_from is not None or self.date_to is not None:
            low = first_day(self.date_from) if self.date_from else None
            parts.append(DateRange(low=low, high=last_day(self.date_to) if self.date_to else None))
        exact: tuple[tuple[FieldName, tuple[str, ...]], ...] = (
            ("kind", self.kinds),
            ("publication_type", self.publication_types),
            ("id", self.ids),
        )
        parts += [any_of([Term(value=v, field=field) for v in values]) for field, values in exact if values]
        if self.where:
            from medground.values.where import where_queries

            parts += where_queries(self.where)
        return all_of(parts) if parts else None


def first_day(partial: str) -> date:
    """The first day of `2019`, `2019-03` or `2019-03-15`."""
    return date(*map(int, f"{partial}-01-01".split("-")[:3]))


def last_day(partial: str) -> date:
    """The last day of `2019`, `2019-03` or `2019-03-15`."""
    year, *rest = (int(part) for part in partial.split("-"))
    month = rest[0] if rest else 12
    return date(year, month, rest[1] if len(rest) > 1 else monthrange(year, month)[1])


def all_of(parts: Sequence[Query]) -> Query:
    """`And` of the parts, or the part itself if there is only one."""
    return parts[0] if len(parts) == 1 else And(parts=tuple(parts))


def any_of(parts: Sequence[Query]) -> Query:
    """`Or` of the parts, or the part itself if there is only one."""
    return parts[0] if len(parts) == 1 else Or(parts=tuple(parts))


def fold(
    query: Query,
    leaf: Callable[[Leaf], T],
    both: Callable[[Sequence[tuple[T, bool]]], T],
    either: Callable[[Sequence[T], bool], T],
) -> T:
    """The value of a tree from the values of its leaves: how every engine compiles and every printer prints it.

    `leaf` values a query without parts, `both` an `And`, from the values of its parts, each with whether it is left
    out (a `Not` alone is such a part), and `either` an `Or`, with whether only the best of its parts counts.
    """
    match query:
        case And():
            parts = [(part.part, True) if isinstance(part, Not) else (part, False) for part in query.parts]
            return both([(fold(part, leaf, both, either), left_out) for part, left_out in parts])
        case Or():
            return either([fold(part, leaf, both, either) for part in query.parts], query.best)
        case Not():
            return both([(fold(query.part, leaf, both, either), True)])
        case _:
            return leaf(query)


def leaves(query: Query) -> list[Leaf]:
    """The queries without parts, from left to right."""
    return fold(
        query,
        lambda leaf: [leaf],
        lambda parts: [leaf for part, _ in parts for leaf in part],
        lambda parts, _: [leaf for part in parts for leaf in part],
    )


And.model_rebuild()
Or.model_rebuild()
Not.model_rebuild()
