"""Readers turn files and folders into documents. `READERS` lists them; `find_inputs` selects one by content."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from medground.corpus.readers import sets, texts
from medground.corpus.readers.base import Input, Item, file_input, fingerprint_now, head
from medground.corpus.readers.bookshelf import read_bookshelf
from medground.corpus.readers.detect import detect
from medground.corpus.readers.docx import SUFFIXES as WORD
from medground.corpus.readers.docx import open_docx
from medground.corpus.readers.folders import in_release_order, is_beside_the_point, refused_name, walk
from medground.corpus.readers.html import open_html
from medground.corpus.readers.jats import read_jats
from medground.corpus.readers.lines import read_csl, read_jsonlines, read_lines
from medground.corpus.readers.medline import read_medline
from medground.corpus.readers.pdf import open_pdf
from medground.corpus.readers.reference_managers import read_bibtex, read_endnote, read_zotero
from medground.corpus.readers.spreadsheet import SUFFIXES as TABLES
from medground.corpus.readers.spreadsheet import read_csv
from medground.corpus.readers.tagged import read_tagged
from medground.corpus.readers.tagged_forms import FORMS
from medground.errors import BadDocument, UsageError

PASSED_OVER = "none"
"""The reader of an input that nothing can read: reading it says why."""


@dataclass(frozen=True)
class Reader:
    """How to open a path, and the suffixes of the files that it reads in a folder.

    A reader that takes a folder as a whole has no suffixes. One whose documents are named after their file has `below`,
    which takes the file and the folder in which it was found.
    """

    open: Callable[[Path], Input]
    suffixes: tuple[str, ...] = ()
    below: Callable[[Path, Path], Input] | None = None


def _of_files(reader: str, items: Callable[[Path], Iterator[Item]], *suffixes: str) -> Reader:
    """A reader of single files, plain or gzip, whose items `items` reads."""
    return Reader(partial(file_input, reader=reader, items=items), suffixes)


_XML = (".xml", ".xml.gz", ".nxml", ".nxml.gz")
_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".json", ".json.gz")
_GUIDELINE = ("id", "source", "title", "clean_text", "url")
_TAGGED: dict[str, tuple[str, ...]] = {**dict.fromkeys(FORMS, (".txt",)), "nbib": (".nbib", ".txt")}
_TAGGED |= {"ris": (".ris", ".txt"), "enw": (".enw", ".txt"), "wos": (".ciw", ".txt")}

READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "pubmedqa": Reader(sets.open_pubmedqa, _LINES),
        "medline": _of_files("medline", read_medline, *_XML),
        "jats": _of_files("jats", read_jats, *_XML),
        "bookshelf": _of_files("bookshelf", read_bookshelf, *_XML),
        "textbooks": Reader(texts.open_textbooks, (*_LINES, ".parquet", ".txt", ".md"), texts.open_textbooks),
        "guidelines": _of_files(
            "guidelines",
            partial(texts.read_collection, convert=texts.guideline_document, columns=_GUIDELINE),
            *(*_LINES, ".parquet"),
        ),
        "wikipedia": Reader(texts.open_wikipedia, (*_LINES, ".parquet")),
        "beir": Reader(partial(sets.open_corpus, reader="beir", convert=sets.beir_document)),
        "scifact": Reader(partial(sets.open_corpus, reader="scifact", convert=sets.scifact_document)),
        "jsonlines": _of_files("jsonlines", read_jsonlines, *_LINES),
        "pdf": Reader(open_pdf, (".pdf",)),
        "book-pdf": Reader(partial(open_pdf, book=True), (".pdf", ".pdf.gz")),
        **{form: _of_files(form, partial(read_tagged, form=form), *suffixes) for form, suffixes in _TAGGED.items()},
        "bibtex": _of_files("bibtex", read_bibtex, ".bib", ".bibtex"),
        "csv": _of_files("csv", read_csv, *TABLES, ".txt", *(f"{suffix}.gz" for suffix in TABLES)),
        "csl-json": _of_files("csl-json", read_csl, ".json", ".json.gz"),
        "endnote": _of_files("endnote", read_endnote, *_XML),
        "zotero": _of_files("zotero", read_zotero, ".rdf"),
        "html": Reader(open_html, (".html", ".htm", ".xhtml"), open_html),
        "docx": Reader(open_docx, WORD, open_docx),
        "medquad": _of_files("medquad", sets.read_medquad, *_XML, *_LINES),
        "covidqa": _of_files("covidqa", sets.read_covidqa, *_LINES),
        "biomedmcqs": _of_files("biomedmcqs", partial(read_lines, convert=sets.biomedmcqs_document), *_LINES),
        "bioasq": Reader(sets.open_bioasq),
        "texts": Reader(texts.open_text, texts.SUFFIXES, texts.open_text),
    }
)
_ASKED_FOR = {"pdf": "book-pdf", "jsonlines": "textbooks"}
"""Readers that are detected, and those that must be asked for by name for the same files."""


def find_inputs(paths: Sequence[Path], reader: str | None = None, *, strict: bool = False) -> list[Input]:
    """An input for each file named or found in a folder, in order; `reader` (a name in `READERS`) overrides detection.

    A file that no reader accepts is an input too: reading it says why, and the build goes on. In a folder, that is also
    so for hidden files, links and notes on the folder, such as a README. A folder with a BEIR corpus is read as that
    corpus. PubMed's baseline and update files are put in the order of their numbers.

    Raises:
        UsageError: no path is given, a path does not exist, or the reader is unknown.
        BadDocument: no file can be read; or, with `strict`, one of them cannot.
    """
    if not paths:
        raise UsageError("no path to read; name a file or a folder")
    if reader is not None and reader not in READERS:
        raise UsageError(f"unknown reader {reader!r}; use one of {', '.join(READERS)}")
    found = in_release_order([one for path in paths for one in _inputs(path, reader)])
    refused = [one.refused for one in found if one.refused is not None]
    alien = [refusal for refusal in refused if not is_beside_the_point(refusal)]
    if alien and (strict or len(refused) == len(found)):
        raise alien[0]
    if len(refused) == len(found):
        raise BadDocument("the folder contains no file to read", file=str(paths[0]))
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
        found = reader or detect(path)
        chosen = READERS[_ASKED_FOR[found] if _ASKED_FOR.get(found) in beside else found]
        opened = chosen.open(path) if chosen.below is None or folder is None else chosen.below(path, folder)
    except BadDocument as refusal:
        return passed_over(refusal, folder)
    return replace(opened, folder=None if folder is None else str(folder))


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
        yield passed_over(BadDocument("not a file or a folder", file=str(path)))
    elif reader is not None and not READERS[reader].suffixes:
        yield READERS[reader].open(path)
    else:
        for file, refusal in survey(path, reader):
            yield passed_over(refusal, path) if refusal is not None else open_file(file, path, reader)


def survey(folder: Path, reader: str | None = None) -> Iterator[tuple[Path, BadDocument | None]]:
    """Every file of a folder in the order of reading, and why it is skipped without looking into it, or None."""
    for found in walk(folder):
        if isinstance(found, BadDocument):
            yield Path(found.file), found
        elif reader is None and sets.is_beside_corpus(found):
            yield found, BadDocument("questions or judgements of the data set, not its literature", file=str(found))
        elif reader is None or found.name.lower().endswith(READERS[reader].suffixes):
            yield found, None
        else:
            suffixes = ", ".join(READERS[reader].suffixes)
            yield found, BadDocument(f"the reader {reader} takes {suffixes} files", file=str(found))
