"""`where`: limits by field and value, as users write them (`journal=Lancet`), and the fields that there are."""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib import resources
from typing import get_args

from medground.errors import UsageError
from medground.values.document import SourceKind
from medground.values.identifiers import normal_id
from medground.values.query import (
    DateRange,
    Filters,
    Metadata,
    Near,
    Phrase,
    PublicationType,
    Query,
    Range,
    Term,
    any_of,
    checked_date,
    first_day,
    last_day,
)

_SEPARATORS = re.compile(r"[\s-]+")
_LISTS = tomllib.loads((resources.files("medground") / "data" / "limit_words.toml").read_text(encoding="utf-8"))
_DESIGNS: Mapping[str, Sequence[str]] = _LISTS["designs"]
_DESIGN_NAMES: Mapping[str, str] = _LISTS["design_names"]
DESIGNS: Mapping[str, str] = {name: name for name in _DESIGNS} | dict(_DESIGN_NAMES)
"""All names of designs, with the one by which each is looked up."""
_ALIASES: Mapping[str, str] = _LISTS["field_names"]
_SAME_LANGUAGE: Mapping[str, list[str]] = {name: row for row in _LISTS["languages"].values() for name in row}


def parse_where(written: Iterable[str], filters: Filters | None = None) -> Filters:
    """Filters with limits as users write them added: `journal=Lancet`, `year=2015..2020`, `date=2019-03..`, `ward=ICU`.

    A field that is given twice may have either value.

    Raises UsageError: a limit is not `FIELD=VALUE`.
    """
    pairs = list((filters or Filters()).where)
    for limit in written:
        name, equals, value = limit.partition("=")
        if not (equals and name.strip() and any(letter.isalnum() for letter in value)):
            raise UsageError(f"{limit[:60]!r} is not a limit; write FIELD=VALUE, such as journal=Lancet")
        pairs.append((name.strip(), value.strip()))
    where_queries(pairs)  # a wrong value is reported now, not at the first search
    return (filters or Filters()).replace(where=tuple(pairs))


def where_queries(pairs: Sequence[tuple[str, str]]) -> list[Query]:
    """A query for each field: any of its values. Raises UsageError: a field has a value that it cannot have."""
    by_field: dict[str, list[Query]] = {}
    for given, value in pairs:
        name = field_name(given)
        make = _FIELDS.get(name)
        found = make(value) if make else Metadata(name=name, value=value)
        by_field.setdefault(name, []).append(found)
    return [any_of(queries) for queries in by_field.values()]


def field_name(given: str) -> str:
    """A field as the index names it: in lower case, without white space, and in our word for it."""
    name = _SEPARATORS.sub("_", given.strip().casefold())
    return _ALIASES.get(name, name)


def own_fields(filters: Filters) -> tuple[str, ...]:
    """The fields in `where` that are not Medground's own: metadata of the user's documents."""
    return tuple(dict.fromkeys(name for given, _ in filters.where if (name := field_name(given)) not in _FIELDS))


def check_fields(filters: Filters, known: Collection[str]) -> None:
    """Check that every field exists, given the metadata fields of what is searched.

    Raises UsageError: a field is unknown; the message names the nearest ones.
    """
    for name in own_fields(filters):
        if name not in known:
            raise UsageError(f"no field {name[:60]!r} is in what is searched; {_nearest(name, [*_FIELDS, *known])}")


def _nearest(name: str, known: Sequence[str]) -> str:
    from rapidfuzz import fuzz, process

    found = [match for match, _, _ in process.extract(name, known, scorer=fuzz.WRatio, limit=3, score_cutoff=60)]
    if found:
        return f"the nearest: {', '.join(found)}"
    shown = ", ".join(known[:30])
    return f"use one of {shown}{' and others' if len(known) > 30 else ''}"


def _kind(value: str) -> Query:
    kinds = get_args(SourceKind)
    if value.casefold() not in kinds:
        raise UsageError(f"no kind {value[:40]!r}; use one of {', '.join(kinds)}")
    return Term(value=value.casefold(), field="kind")


def _design(value: str) -> Query:
    """By the publication types that name a design, in MEDLINE's words and in those of JATS."""
    name = " ".join(value.casefold().replace("_", " ").split())
    name = DESIGNS.get(name, name)
    if name in _DESIGNS:
        return any_of([Term(value=kind, field="publication_type") for kind in _DESIGNS[name]])
    return PublicationType(name=value)


def design_types(name: str) -> frozenset[str]:
    """The publication types that name a design; empty if it is none."""
    return frozenset(_DESIGNS.get(DESIGNS.get(name, name), ()))


def _language(value: str) -> Query:
    """Records say `eng`, `en`, `en-GB` or `English`."""
    names = _SAME_LANGUAGE.get(value.casefold(), [value])
    exact: list[Query] = [Term(value=name, field="language") for name in names]
    return any_of(
        [*exact, *(Term(value=f"{name}-", field="language", prefix=True) for name in names if len(name) == 2)]
    )


def _year(value: str) -> Query:
    low, high = _ends(value)
    if not all(re.fullmatch(r"\d{4}", end, re.ASCII) for end in (low, high) if end):
        raise UsageError(f"{value[:40]!r} is not a year; write 2019, 2015..2020 or 2015..")
    if low and high and low > high:
        raise UsageError(f"{value[:40]!r} ends before it begins; write the first year first")
    return Range(low=int(low) if low else None, high=int(high) if high else None)


def _date(value: str) -> Query:
    low, high = _ends(value)
    try:
        first, last = first_day(checked_date(low)) if low else None, last_day(checked_date(high)) if high else None
    except ValueError:
        raise UsageError(f"{value[:40]!r} is not a date; write 2019-03, 2019-03..2020-06 or 2019-03..") from None
    if first and last and first > last:
        raise UsageError(f"{value[:40]!r} ends before it begins; write the first date first")
    return DateRange(low=first, high=last)


def _ends(value: str) -> tuple[str, str]:
    """Both ends of `2015..2020`, empty where one is open; a single value is both."""
    low, dots, high = (part.strip() for part in value.partition(".."))
    if dots and not (low or high):
        raise UsageError(f"{value[:40]!r} has neither start nor end; give at least one, such as 2015..")
    return (low, high) if dots else (low, low)


def _identifier(kind: str) -> Callable[[str], Query]:
    """In its normal form, by which the index knows it: `https://doi.org/10.1/X` finds `10.1/x`."""
    return lambda value: Term(value=f"{kind}:{normal_id(kind, value) or value}", field="identifier")


_FIELDS: Mapping[str, Callable[[str], Query]] = {
    "journal": lambda value: Phrase(text=value, field="journal"),
    "title": lambda value: Phrase(text=value, field="title"),
    "author": lambda value: Near(text=value, field="author"),
    "keyword": lambda value: Phrase(text=value, field="keyword"),
    "mesh": lambda value: Term(value=value, field="mesh"),
    "publication_type": lambda value: PublicationType(name=value),
    "design": _design,
    "kind": _kind,
    "language": _language,
    "year": _year,
    "date": _date,
    "id": lambda value: Term(value=value, field="id"),
    "pmid": _identifier("pmid"),
    "pmc": _identifier("pmc"),
    "doi": _identifier("doi"),
    "retraction": lambda value: Term(value=value, field="retraction"),
}
