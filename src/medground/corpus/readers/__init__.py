"""Readers turn files and folders into documents. `READERS` lists them; `find_inputs` selects one by content."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from medground.corpus.readers.base import Input, fingerprint, head
from medground.corpus.readers.bibtex import open_bibtex
from medground.corpus.readers.bookshelf import open_bookshelf
from medground.corpus.readers.detect import detect
from medground.corpus.readers.docx import SUFFIXES as WORD
from medground.corpus.readers.docx import open_docx
from medground.corpus.readers.folders import in_release_order, is_beside_the_point, refused_name, walk
from medground.corpus.readers.html import open_html
from medground.corpus.readers.jats import open_jats
from medground.corpus.readers.libraries import open_endnote, open_zotero
from medground.corpus.readers.lines import open_csl, open_jsonlines
from medground.corpus.readers.medline import open_medline
from medground.corpus.readers.pdf.reader import open_book_pdf, open_pdf
from medground.corpus.readers.published import open_guidelines, open_textbooks, open_wikipedia
from medground.corpus.readers.questions import open_bioasq, open_pubmedqa
from medground.corpus.readers.sets import (
    CORPUS_NAMES,
    open_beir,
    open_biomedmcqs,
    open_covidqa,
    open_medquad,
    open_scifact,
)
from medground.corpus.readers.spreadsheet import SUFFIXES as TABLES
from medground.corpus.readers.spreadsheet import open_csv
from medground.corpus.readers.tagged import open_tagged
from medground.corpus.readers.texts import SUFFIXES as TEXTS
from medground.corpus.readers.texts import open_text
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


_XML = (".xml", ".xml.gz", ".nxml", ".nxml.gz")
_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".json", ".json.gz")

READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "pubmedqa": Reader(open_pubmedqa, _LINES),
        "medline": Reader(open_medline, _XML),
        "jats": Reader(open_jats, _XML),
        "bookshelf": Reader(open_bookshelf, _XML),
        "textbooks": Reader(open_textbooks, (*_LINES, ".parquet", ".txt", ".md"), open_textbooks),
        "guidelines": Reader(open_guidelines, (*_LINES, ".parquet")),
        "wikipedia": Reader(open_wikipedia, (*_LINES, ".parquet")),
        "beir": Reader(open_beir),
        "scifact": Reader(open_scifact),
        "jsonlines": Reader(open_jsonlines, _LINES),
        "pdf": Reader(open_pdf, (".pdf",)),
        "book-pdf": Reader(open_book_pdf, (".pdf", ".pdf.gz")),
        "nbib": Reader(partial(open_tagged, form="nbib"), (".nbib", ".txt")),
        "ris": Reader(partial(open_tagged, form="ris"), (".ris", ".txt")),
        "enw": Reader(partial(open_tagged, form="enw"), (".enw",)),
        "wos": Reader(partial(open_tagged, form="wos"), (".txt", ".ciw")),
        "cochrane": Reader(partial(open_tagged, form="cochrane"), (".txt",)),
        "ovid": Reader(partial(open_tagged, form="ovid"), (".txt",)),
        "bibtex": Reader(open_bibtex, (".bib", ".bibtex")),
        "csv": Reader(open_csv, (*TABLES, ".txt", *(f"{suffix}.gz" for suffix in TABLES))),
        "csl-json": Reader(open_csl, (".json", ".json.gz")),
        "endnote": Reader(open_endnote, _XML),
        "zotero": Reader(open_zotero, (".rdf",)),
        "html": Reader(open_html, (".html", ".htm", ".xhtml"), open_html),
        "docx": Reader(open_docx, WORD, open_docx),
        "medquad": Reader(open_medquad, (*_XML, *_LINES)),
        "covidqa": Reader(open_covidqa, _LINES),
        "biomedmcqs": Reader(open_biomedmcqs, _LINES),
        "bioasq": Reader(open_bioasq),
        "texts": Reader(open_text, TEXTS, open_text),
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
    """The input of one file, found in `folder`. One that no reader accepts says so when it is read.

    Args:
        path: the file.
        folder: where it was found; None if the user named it.
        reader: the name of its reader; None detects it.
        beside: the readers of the other files of its folder. A PDF among textbooks is read as a textbook.
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
    name = refusal.file
    try:
        state = fingerprint(Path(name))
    except BadDocument:
        state = ""
    where = None if folder is None else str(folder)
    return Input(name, PASSED_OVER, state, lambda skip: iter([refusal][skip:]), folder=where, refused=refusal)


def _inputs(path: Path, reader: str | None) -> Iterator[Input]:
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder")
    if path.is_file():
        yield open_file(path, None, reader)
    elif path.is_dir():
        yield from _folder(path, reader)
    else:
        yield passed_over(BadDocument("not a file or a folder", file=str(path)))


def _folder(folder: Path, reader: str | None) -> Iterator[Input]:
    if reader is not None and not READERS[reader].suffixes:
        yield READERS[reader].open(folder)
        return
    for path, refusal in survey(folder, reader):
        yield passed_over(refusal, folder) if refusal is not None else open_file(path, folder, reader)


def survey(folder: Path, reader: str | None = None) -> Iterator[tuple[Path, BadDocument | None]]:
    """Every file of a folder in the order of reading, and why it is passed over without looking into it, or None."""
    corpus = next((folder / name for name in CORPUS_NAMES if (folder / name).is_file()), None) if not reader else None
    for found in walk(folder):
        if isinstance(found, BadDocument):
            yield Path(found.file), found
        elif corpus is not None and found != corpus:
            yield found, BadDocument(f"beside {corpus.name}, which is the whole corpus", file=str(found))
        elif reader is None or found.name.lower().endswith(READERS[reader].suffixes):
            yield found, None
        else:
            suffixes = ", ".join(READERS[reader].suffixes)
            yield found, BadDocument(f"the reader {reader} takes {suffixes} files", file=str(found))
