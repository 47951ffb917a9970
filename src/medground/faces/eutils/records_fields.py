"""Index fields for searching records as in PubMed.

A snapshot's own word index contains passages and stems. PubMed searches whole records by field and by unstemmed words,
so it needs a separate index with one entry per record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Literal

import tantivy

from medground.corpus.lexical_fields import analyser
from medground.pubmed.characters import fold, spell_out_greek
from medground.pubmed.mapping import known_journals
from medground.pubmed.mesh import vocabulary
from medground.pubmed.tags import narrower, qualifiers
from medground.values.document import Document
from medground.values.query import DateField

Analysis = Literal["words", "name", "value"]
"""`words`: split into words. `name`: a person's name, folded as a whole. `value`: a whole value, ignoring case."""

_WORDS = ("title", "text", "title_abstract", "text_word", "all", "keyword", "substance")
_NAMES = ("author", "first_author", "last_author", "corporate_author")
_HEADINGS = ("mesh", "mesh_major", "mesh_below", "mesh_major_below", "publication_type")
_WHOLE = ("journal", *_HEADINGS, "language", "id", "identifier", "kind", "retraction", "subset", "registry_number")
FIELDS: Mapping[str, Analysis] = MappingProxyType(
    {**dict.fromkeys(_WORDS, "words"), **dict.fromkeys(_NAMES, "name"), **dict.fromkeys(_WHOLE, "value")}
)
DATES: tuple[DateField, ...] = ("published", "entered", "created", "revised", "completed")
_FALLBACKS: Mapping[str, tuple[str, ...]] = {
    "published": ("published",),
    "entered": ("entered", "created", "published"),
    "created": ("created", "entered", "published"),
    "revised": ("revised", "entered", "created", "published"),
}
YEAR = "year"
PMID = "pmid"
ORDERS = ("newest", "published", "author", "journal", "title")
_LONGEST = 1000
_RETRACTION_TYPES = {"retracted": "Retracted Publication", "notice": "Retraction of Publication"}
_STATES = {"retracted": "hasretractionin", "notice": "hasretractionof", "concern": "hasexpressionofconcernin"}


@cache
def schema() -> tantivy.Schema:
    """Return the index schema. `by_*` fields hold the position of a record in each sort order."""
    builder = tantivy.SchemaBuilder()
    for field in (PMID, YEAR, *DATES, *(f"by_{order}" for order in ORDERS)):
        builder.add_integer_field(field, indexed=True, fast=True)
    for field, analysis in FIELDS.items():
        if analysis == "words":
            builder.add_text_field(field, tokenizer_name="plain")
        else:
            builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    return builder.build()


def entry(record: Document, pmid: int, positions: Mapping[str, int]) -> tantivy.Document:
    """Return the index entry of a record. `positions` holds its position in each sort order."""
    fields = {field: values for field, values in _values(record).items() if values}
    words = {field: [*map(spell_out_greek, values)] for field, values in fields.items() if FIELDS[field] == "words"}
    document = tantivy.Document(**fields | words)
    document.add_integer(PMID, pmid)
    if record.year is not None:
        document.add_integer(YEAR, record.year)
    for kind in DATES:
        if day := date_of(record, kind):
            document.add_integer(kind, day_number(day))
    for order, position in positions.items():
        document.add_integer(f"by_{order}", position)
    return document


def words_of(text: str) -> list[str]:
    """Return the words of a text as they are indexed."""
    return list(analyser("plain").analyze(spell_out_greek(text)))


def date_of(record: Document, kind: DateField) -> str:
    """Return a record's ISO date of a kind, as precise as known, or an empty string.

    PubMed has all dates of all records. If a corpus lacks one, another known date is used instead.
    """
    found = next((record.dates[name] for name in _FALLBACKS.get(kind, (kind,)) if name in record.dates), None)
    year = "" if record.year is None or kind not in _FALLBACKS else f"{record.year:04}"
    return found or year


def types_of(record: Document) -> list[str]:
    """Return publication types, including the one that marks a retraction."""
    types, marker = [*record.publication_types], _RETRACTION_TYPES.get(record.retraction)
    return types if marker is None or marker in types else [*types, marker]


def day_number(iso: str) -> int:
    """Convert `2001-06-15` to 20010615. An unknown day or month counts as the first, as in PubMed."""
    year, month, day = [*iso.split("-"), "01", "01"][:3]
    return int(year) * 10_000 + int(month) * 100 + int(day)


@lru_cache(maxsize=20_000)
def value_of(field: str, text: str) -> str:
    """Return a whole value as it is indexed."""
    if FIELDS[field] == "name":
        return " ".join(words_of(text))[:_LONGEST]
    return " ".join(text.split()).casefold()[:_LONGEST]


def journal_values(name: str) -> list[str]:
    """Return a journal's name as given, and its abbreviation if known."""
    folded = fold(name)
    known = known_journals().get(folded) or known_journals().get(folded.removeprefix("the "))
    return [value_of("journal", each) for each in (name, known) if each]


