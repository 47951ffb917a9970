"""The readers, by name and by the content of files."""

import contextlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from medground.corpus.readers import texts
from medground.corpus.readers.base import (
    LINES,
    XML,
    Input,
    Reader,
    document_input,
    file_input,
    fingerprint_now,
    head,
    joined,
    of_files,
    valid,
)
from medground.corpus.readers.bookshelf import BOOKSHELF_ROOTS, read_bookshelf
from medground.corpus.readers.docx import docx_document
from medground.corpus.readers.ebook import epub_document
from medground.corpus.readers.entry import name_below
from medground.corpus.readers.folders import in_release_order, is_beside_the_point, refused_name, walk
from medground.corpus.readers.html import html_document, is_page, is_saved_page, mhtml_document
from medground.corpus.readers.jats import JATS_ROOTS, read_jats
from medground.corpus.readers.lines import SIGNATURE as PARQUET
from medground.corpus.readers.lines import TRIAL, Record, columns_of, is_csl, parse, read_csl, read_jsonlines
from medground.corpus.readers.medline import MEDLINE_ROOTS, read_medline
from medground.corpus.readers.packages import SUFFIXES as PACKAGES
from medground.corpus.readers.packages import kind_of_suffix, package_input, package_kind
from medground.corpus.readers.pdf import SIGNATURE, is_pdf, open_pdf
from medground.corpus.readers.pubmed_text import pubmed_text_format, read_pubmed_text, read_pubtator
from medground.corpus.readers.reference_managers import (
    ENDNOTE_ROOTS,
    ZOTERO_ROOTS,
    is_bibtex,
    read_bibtex,
    read_endnote,
    read_zotero,
)
from medground.corpus.readers.services import SERVICE_ROOTS, read_service_xml, records_in
from medground.corpus.readers.slides import pptx_document
from medground.corpus.readers.spreadsheet import SUFFIXES as TABLES
from medground.corpus.readers.spreadsheet import WOS, is_table, read_csv
from medground.corpus.readers.tagged import read_tagged, tagged_format
from medground.corpus.readers.tagged_forms import FORMS
from medground.corpus.readers.texts import SUFFIXES as TEXTS
from medground.corpus.readers.texts import collection_of
from medground.corpus.readers.values import NAMES
from medground.corpus.readers.workbook import read_xlsx
from medground.corpus.readers.xml import root_name
from medground.errors import BadDocument, UsageError
from medground.home.registry import find, given
from medground.values.document import Document

# What to say of a file that no reader accepts: what it is, and what to do.

_READ = (
    "Medground reads PDF, PubMed, JATS, HTML, MHTML, EPUB, DOCX, PPTX, XLSX, RIS, nbib, BibTeX, CSV, JSON, Markdown "
    "and text"
)
_REASONS, _FOREIGN = (
    {name: reason for reason, names in NAMES[table].items() for name in names.split()} for table in ("aliens", "roots")
)
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<|\xff\xfe<\x00|\xfe\xff\x00<")
_JSON = re.compile(r"\s*[{\[]")
_OBJECT = re.compile(r'\s*\{\s*"[^"\n]+"\s*:')
_ARRAY = re.compile(r"\s*\[\s*(?:null\s*,\s*)*[{\]]")
_ITEMS = re.compile(r'"(?:items"\s*:\s*\[|message"\s*:\s*\{)')
_MARKDOWN = (".md", ".markdown", ".qmd")
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
    if is_saved_page(start):
        return "mhtml"
    if suffix.endswith((".html", ".htm", ".xhtml")) or (is_page(start) and not suffix.endswith(_MARKDOWN)):
        return "html"
    alien = _REASONS.get(path.suffix.lower())  # the suffix alone says that it is not literature
    if _MARKUP.match(start) and not suffix.endswith(_MARKDOWN) and not alien:
        is_text = suffix.endswith(TEXTS) and not start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml")
        with contextlib.suppress(*[BadDocument] * is_text):
            roots = {**_ROOTS, **{reader.root: name for name, reader in joined().items() if reader.root}}
            if (root := root_name(path)) in roots:
                return roots[root]
            known = "use PubMed, MEDLINE, JATS, Bookshelf, EndNote or Zotero XML"
            raise BadDocument(_FOREIGN.get(root) or f"unknown XML format (<{root}>); {known}", file=path)
    if alien or (b"\x00" in start and not start.startswith(_WIDE)):
        raise BadDocument(alien or f"this is a binary file; {_READ}", file=path)
    text = start.decode("utf-16" if start.startswith(_WIDE) else "utf-8-sig", "replace")
    with valid(path):
        found = _text_reader(text, suffix)
    if found is None:
        raise BadDocument(f"unknown file format; {_READ}", file=path)
    return found


