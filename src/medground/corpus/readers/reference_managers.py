"""What reference managers export: BibTeX, EndNote's XML and Zotero's RDF."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medground.corpus.readers.base import Item
from medground.corpus.readers.compose import text_of
from medground.corpus.readers.entry import described, entry_kind, entry_types
from medground.corpus.readers.latex import decoder
from medground.corpus.readers.tagged import tagged_document
from medground.corpus.readers.tagged_forms import FORMS, Tags, pairs_of
from medground.corpus.readers.xml import Element, flat_text, name_of, parts, record_items, records, told
from medground.errors import BadDocument
from medground.values.document import Document

if TYPE_CHECKING:
    from bibtexparser.library import Library
    from bibtexparser.model import Entry


Fields = Iterable[tuple[str, str | None]]

# BibTeX, by bibtexparser: macros (`@string`), LaTeX accents, months by name. A broken entry is named with its line.

BIBTEX = re.compile(r"^\s*@(?:string|comment|preamble|\w+\s*\{\s*[^\s{},\"]*\s*,)", re.IGNORECASE | re.MULTILINE)

_PART = re.compile(r"\s*(?:@\w+\s*\{|[\w-]+\s*=\s*[{\"\w]|\}|%)")
_DEEPEST = 3
_PIECE = re.compile(r'"(?P<quoted>(?:[^"\\]|\\.)*)"|\{(?P<braced>[^{}]*)\}|(?P<name>[^\s#"{}]+)')
_ROUND = re.compile(r"^\s*@\w+\s*\(", re.MULTILINE)
_NO_KEY = re.compile(r"(?i)(@(?!string)\w+\s*\{)(\s*\w+\s*=)")
_BRACES = re.compile(r"[{}]")
_RENAMED = {"number": "issue", "booktitle": "book_title", "journaltitle": "journal", "fjournal": "journal"}
_LEFT_OUT = ("month", "day")
_OF_THE_BOOK = frozenset(
    ["booktitle", "journal", "journaltitle", "year", "date", "month", "publisher", "address", "location", "series"]
) | {"volume", "number", "isbn", "issn", "editor", "edition"}
"""What a part has from the entry that its `crossref` names; its title, authors, ids and abstract are its own."""


def is_bibtex(start: str, least: float) -> bool:
    """Whether a text has entries of BibTeX, and at least this share of its lines looks like parts of them."""
    said = [line for line in start.splitlines() if line.strip()]
    return bool(BIBTEX.search(start)) and sum(map(bool, map(_PART.match, said))) >= least * len(said)


def read_bibtex(path: Path) -> Iterator[Item]:
    """The entries of a file in order; the position of a broken one is its line."""
    from bibtexparser.model import DuplicateBlockKeyBlock, Entry, ImplicitComment, ParsingFailedBlock

    library, keys = _parsed(text_of(path))
    macros = {string.key.casefold(): str(string.value) for string in library.strings}
    named = {keys[entry.key].casefold(): entry for entry in reversed(library.entries)}

    def fields_of(entry: Entry, depth: int = 0) -> dict[str, str]:
        fields = {field.key: _joined(str(field.value), macros) for field in entry.fields}
        for link in ("crossref", "xdata") if depth < _DEEPEST else ():
            for key in filter(None, (name.strip().casefold() for name in fields.get(link, "").split(","))):
                above = fields_of(named[key], depth + 1) if key in named else {}
                if link == "crossref" and "title" in above:
                    above.setdefault("booktitle", above["title"])
                fields = {name: above[name] for name in above if link == "xdata" or name in _OF_THE_BOOK} | fields
        return fields

    for block in library.blocks:
        line = (block.start_line or 0) + 1
        if isinstance(block, Entry):
            if block.entry_type.casefold() == "xdata":
                continue
            try:
                yield entry_document(block.entry_type.casefold(), keys[block.key], fields_of(block))
            except ValueError as error:
                yield BadDocument(f"{keys[block.key]}: {error}", file=path, position=line)
        elif (
            _ROUND.search(block.comment)
            if isinstance(block, ImplicitComment)
            else isinstance(block, ParsingFailedBlock) and not isinstance(block, DuplicateBlockKeyBlock)
        ):
            reason = f"a broken entry ({' '.join((block.raw or '').split())[:60]}); close its braces and quotes"
            yield BadDocument(reason, file=path, position=line)


def _parsed(text: str) -> tuple[Library, Mapping[str, str]]:
    """The blocks of a text, their entries with numbers in place of keys, and the key of each number. bibtexparser takes
    no entry without a key, with a key that was used before, or with a field that it has twice: all of them are read.
    """
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.library import Library
    from bibtexparser.middlewares import LatexDecodingMiddleware
    from bibtexparser.middlewares.parsestack import default_parse_stack
    from bibtexparser.model import Entry

    logging.getLogger("bibtexparser").setLevel(logging.ERROR)  # the items report what it warns of
    library, keys = Library(), dict[str, str]()
    for block in parse_string(_NO_KEY.sub(r"\1,\2", text), parse_stack=()).blocks:
        block = getattr(block, "ignore_error_block", None) or block
        if isinstance(block, Entry):
            told = Counter[str]()
            for field in block.fields:
                field.key = field.key.casefold()
                told[field.key] += 1
                field.key += f"_{told[field.key]}" * (told[field.key] > 1)
            number = str(len(keys))
            keys[number], block.key = block.key, number
        library.add(block, fail_on_duplicate_key=False)
    for middleware in (*default_parse_stack(), LatexDecodingMiddleware(decoder=decoder())):
        library = middleware.transform(library)
    return library, keys


def entry_document(kind: str, key: str, fields: Mapping[str, str]) -> Document:
    """The document of an entry, its fields by their BibTeX names in lower case."""
    known: dict[str, Any] = {}
    for name, value in fields.items():
        if name not in _LEFT_OUT:
            plain = " ".join(_BRACES.sub("", value).split())
            own = _RENAMED.get(name, name)
            known[f"{name}_2" if own in known else own] = plain
    if "book_title" in known and "journal" not in known:
        known["journal"] = known.pop("book_title")
    date = known.get("date") or " ".join(part for part in (fields.get(n) for n in ("day", "month", "year")) if part)
    eprint = known.get("eprint", "")
    if "pubmed" in fields.get("eprinttype", "").casefold() or "pubmed" in fields.get("archiveprefix", "").casefold():
        known["pmid"] = eprint
    known = {"kind": entry_kind(kind), **known, "date": date, "citation_key": key}
    if types := entry_types("journal article" if kind == "article" else kind):
        known.setdefault("publication_types", types)
    known |= {"entry_type": kind, "authors": _authors(fields.get("author", ""))}
    known.pop("author", None)
    return described(known)


def _authors(value: str) -> list[str]:
    from bibtexparser.middlewares.names import split_multiple_persons_names

    names = map(_author, split_multiple_persons_names(" ".join(value.split())))
    return [name for name in names if name and name != "others"]


@lru_cache(maxsize=4096)
def _author(name: str) -> str:
    """`von Family, Given, Jr` from whichever order; a group in braces stays as it is."""
    from bibtexparser.middlewares.names import parse_single_name_into_parts

    parts = parse_single_name_into_parts(name, strict=False)
    pieces = (" ".join(piece) for piece in ([*parts.von, *parts.last], parts.first, parts.jr))
    return _BRACES.sub("", ", ".join(filter(None, pieces))).strip()


def _joined(value: str, macros: Mapping[str, str]) -> str:
    """The parts of `"Part " # name`, joined; bibtexparser leaves them as they are written."""
    if "#" not in value:
        return value
    pieces = list(_PIECE.finditer(value))
    if _PIECE.sub("", value).replace("#", "").strip() or len(pieces) != value.count("#") + 1:
        return value  # a number sign in the text itself
    return "".join(
        macros.get(name.casefold(), name) if (name := found["name"]) else found["quoted"] or found["braced"] or ""
        for found in pieces
    )


# EndNote's XML export (`<xml><records><record>`): styled text, authors in full, abstract.

ENDNOTE_ROOTS = frozenset(["xml", "records"])

_IN_RIS = dict(
    pairs_of(
        "ref-type=TY titles/title=TI abstract=AB contributors/authors/author=AU dates/year=PY dates/pub-dates/date=DA "
        "periodical/full-title=JF titles/secondary-title=T2 periodical/abbr-1=JA volume=VL number=IS pages=PG isbn=SN "
        "electronic-resource-num=DO accession-num=AN urls/related-urls/url=UR language=LA notes=N1 keywords/keyword=KW "
        "work-type=M3 publisher=PB pub-location=CY label=LB remote-database-name=DB edition=ET research-notes=RN "
        "titles/tertiary-title=T3 contributors/secondary-authors/author=A2"
    )
)
"""Where EndNote has what RIS has too, and its tag there."""
_IN_ENDNOTE = frozenset([*_IN_RIS, "database", "source-app", "rec-number", "foreign-keys"])
"""What is read, or tells of EndNote's own files."""


