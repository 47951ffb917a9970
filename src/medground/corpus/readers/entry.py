"""From fields as people name them to a document: aliases, identifiers, an id, and the rest as metadata."""

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from medground.corpus.readers.compose import Composition, abstract_of, make_document, unmarked
from medground.corpus.readers.record_ids import identified, ids_in
from medground.corpus.readers.values import (
    NAMES,
    flattened,
    imprint_of,
    iso_date,
    listed,
    names_of,
    one_line,
    plain_name,
    state_in,
    substances_of,
    year_in,
)
from medground.language.pattern import verbose_pattern
from medground.pubmed.characters import letters_of
from medground.values.document import Document, Retraction, SourceKind
from medground.values.identifiers import KINDS, OWN_FILE, id_kind, normal_document_id

_NOT_IN_AN_ID = re.compile(r"[\s#\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+")
_LONGEST_NAME = 200
_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,31}:")
OWN = "DOC"
"""The prefix that an id without one is given."""


def file_id(name: str) -> str:
    """`FILE:NAME`. Long names keep their end and get a digest, so that two files never share an id."""
    return f"{OWN_FILE}{_cleaned(name)}"


def name_below(path: Path, folder: Path | None) -> str:
    """The path of a file inside its folder; its name alone if it was not found in one."""
    return path.relative_to(folder).as_posix() if folder else path.name


def prefixed(name: str) -> str:
    """The id as it is, or with the prefix `DOC:` where it has none; what an id cannot contain is replaced."""
    name = name.strip()
    if not name.strip(":"):
        raise ValueError("the id is empty")
    prefix = _PREFIX.match(name)
    if prefix is None or prefix.end() == len(name):
        return f"{OWN}:{_cleaned(name)}"
    return prefix[0] + _cleaned(name[prefix.end() :])


def named(prefix: str, name: str) -> str:
    """`PREFIX:NAME`, with what an id cannot contain replaced."""
    return f"{prefix}:{_cleaned(name)}"


def id_of_content(*parts: str) -> str:
    """`REF:` and a digest of what a record says, so that the same paper has the same id in every file."""
    words = [" ".join(part.split()).casefold() for part in parts]
    return f"REF:{hashlib.sha256(repr(words).encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _cleaned(name: str) -> str:
    clean = _NOT_IN_AN_ID.sub("_", name)
    if clean != name or len(clean) > _LONGEST_NAME:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        clean = f"{clean[-(_LONGEST_NAME - 9) :]}-{digest}"
    return clean


_CANONICAL = {alias: name for name, aliases in NAMES["fields"].items() for alias in aliases.split()}
_KNOWN = (frozenset(Document.model_fields) - {"joined"}) | {"abstract", "date", "doi", "pmid", "pmc"}
_KIND_OF = {name: kind for kind, names in NAMES["kinds"].items() for name in names.split()}
_PREPRINTS = verbose_pattern(
    r"""
    (?:med|bio|chem|psy|soc|ar)rxiv(?:[\s.(:].*)?|preprints(?:\.org|\b.*)|research\ square|ssrn\b.*|
    osf\ preprints|authorea
    """
)
_STATEMENTS = verbose_pattern(
    r"""
    (?<=[.?!)\]])\s*(?:Competing\ Interests?\ Statement|Conflicts?\ of\ Interests?\ Statement|
    Funding\ Statement|Clinical\ Trial(?:\ Protocols?)?|Author\ Declarations?|
    Data\ Availability(?:\ Statement)?)(?=[A-Z\s:]).*
    """,
    re.DOTALL,
)
"""What servers of preprints print after an abstract."""
_RETRACTIONS, _SOURCE_KINDS = get_args(Retraction), get_args(SourceKind)
_STRUCTURED = frozenset(["metadata", "references", "sections", "lines", "cautions", "dates", "imprint"])
"""Fields that a text under their name, such as the reference list in an export of Scopus, cannot be."""


def _line(value: Any) -> Any:
    return one_line(value) if isinstance(value, str | int | float) else value


def _plain_line(value: Any) -> Any:
    return unmarked(line) if isinstance(line := _line(value), str) else line


def _abstract(value: Any) -> Any:
    return _STATEMENTS.sub("", unmarked(value)) if isinstance(value, str) else value


def _words(value: Any) -> list[str]:
    if isinstance(value, Mapping) and len(value) == 1:  # Europe PMC's `{"pubType": [...]}`
        (value,) = value.values()
    return [word.lstrip("*") for word in listed(value) if word.strip("*")]


def _headings(value: Any) -> list[Any]:
    found = value if isinstance(value, list | tuple) else listed(value) if isinstance(value, str) else [value]
    return [{"descriptor": one.strip("*")} if isinstance(one, str) else one for one in found]


_CLEANED: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("title", "journal"), _plain_line),
    **dict.fromkeys(("url", "language", "license"), _line),
    **dict.fromkeys(("keywords", "publication_types"), _words),
    "abstract": _abstract,
    "substances": substances_of,
    "authors": names_of,
    "mesh": _headings,
}
"""How the value of a field is read."""