def _packed_reader(start: bytes, path: Path) -> str | None:
    if start.startswith(SIGNATURE) or (is_pdf(start) and not path.name.lower().endswith(TEXTS)):
        return "pdf"
    if start.startswith(PARQUET):
        names = columns_of(path)
        if (found := collection_of(names)) is None:
            columns = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
            raise BadDocument(f"no reader takes a parquet file of {columns}; save it as JSON Lines", file=path)
        return found
    if path.suffix.lower() == ".pdf":
        raise BadDocument("this is not a PDF file, whatever its name; rename it or leave it out", file=path)
    if start.startswith(_OLE) and kind_of_suffix(path):
        why = f"the file is protected by a password, or in an old format of Office; save it as {path.suffix.lower()}"
        raise BadDocument(why, file=path)
    return package_kind(path) if start.startswith(_ZIP) else None


def _text_reader(start: str, suffix: str) -> str | None:
    if suffix.endswith(_MARKDOWN):
        return "texts"
    if form := tagged_format(start):
        return form
    plain = suffix.endswith(TEXTS)
    if form := pubmed_text_format(start):
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
    joining = next((name for name, reader in joined().items() if reader.fits(record)), None)
    known = joining or collection_of(record, str(record.get("url") or ""))
    if known is None and (isinstance(record.get("message"), dict) or records_in(record) is not None):
        return "csl-json"
    return known or ("csl-json" if is_csl(record) else "jsonlines")


PASSED_OVER = "none"
"""The reader of an input that nothing can read: reading it says why."""

_textbooks = partial(texts.open_collection, name="textbooks")
_TAGGED = {"nbib": ".nbib", "ris": ".ris", "enw": ".enw", "wos": ".ciw"}
"""How files of a form are named, if not `.txt`."""


def _named(
    reader: str,
    document: Callable[..., Document],
    *suffixes: str,
    opened: Callable[..., Input] = document_input,
) -> Reader:
    """A reader of files that are one document each, named after its place in the folder."""

    def open_named(path: Path, folder: Path | None = None) -> Input:
        return opened(path, reader, partial(document, name=name_below(path, folder)))

    return Reader(open_named, suffixes, open_named)


READERS: Mapping[str, Reader] = {
    "medline": of_files("medline", partial(read_medline, raw=True), *XML),
    "jats": of_files("jats", read_jats, *XML),
    "bookshelf": of_files("bookshelf", read_bookshelf, *XML),
    **{
        name: Reader(partial(texts.open_collection, name=name), (*LINES, ".parquet"))
        for name in ("guidelines", "wikipedia")
    },
    "textbooks": Reader(_textbooks, (*LINES, ".parquet", ".txt", ".md"), _textbooks),
    "jsonlines": of_files("jsonlines", read_jsonlines, *LINES),
    "pdf": Reader(open_pdf, (".pdf",)),
    "book-pdf": Reader(partial(open_pdf, book=True), (".pdf", ".pdf.gz")),
    **{form: of_files(form, partial(read_tagged, form=form), _TAGGED.get(form, ".txt"), ".txt") for form in FORMS},
    "pubmed-abstract": of_files("pubmed-abstract", partial(read_pubmed_text, summary=False), ".txt"),
    "pubmed-summary": of_files("pubmed-summary", partial(read_pubmed_text, summary=True), ".txt"),
    "pubtator": of_files("pubtator", read_pubtator, ".txt", ".pubtator"),
    "bibtex": of_files("bibtex", read_bibtex, ".bib", ".bibtex"),
    "csv": of_files("csv", read_csv, *TABLES, ".txt", *(f"{suffix}.gz" for suffix in TABLES)),
    "csl-json": of_files("csl-json", read_csl, ".json", ".json.gz"),
    "endnote": of_files("endnote", read_endnote, *XML),
    "zotero": of_files("zotero", read_zotero, ".rdf"),
    "service-xml": of_files("service-xml", read_service_xml, *XML),
    "html": _named("html", html_document, ".html", ".htm", ".xhtml"),
    "docx": _named("docx", docx_document, *PACKAGES["docx"]),
    "pptx": _named("pptx", pptx_document, *PACKAGES["pptx"], opened=package_input),
    "epub": _named("epub", epub_document, *PACKAGES["epub"], opened=package_input),
    "xlsx": Reader(partial(file_input, reader="xlsx", items=read_xlsx, apart=True), PACKAGES["xlsx"]),
    "mhtml": _named("mhtml", mhtml_document, ".mhtml", ".mht"),
    "texts": Reader(texts.open_text, texts.SUFFIXES, texts.open_text),
}
_ASKED_FOR = {"pdf": "book-pdf", "jsonlines": "textbooks"}
"""Readers that are detected, and those that must be asked for by name for the same files."""


