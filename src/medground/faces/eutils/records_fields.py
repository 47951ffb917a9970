"""Index fields for searching records as in PubMed.

A snapshot's own word index contains passages and stems. PubMed searches whole records by field and by unstemmed words,
so it needs a separate index with one entry per record.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Literal

import tantivy

from medground.corpus.lexical_fields import analyser
from medground.corpus.readers.medline_record import MedlineRecord
from medground.corpus.readers.xml import record_element
from medground.faces.eutils.records_raw import RAW_FILTERS, raw_dates, raw_values
from medground.home.files import tables
from medground.pubmed.characters import fold, spell_out_greek
from medground.pubmed.mapping import known_journals
from medground.pubmed.mesh import vocabulary
from medground.pubmed.parser import clean_words
from medground.pubmed.tags import narrower, qualifiers
from medground.values.document import Document, MeshHeading
from medground.values.query import DateField

Analysis = Literal["words", "name", "value"]
"""`words`: split into words. `name`: a person's name, folded as a whole. `value`: a whole value, ignoring case."""

_WORDS = (
    *("title", "text", "title_abstract", "text_word", "all", "keyword", "substance", "transliterated_title", "book"),
    *("affiliation", "corporate_author", "grant", "secondary_source", "conflict_of_interest", "publisher"),
)
_PEOPLE = ("author", "full_author", "investigator", "full_investigator", "editor", "subject_name")
_NAMES = ("first_author", "last_author", *_PEOPLE)
_PRINTED = ("journal", "nlm_id", "volume", "issue", "pages", "isbn", "author_id")
_HEADINGS = ("mesh", "mesh_major", "mesh_below", "mesh_major_below", "publication_type")
_WHOLE = (
    *_PRINTED,
    *_HEADINGS,
    "place",
    "language",
    "id",
    "identifier",
    "kind",
    "retraction",
    "subset",
    "registry_number",
)
FIELDS: Mapping[str, Analysis] = MappingProxyType(
    {**dict.fromkeys(_WORDS, "words"), **dict.fromkeys(_NAMES, "name"), **dict.fromkeys(_WHOLE, "value")}
)
_ALL = (*(field for field in _WORDS if field not in ("title_abstract", "text_word", "all")), *_PEOPLE, *_PRINTED)
"""Fields of words without a tag, besides MeSH and identifiers: not the place of publication, as PubMed's help says."""
OF_RAW: tuple[DateField, ...] = ("indexed", "electronic", "print")
_CLEANED = (*_PRINTED, "identifier", "registry_number", "place", "language")
"""Fields whose values lose the signs that a query loses."""
_INITIALS = re.compile(r"(?<= )[a-z](?: [a-z])+$")
DATES: tuple[DateField, ...] = ("published", "entered", "created", "revised", "completed", *OF_RAW)
_FALLBACKS: Mapping[str, list[str]] = tables("faces/eutils", "fields")["fallbacks"]
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


def entry(record: Document, xml: bytes, pmid: int, positions: Mapping[str, int]) -> tantivy.Document:
    """Return the index entry of a record and its own XML, if it has any. `positions`: its position in each order."""
    raw = MedlineRecord(record_element(xml)) if xml else None
    fields = {field: values for field, values in _values(record, raw).items() if values}
    words = {field: [*map(spell_out_greek, values)] for field, values in fields.items() if FIELDS[field] == "words"}
    document = tantivy.Document(**fields | words)
    document.add_integer(PMID, pmid)
    if record.year is not None:
        document.add_integer(YEAR, record.year)
    for kind in DATES:
        if day := date_of(record, kind) or (raw_dates(raw).get(kind) if raw and kind in OF_RAW else None):
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
    found = next((record.dates[name] for name in _FALLBACKS.get(kind, [kind]) if name in record.dates), None)
    year = "" if record.year is None or kind not in _FALLBACKS else f"{record.year:04}"
    return found or year


def types_of(record: Document) -> list[str]:
    """Return publication types, including the one that marks a retraction."""
    return _with_marker(record.publication_types, record)


def _with_marker(types: Iterable[str], record: Document) -> list[str]:
    return list(dict.fromkeys(filter(None, (*types, _RETRACTION_TYPES.get(record.retraction)))))


def _type_names(name: str) -> tuple[str, ...]:
    """A publication type; one that was renamed since has both names."""
    current = vocabulary().find(name)
    return (name, current.name) if current is not None and current.is_publication_type else (name,)


def day_number(iso: str) -> int:
    """Convert `2001-06-15` to 20010615. An unknown day or month counts as the first, as in PubMed."""
    year, month, day = [*iso.split("-"), "01", "01"][:3]
    return int(year) * 10_000 + int(month) * 100 + int(day)


@lru_cache(maxsize=20_000)
def value_of(field: str, text: str) -> str:
    """Return a whole value as it is indexed."""
    if FIELDS[field] == "name":
        words = " ".join(words_of(text.replace("'", "").replace("’", "")))[:_LONGEST]
        return _INITIALS.sub(lambda letters: letters[0].replace(" ", ""), words)
    if field == "journal":
        return " ".join(words_of(text))[:_LONGEST]
    if field in _CLEANED:
        text = clean_words(text)
    return " ".join(text.split()).casefold()[:_LONGEST]