def read_endnote(path: Path) -> Iterator[Item]:
    """The records of a file of EndNote; the position of a bad one is its number, counting from 1."""
    missing = "no <record> is in the file; export it from EndNote as XML"
    yield from record_items(path, ["record"], ENDNOTE_ROOTS, _items, "record", missing)


def _items(record: Element) -> Iterator[Document]:
    yield _document(record, _IN_RIS, _IN_ENDNOTE)


def _document(record: Element, in_ris: Mapping[str, str], known: frozenset[str], more: Fields = ()) -> Document:
    """The document of a record, from the tags of RIS at its paths and `more` of them; unknown parts are metadata."""
    found, others = [*more], list[tuple[str, str]]()
    for path, part in parts(record, known):
        if tag := in_ris.get(path):
            found.append((tag, part.get("name") or flat_text(part)))
        elif path not in known and (text := told(part)):
            others.append((name_of(part).replace("-", "_"), text))
    return tagged_document(Tags([(tag, [value]) for tag, value in found if value], FORMS["ris"]), "ris", others)


# Zotero's RDF export: papers, books and pages with their creators; journals and notes are parts of them.

ZOTERO_ROOTS = frozenset(["RDF"])

_ZOTERO_ITEMS = (
    *("Article", "Book", "BookSection", "Document", "Thesis", "Report", "Patent", "Description"),
    "ConferenceProceedings",
)
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_ZOTERO_IN_RIS = dict(pairs_of("title=TI abstract=AB date=DA language=LA subject=KW pages=PG description=N1"))
_BESIDE = frozenset(["attachment", "note", "annotation"])
_IN_ZOTERO = frozenset([*_ZOTERO_IN_RIS, "itemType", "authors", "identifier"])
_IN_ZOTERO |= {f"isPartOf/{kind}/{name}" for kind in ("Journal", "Book") for name in ("title", "volume", "identifier")}