def all_readers() -> Mapping[str, Reader]:
    """The readers of this folder, then those that join, by name."""
    return {**READERS, **joined(), **given["readers"]}


def find_inputs(paths: Sequence[Path], reader: str | None = None, *, strict: bool = False) -> list[Input]:
    """An input for each file named or found in a folder, in order; `reader` (of `all_readers`) overrides detection.

    A file that no reader accepts is an input too: reading it says why, and the build goes on. In a folder, that is also
    so for hidden files, links and notes on the folder, such as a README. A folder with a BEIR corpus is read as that
    corpus. PubMed's baseline and update files are put in the order of their numbers.

    Raises UsageError: no path is given, a path does not exist, or the reader is unknown; BadDocument: no file can be
    read; or, with `strict`, one of them cannot.
    """
    if not paths:
        raise UsageError("no path to read; name a file or a folder")
    if reader is not None and reader not in all_readers():
        if (own := find("readers", reader, Reader)) is not None:
            given["readers"][reader] = own
            return find_inputs(paths, reader, strict=strict)
        raise UsageError(f"unknown reader {reader!r}; use one of {', '.join(all_readers())}")
    found = in_release_order([one for path in paths for one in _inputs(path, reader)])
    refused = [one.refused for one in found if one.refused is not None]
    alien = [refusal for refusal in refused if not is_beside_the_point(refusal)]
    if alien and (strict or len(refused) == len(found)):
        raise alien[0]
    if len(refused) == len(found):
        raise BadDocument("the folder contains no file to read", file=paths[0])
    return found


def open_file(
    path: Path, folder: Path | None = None, reader: str | None = None, *, beside: Collection[str] = ()
) -> Input:
    """The input of one file, found in `folder` or named by the user. One that no reader accepts says so when it is
    read. `beside` are the readers of the other files of its folder: a PDF among textbooks is read as a textbook.
    """
    if misnamed := refused_name(path):
        return passed_over(misnamed, folder)
    try:
        head(path)  # an empty or unreadable file is rejected before the build begins
        found = reader or _joined_for(path) or detect(path)
        chosen = all_readers()[_ASKED_FOR[found] if _ASKED_FOR.get(found) in beside else found]
        opened = chosen.open(path) if chosen.below is None or folder is None else chosen.below(path, folder)
    except BadDocument as refusal:
        return passed_over(refusal, folder)
    return replace(opened, folder=None if folder is None else str(folder))


def _joined_for(path: Path) -> str | None:
    """The name of the reader that joins for a suffix which none of this folder takes."""
    ours = {suffix for reader in READERS.values() for suffix in reader.suffixes}
    name = path.name.lower()
    return next((key for key, each in joined().items() if name.endswith(tuple({*each.suffixes} - ours))), None)


def passed_over(refusal: BadDocument, folder: Path | None = None) -> Input:
    """The input of a file that cannot be read."""
    state, where = fingerprint_now(Path(refusal.file)), None if folder is None else str(folder)
    return Input(refusal.file, PASSED_OVER, state, lambda skip: iter([refusal][skip:]), folder=where, refused=refusal)


def _inputs(path: Path, reader: str | None) -> Iterator[Input]:
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder")
    if path.is_file():
        yield open_file(path, None, reader)
    elif not path.is_dir():
        yield passed_over(BadDocument("not a file or a folder", file=path))
    elif reader is not None and not all_readers()[reader].suffixes:
        yield all_readers()[reader].open(path)
    else:
        for file, refusal in survey(path, reader):
            yield passed_over(refusal, path) if refusal is not None else open_file(file, path, reader)


def survey(folder: Path, reader: str | None = None) -> Iterator[tuple[Path, BadDocument | None]]:
    """Every file of a folder in the order of reading, and why it is skipped without looking into it, or None."""
    suffixes = ("",) if reader is None else all_readers()[reader].suffixes
    for found in walk(folder):
        if isinstance(found, BadDocument):
            yield Path(found.file), found
        elif reader is None and any(one.beside(found) for one in joined().values()):
            yield found, BadDocument("questions or judgements of the data set, not its literature", file=found)
        elif found.name.lower().endswith(suffixes):
            yield found, None
        else:
            yield found, BadDocument(f"the reader {reader} takes {', '.join(suffixes)} files", file=found)
