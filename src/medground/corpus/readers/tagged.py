"""Records of tagged lines: PubMed's `.nbib`, RIS, EndNote's `.enw`, and what search services print as text.

Latin-1 files are read as well as UTF-8, and lines of an exporter before the first record are skipped.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from medground.corpus.readers.base import Input, Item, Retracts
from medground.corpus.readers.databases import cochrane_document, ovid_document, wos_document
from medground.corpus.readers.decode import decoded
from medground.corpus.readers.enw import enw_document
from medground.corpus.readers.files import file_input, whole
from medground.corpus.readers.nbib import nbib_document, retracted_by
from medground.corpus.readers.ris import ris_document
from medground.document import Document
from medground.errors import BadDocument

_STARTS = {
    "nbib": re.compile(r"^PMID *- ", re.MULTILINE),
    "ris": re.compile(r"^[ \t]*TY  ?- ?", re.MULTILINE),
    "enw": re.compile(r"^%0 ", re.MULTILINE),
    "wos": re.compile(r"^PT [A-Z]$", re.MULTILINE),
    "cochrane": re.compile(r"^Record #\d+ of \d+$", re.MULTILINE),
    "ovid": re.compile(r"^VN  - Ovid ", re.MULTILINE),
}
_PREFACE = {
    "ris": re.compile(r"(?:[^\n]{0,200}\n){1,12}?TY  - [A-Z]{3,}\s*\n[A-Z][A-Z0-9]  - "),
    "wos": re.compile(r"FN .*\n(?:VR .*\n)?PT [A-Z]\n"),
}
"""What exporters write before the first record: their name, a date, a line of dashes."""
_DOCUMENT: dict[str, Callable[[str], Document]] = {
    "nbib": nbib_document,
    "ris": ris_document,
    "enw": enw_document,
    "wos": wos_document,
    "cochrane": cochrane_document,
    "ovid": ovid_document,
}


def tagged_format(start: str) -> str | None:
    """Which format the start of a file is in: its first line that is not blank begins a record, or an export."""
    first = start.lstrip("\ufeff \t\r\n").replace("\r\n", "\n")
    begun = (name for starts in (_STARTS, _PREFACE) for name, begins in starts.items() if begins.match(first))
    return next(begun, None)


def open_nbib(path: Path) -> Input:
    """One file of PubMed's MEDLINE format, as `Save > PubMed` and `Cite > .nbib` give it."""
    return file_input(path, "nbib", partial(_read, form="nbib"))


def open_ris(path: Path) -> Input:
    """One RIS file, as EndNote, Zotero, Embase and publishers export it."""
    return file_input(path, "ris", partial(_read, form="ris"))


def open_enw(path: Path) -> Input:
    """One file of EndNote's tagged format."""
    return file_input(path, "enw", partial(_read, form="enw"))


def open_wos(path: Path) -> Input:
    """One plain text file of Web of Science (`savedrecs.txt`)."""
    return file_input(path, "wos", partial(_read, form="wos"))


def open_cochrane(path: Path) -> Input:
    """One plain text file of the Cochrane Library."""
    return file_input(path, "cochrane", partial(_read, form="cochrane"))


def open_ovid(path: Path) -> Input:
    """One text file of Ovid, tagged as in Medlars."""
    return file_input(path, "ovid", partial(_read, form="ovid"))


def _read(path: Path, form: str) -> Iterator[Item]:
    """The records of a file; the position of a bad one is the line on which it begins."""
    try:
        text = decoded(whole(path))
    except ValueError as error:
        raise BadDocument(str(error), file=str(path)) from error
    text = io.StringIO(text, newline=None).read().lstrip("\ufeff")
    starts = [found.start() for found in _STARTS[form].finditer(text)]
    if not starts:
        raise BadDocument(f"no record of {form} is in the file", file=str(path))
    line = 1
    for start, end, before in zip(starts, [*starts[1:], len(text)], [0, *starts], strict=False):
        line += text.count("\n", before, start)
        record = text[start:end]
        try:
            yield _DOCUMENT[form](record)
        except ValueError as error:
            yield BadDocument(str(error), file=str(path), position=line)
            continue
        if form == "nbib" and (ids := retracted_by(record)):
            yield Retracts(ids)