def read_zotero(path: Path) -> Iterator[Item]:
    """The items of a file of Zotero; the position of a bad one is its number. Attachments and notes are left out."""
    journals: dict[str, dict[str, str]] = {}  # those that stand beside the items, by their address
    for element in records(path, ["Journal"], ZOTERO_ROOTS):
        names = {name_of(part): flat_text(part) for part in element}
        names["identifier"] = next((flat_text(part) for part in element if "DOI" in flat_text(part)), "")
        journals[element.get(f"{_RDF}about", "")] = names
    yield from record_items(path, _ZOTERO_ITEMS, ZOTERO_ROOTS, partial(_documents, journals=journals), "item")


def _documents(item: Element, journals: dict[str, dict[str, str]]) -> Iterator[Document]:
    """The document of an item; none of an attachment or a note."""
    kind = flat_text(item, "itemType")
    if kind in _BESIDE or item.find("itemType") is None:
        return
    own = item.find("isPartOf")
    within = own.find("*") if own is not None and len(own) else None
    place = own.get(f"{_RDF}resource", "") if own is not None else ""
    journal = {name_of(part): flat_text(part) for part in within} if within is not None else journals.get(place, {})
    found = [("TY", kind), ("JF", journal.get("title")), ("VL", journal.get("volume"))]
    found += [("AU", _person(person)) for person in item.iterfind("authors//Person")]
    ids = [*(flat_text(part) for part in item.iterfind("identifier")), journal.get("identifier")]
    found += [("DO" if "10." in name else "UR" if "http" in name else "N1", name) for name in ids if name]
    yield _document(item, _ZOTERO_IN_RIS, _IN_ZOTERO, found)


def _person(person: Element) -> str:
    family = flat_text(person, "surname")
    given = flat_text(person, "givenName") or flat_text(person, "givenname")
    return f"{family}, {given}".strip(", ")