def journal_values(name: str) -> list[str]:
    """Return a journal's name as given, and its abbreviation if known."""
    folded = fold(name)
    known = known_journals().get(folded) or known_journals().get(folded.removeprefix("the "))
    return [value_of("journal", each) for each in (name, known) if each]


def _values(record: Document, raw: MedlineRecord | None) -> dict[str, list[str]]:
    # a document may also have the design that its own text states
    types = _with_marker(raw.types if raw else record.publication_types, record)
    values: dict[str, Iterable[str]] = {
        "title": [record.title],
        "text": [record.text] if record.text != record.title else [],
        "keyword": record.keywords,
        "substance": [substance.name for substance in record.substances],
        "journal": [record.journal or ""],
        "author": record.authors,
        "first_author": record.authors[:1],
        "last_author": record.authors[-1:],
        "corporate_author": record.authors,
        "mesh": _mesh(record),
        "mesh_major": _major(record),
        "publication_type": [form for kind in types for form in _type_names(kind)],
        "language": [record.language or ""],
        "id": [record.id],
        "kind": [record.kind],
        "retraction": [record.retraction],
        "subset": [],
        "registry_number": _numbers(record),
        "identifier": [],
    }
    if raw:
        values.update(raw_values(raw))
    known = [v for k, v in record.identifiers.items() for v in (v, f"{k}:{v}")]
    values["identifier"] = [*known, *values["identifier"]]
    values["subset"] = [
        *_subsets(record, None if raw else bool(values["text"])),
        *values["subset"],
        *([RAW] if raw else []),
    ]
    values["journal"] = [name for given in values["journal"] for name in journal_values(given)]
    headings = [name for h in record.mesh for name in (h.descriptor, *h.qualifiers)]
    indexed = [*headings, *types, *values["substance"], *values["keyword"], *values.get("subject_name", ())]
    values["title_abstract"] = [*values["title"], *values["text"], *values["keyword"]]
    values["text_word"] = [*values["title"], *values["text"], *indexed]
    every = [value for field in _ALL for value in values.get(field, ())]
    values["all"] = [*every, *indexed, *values["registry_number"], *record.identifiers.values(), str(record.year or "")]
    values["mesh_below"], values["mesh_major_below"] = _below(values["mesh"]), _below(values["mesh_major"])
    return {
        field: [*dict.fromkeys(each if FIELDS[field] == "words" else value_of(field, each) for each in found if each)]
        for field, found in values.items()
    }


def _numbers(record: Document) -> list[str]:
    """The registry numbers of the substances, those of enzymes with and without `EC`; `0` stands for none."""
    numbers = [substance.number for substance in record.substances if substance.number != "0"]
    return [form for number in numbers for form in (number, number.removeprefix("EC ")) if form]


def _mesh(record: Document) -> list[str]:
    """Return values such as `asthma`, `asthma/drug therapy`, `/drug therapy` and `d001249`.

    A heading that was renamed since has both names.
    """
    plain = [value for h in record.mesh for value in (*_names(h), h.ui) if value]
    return plain + [f"{name}/{q}" for h in record.mesh for q in h.qualifiers for name in (*_names(h), "")]


def _names(heading: MeshHeading) -> tuple[str, ...]:
    current = vocabulary().find(heading.ui or heading.descriptor) or vocabulary().find(heading.descriptor)
    return (heading.descriptor,) if current is None else tuple(dict.fromkeys((heading.descriptor, current.name)))


def _major(record: Document) -> list[str]:
    """Return the values of major topics. An asterisk on the heading alone applies to each of its pairs."""
    starred = [h for h in record.mesh if h.major or h.major_qualifiers]
    pairs = [(h, q) for h in starred for q in (h.major_qualifiers or h.qualifiers)]
    return [n for h in starred for n in _names(h)] + [f"{name}/{q}" for h, q in pairs for name in (*_names(h), "")]


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


def _subsets(record: Document, has_abstract: bool | None) -> list[str]:
    """The filters that a record passes by its identifiers and state, and by its text if `has_abstract` says of it."""
    named = {
        "free full text": "pmc" in record.identifiers,
        "full text": bool({"pmc", "doi", "pii"} & record.identifiers.keys()),
        _STATES.get(record.retraction, ""): record.retraction != "none",
    }
    if has_abstract is not None:
        named |= {
            "hasabstract": has_abstract,
            "hasstructuredabstract": bool(record.sections),
            "haskeyword": bool(record.keywords),
            "medline": bool(record.mesh),
            "pubmednotmedline": not record.mesh,
            "pmcbook": record.kind == "book",
        }
    return [name for name, holds in named.items() if holds and name]


SUBSETS_OF_ALL = frozenset(_STATES.values()) | {
    *("hasabstract", "hasstructuredabstract", "haskeyword", "medline", "pubmednotmedline", "pmcbook"),
    *("free full text", "full text"),
}
"""Filters that can be evaluated from the contents of any record."""
SUBSETS = SUBSETS_OF_ALL | RAW_FILTERS
"""The same and those of records with their own XML."""
RAW = "xml"
"""Marks a record with its own XML."""
