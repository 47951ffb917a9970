"""Select the reader of a file by its content; its suffix helps only where the content cannot tell."""

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path

from medground.corpus.readers.base import head, joined
from medground.corpus.readers.bookshelf import BOOKSHELF_ROOTS
from medground.corpus.readers.docx import is_docx
from medground.corpus.readers.html import is_page
from medground.corpus.readers.jats import JATS_ROOTS
from medground.corpus.readers.lines import SIGNATURE as PARQUET
from medground.corpus.readers.lines import TRIAL, Record, columns_of, is_csl, parse
from medground.corpus.readers.medline import MEDLINE_ROOTS
from medground.corpus.readers.pdf import SIGNATURE, is_pdf
from medground.corpus.readers.pubmed_text import pubmed_text_format
from medground.corpus.readers.reference_managers import ENDNOTE_ROOTS, ZOTERO_ROOTS, is_bibtex
from medground.corpus.readers.service_xml import SERVICE_ROOTS
from medground.corpus.readers.services import records_in
from medground.corpus.readers.spreadsheet import SUFFIXES as TABLES
from medground.corpus.readers.spreadsheet import WOS, is_table
from medground.corpus.readers.tagged import tagged_format
from medground.corpus.readers.texts import SUFFIXES as TEXTS
from medground.corpus.readers.texts import collection_of, collection_of_columns
from medground.corpus.readers.values import NAMES
from medground.corpus.readers.xml import root_name
from medground.errors import BadDocument

# What to say of a file that no reader accepts: what it is, and what to do.

_READ = "Medground reads PDF, PubMed, JATS, HTML, DOCX, RIS, nbib, BibTeX, CSV, JSON, Markdown and text"
_REASONS = {suffix: reason for reason, suffixes in NAMES["aliens"].items() for suffix in suffixes.split()}
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<|\xff\xfe<\x00|\xfe\xff\x00<")
_JSON = re.compile(r"\s*[{\[]")
_OBJECT = re.compile(r'\s*\{\s*"[^"\n]+"\s*:')
_ARRAY = re.compile(r"\s*\[\s*[{\]]")
_ITEMS = re.compile(r'"(?:items"\s*:\s*\[|message"\s*:\s*\{)')
_MARKDOWN = (".md", ".markdown")
_SHOWN = 6
_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_ROOTS: Mapping[str, str] = {
    **dict.fromkeys(MEDLINE_ROOTS, "medline"),
    **dict.fromkeys(JATS_ROOTS, "jats"),
    **dict.fromkeys(BOOKSHELF_ROOTS, "bookshelf"),
    **dict.fromkeys(ENDNOTE_ROOTS, "endnote"),
    **dict.fromkeys(ZOTERO_ROOTS, "zotero"),
    **dict.fromkeys(SERVICE_ROOTS, "service-xml"),
    "html": "html",
}


def detect(path: Path) -> str:
    """Name of the reader for a file."""
    start = head(path)
    suffix = path.name.lower().removesuffix(".gz")[-12:]
    if found := _packed_reader(start, path):
        return found
    if suffix.endswith((".html", ".htm", ".xhtml")) or (is_page(start) and not suffix.endswith(_MARKDOWN)):
        return "html"
    alien = _REASONS.get(path.suffix.lower())  # the suffix alone says that it is not literature
    if _MARKUP.match(start) and not suffix.endswith(_MARKDOWN) and not alien:
        is_text = suffix.endswith(TEXTS) and not start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml")
        with contextlib.suppress(*[BadDocument] * is_text):
            roots = {**_ROOTS, **{reader.root: name for name, reader in joined().items() if reader.root}}
            if (root := root_name(path)) in roots:
                return roots[root]
            reason = f"unknown XML format (<{root}>); use PubMed, MEDLINE, JATS, Bookshelf, EndNote or Zotero XML"
            raise BadDocument(reason, file=str(path))
    if alien or (b"\x00" in start and not start.startswith(_WIDE)):
        raise BadDocument(alien or f"this is a binary file; {_READ}", file=str(path))
    text = start.decode("utf-16" if start.startswith(_WIDE) else "utf-8-sig", "replace")
    try:
        found = _text_reader(text, suffix)
    except ValueError as error:
        raise BadDocument(str(error), file=str(path)) from error
    if found is None:
        raise BadDocument(f"unknown file format; {_READ}", file=str(path))
    return found


def _packed_reader(start: bytes, path: Path) -> str | None:
    if start.startswith(SIGNATURE) or (is_pdf(start) and not path.name.lower().endswith(TEXTS)):
        return "pdf"
    if start.startswith(PARQUET):
        names = columns_of(path)
        if (found := collection_of_columns(names)) is None:
            columns = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
            raise BadDocument(f"no reader takes a parquet file of {columns}; save it as JSON Lines", file=str(path))
        return found
    if path.suffix.lower() == ".pdf":
        raise BadDocument("this is not a PDF file, whatever its name; rename it or leave it out", file=str(path))
    if start.startswith(_ZIP) and is_docx(path):
        return "docx"
    if start.startswith(_OLE) and path.suffix.lower() == ".docx":
        raise BadDocument("the document is protected by a password, or an old .doc; save it as .docx", file=str(path))
    return None


def _text_reader(start: str, suffix: str) -> str | None:
    if suffix.endswith(_MARKDOWN):
        return "texts"
    if form := tagged_format(start):
        return form
    plain = suffix.endswith(TEXTS)
    if plain and (form := pubmed_text_format(start)):
        return form
    if suffix.endswith(TABLES) or WOS.match(start) or (plain and is_table(start)):
        return "csv"
    if suffix.endswith(".bib") or is_bibtex(start, least=0.5 if plain else 0):
        return "bibtex"
    if plain and not (_ARRAY.match(start) or _OBJECT.match(start)):
        return "texts"
    for name, reader in joined().items():
        if reader.begins and reader.begins.match(start):
            return name
    if _ARRAY.match(start):
        return "csl-json"
    if _JSON.match(start) or ".json" in suffix:
        return _json_reader(start)
    return None


def _json_reader(start: str) -> str:
    """By the first line that holds an object. A file without one is rejected by the reader itself."""
    for line in start.splitlines()[:TRIAL]:
        try:
            return _record_reader(parse(line.encode()))
        except ValueError:
            continue
    return "csl-json" if _OBJECT.match(start) or _ITEMS.search(start) else "jsonlines"


def _record_reader(record: Record) -> str:
    known = next((name for name, reader in joined().items() if reader.fits(record)), None) or collection_of(record)
    if known is None and (isinstance(record.get("message"), dict) or records_in(record) is not None):
        return "csl-json"
    return known or ("csl-json" if is_csl(record) else "jsonlines")