def described(fields: Mapping[str, Any]) -> Document:
    """The document that these fields describe. An empty value counts as absent; an unknown field becomes metadata.

    The text is `text`, else `abstract`, else the title; with both, the abstract comes first, in a section of its own.
    The id is `id` (with the prefix `DOC:` where it has none), or made from the PMID, PMC id or DOI, or the content.
    """
    known, metadata = _sorted(fields)
    said = known | metadata
    for name, value in ids_in(said).items():
        known.setdefault(name, value)
    if isinstance(known.get("identifiers"), list):  # its ids are known now
        del known["identifiers"]
    if known.get("retraction") not in _RETRACTIONS and (state := state_in(said)):
        known["retraction"] = state
    if known.get("retraction") not in (None, *_RETRACTIONS):
        metadata["retraction"] = known.pop("retraction")
    _identify(known, metadata)
    _date(known, metadata)
    if isinstance(marked := known.get("abstract"), str) and "text" not in known and "</h" in marked:
        composition = abstract_of(known.pop("abstract"))
        known |= {"text": composition.text, "sections": composition.sections}
    for name in known.keys() & _CLEANED:
        known[name] = _CLEANED[name](known[name])
    if isinstance(kind := known.get("kind"), str) and kind not in _SOURCE_KINDS:
        metadata["kind"] = known.pop("kind")
    _write(known)
    own = known.get("metadata")
    known["metadata"] = flattened(own if isinstance(own, Mapping) else {}) | flattened(metadata)
    printed = (known.get("journal"), *known["metadata"].get("publisher", ()))
    if any(isinstance(name, str) and _PREPRINTS.fullmatch(name) for name in printed):
        kinds = [one for one in known.get("publication_types", ()) if one not in ("Journal Article", "preprint")]
        known["publication_types"] = list(dict.fromkeys(["Preprint", *kinds]))
    known.setdefault("imprint", _imprint(known["metadata"]))
    return make_document(known)


def entry_kind(entry: str | None) -> str:
    """The kind of document that a reference manager calls so: `bookSection`, `CHAP`, `Web Page`."""
    return _KIND_OF.get(letters_of(entry or ""), "research")


def entry_types(entry: str | None) -> list[str]:
    """The publication type of such an entry, if its name tells one: `JOUR`, `article-journal`."""
    found = NAMES["types"].get(letters_of(entry or ""))
    return [found] if found else []


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """A field's name in lower case with underscores, and in our own word where it is a known one."""
    plain = plain_name(name)
    if plain in _CANONICAL:
        return _CANONICAL[plain]
    return kind if (kind := id_kind(name)) in KINDS else plain


def _sorted(fields: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields that a document has, and the others. If two names mean the same field, the later is metadata."""
    known: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for given, value in fields.items():
        if value is None or (isinstance(value, str) and not value.strip() and given not in ("id", "text")):
            continue
        name = canonical(given)
        if name in _KNOWN and name not in known and not (name in _STRUCTURED and isinstance(value, str)):
            known[name] = value
        else:
            others[plain_name(given)] = value
    return known, others


def _identify(known: dict[str, Any], metadata: dict[str, Any]) -> None:
    """The ids of a record, its own id, and its address."""
    identifiers = identified(known, metadata)
    if identifiers:
        known["identifiers"] = identifiers
    if "id" in known:
        own = known["id"]
        known["id"] = prefixed(normal_document_id(str(own))) if isinstance(own, str | int) else own
    else:
        found = next((name for name in ("pmid", "pmc", "doi") if name in identifiers), None)
        if found is not None:
            known["id"] = prefixed(f"{found.upper()}:{identifiers[found]}")
    if "pmid" in identifiers:
        known.setdefault("url", f"https://pubmed.ncbi.nlm.nih.gov/{identifiers['pmid']}/")
    elif "doi" in identifiers:
        known.setdefault("url", f"https://doi.org/{identifiers['doi']}")


def _date(known: dict[str, Any], metadata: dict[str, Any]) -> None:
    """A year as a number, and the day or month in `dates`. What holds no year is metadata."""
    for name in ("date", "year"):
        given = known.get(name)
        if isinstance(given, str) and year_in(given) is None:
            metadata[name] = known.pop(name)
    date = iso_date(str(known.pop("date"))) if "date" in known else None
    year = known.get("year")
    if isinstance(year, str):
        date = date or iso_date(year)
        known["year"] = year_in(year)
    elif year is None and date is not None:
        known["year"] = int(date[:4])
    if date is not None and len(date) > len("2000") and not isinstance(known.get("dates"), Mapping):
        known["dates"] = {"published": date}


def _write(known: dict[str, Any]) -> None:
    """Text from the abstract, the title, or both abstract and text; and an id where there is none."""
    text, abstract, title = known.get("text"), known.pop("abstract", None), known.get("title", "")
    if not isinstance(abstract, str):
        abstract = None
    if text is None:
        text = abstract or (title or None)
    elif isinstance(text, str) and abstract and "sections" not in known and abstract.strip() not in text:
        composition = Composition()
        composition.add(abstract.strip(), "Abstract")
        composition.add(text.strip())
        text, known["sections"] = composition.text, composition.sections
    if text is None:
        raise ValueError("text: the field is missing")
    known["text"] = text
    if "id" not in known and isinstance(text, str):
        # A reference is named by title, year and first author, the same in every file that lists it. A title alone,
        # such as "Introduction", names nothing: the text belongs to it.
        year, authors = str(known.get("year", "")), "".join(map(str, known.get("authors", ())[:1]))
        title = str(title)
        if year or authors:
            known["id"] = id_of_content(title or text, year, authors)
        else:
            known["id"] = id_of_content(title, text) if title and text != title else id_of_content(text, "", "")


def _imprint(metadata: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Volume, issue and pages, which every exporter names in its own way."""
    if not metadata:
        return {}

    def first(*names: str) -> str:
        return next((metadata[name][0] for name in names if metadata.get(name)), "")

    start, end = first("start_page", "first_page", "page_start", "bp"), first("end_page", "last_page", "page_end", "ep")
    between = "-".join(dict.fromkeys(filter(None, (start, end))))
    pages = first("pages", "page") or between or first("art._no.", "ar")
    return imprint_of(first("volume", "vl"), first("issue", "number"), pages)