def _values(record: Document) -> dict[str, list[str]]:
    abstract = [] if record.text == record.title else [record.text]
    headings = [heading.descriptor for heading in record.mesh]
    types = types_of(record)
    substances = [substance.name for substance in record.substances]
    indexed = [*headings, *types, *record.keywords, *substances]
    journal = [record.journal] if record.journal else []
    whole = {
        "author": record.authors,
        "first_author": record.authors[:1],
        "last_author": record.authors[-1:],
        "corporate_author": record.authors,
        "mesh": _mesh(record),
        "mesh_major": _major(record),
        "publication_type": types,
        "language": [record.language] if record.language else [],
        "id": [record.id],
        "identifier": [v for k, v in record.identifiers.items() for v in (v, f"{k}:{v}")],
        "kind": [record.kind],
        "retraction": [record.retraction],
        "subset": _subsets(record, abstract),
        "registry_number": _numbers(record),
    }
    return {
        "title": [record.title],
        "text": abstract,
        "title_abstract": [record.title, *abstract, *record.keywords],
        "text_word": [record.title, *abstract, *indexed],
        "all": [record.title, *abstract, *indexed, *record.authors, *journal, *record.identifiers.values()],
        "keyword": [*record.keywords],
        "substance": substances,
        "journal": [value for name in journal for value in journal_values(name)],
        "mesh_below": _below(_mesh(record)),
        "mesh_major_below": _below(_major(record)),
        **{field: [*dict.fromkeys(value_of(field, each) for each in values)] for field, values in whole.items()},
    }


def _numbers(record: Document) -> list[str]:
    """The registry numbers of the substances, those of enzymes with and without `EC`; `0` stands for none."""
    numbers = [one.number for one in record.substances if one.number != "0"]
    return [form for number in numbers for form in (number, number.removeprefix("EC ")) if form]


def _mesh(record: Document) -> list[str]:
    """Return values such as `asthma`, `asthma/drug therapy`, `/drug therapy` and `d001249`."""
    plain = [value for h in record.mesh for value in (h.descriptor, h.ui) if value]
    return plain + [f"{name}/{q}" for h in record.mesh for q in h.qualifiers for name in (h.descriptor, "")]


def _major(record: Document) -> list[str]:
    """Return the values of major topics. An asterisk on the heading alone applies to each of its pairs."""
    starred = [h for h in record.mesh if h.major or h.major_qualifiers]
    pairs = [(h.descriptor, q) for h in starred for q in (h.major_qualifiers or h.qualifiers)]
    return [h.descriptor for h in starred] + [f"{name}/{q}" for d, q in pairs for name in (d, "")]


def _below(values: Iterable[str]) -> list[str]:
    """Add broader headings and qualifiers, so that exploded queries match.

    With broader headings in the index, an exploded heading is a single index term. Searching for each of the 1,300
    headings below Neoplasms takes 2 ms.
    """
    return list(dict.fromkeys(above for value in values for above in _with_broader(value)))


@lru_cache(maxsize=100_000)
def _with_broader(value: str) -> tuple[str, ...]:
    name, slash, attached = value.partition("/")
    names, qualified = _heading_and_above(name), _qualifier_and_above(attached)
    return tuple(value_of("mesh", f"{heading}{slash}{qualifier}") for heading in names for qualifier in qualified)


@lru_cache(maxsize=50_000)
def _heading_and_above(name: str) -> tuple[str, ...]:
    heading = vocabulary().find(name) if name else None
    return (name,) if heading is None else (name, heading.name, *(h.name for h in vocabulary().ancestors(heading)))


@lru_cache(maxsize=1000)
def _qualifier_and_above(name: str) -> tuple[str, ...]:
    above = (q.name for q in qualifiers() if name in narrower(q.name)) if name else ()
    return tuple(dict.fromkeys((name, *above)))


def _subsets(record: Document, abstract: list[str]) -> list[str]:
    named = {
        "hasabstract": bool(abstract),
        "hasstructuredabstract": bool(record.sections),
        "haskeyword": bool(record.keywords),
        "medline": bool(record.mesh),
        "pubmednotmedline": not record.mesh,
        "pmcbook": record.kind == "book",
        "free full text": "pmc" in record.identifiers,
        "full text": bool({"pmc", "doi", "pii"} & record.identifiers.keys()),
        _STATES.get(record.retraction, ""): record.retraction != "none",
    }
    return [name for name, holds in named.items() if holds and name]


SUBSETS = frozenset(_STATES.values()) | {
    *(
        "hasabstract",
        "hasstructuredabstract",
        "haskeyword",
        "medline",
        "pubmednotmedline",
        "pmcbook",
        "free full text",
        "full text",
    )
}
"""Filters that can be evaluated from the contents of a record."""
