"""Select the reader of a file by its content."""

from __future__ import annotations

import re
from pathlib import Path

from medground.corpus.readers import jats, medline
from medground.corpus.readers.files import head
from medground.corpus.readers.lines import TRIAL, Record, parse
from medground.corpus.readers.pdf.reader import is_pdf
from medground.corpus.readers.texts import SUFFIXES
from medground.corpus.readers.xml import root_name
from medground.errors import BadDocument

_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<|\xff\xfe<\x00|\xfe\xff\x00<")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*[{\[]")
_PUBMEDQA_OBJECT = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"\d+"\s*:\s*\{')


def detect(path: Path) -> str:
    """Name of the reader for a file.

    Raises:
        BadDocument: no reader accepts it: it is empty, binary, in an unknown format, or rejected XML.
    """
    start = head(path)
    if is_pdf(start):
        return "pdf"
    if path.suffix.lower() == ".pdf":
        raise BadDocument("this is not a PDF file, whatever its name; rename it or leave it out", file=str(path))
    text_name = path.suffix.lower() in SUFFIXES
    if _MARKUP.match(start) and not text_name:
        return _xml_reader(path)
    if b"\x00" in start:
        raise BadDocument(
            "this is a binary file; use PDF, XML, JSON Lines, Markdown or text (plain or gzip)", file=str(path)
        )
    if text_name:
        return "texts"
    if _PUBMEDQA_OBJECT.match(start):
        return "pubmedqa"
    if _JSON.match(start) or ".json" in path.name:
        return _json_reader(start, path)
    raise BadDocument("unknown file format; use PDF, XML, JSON Lines, Markdown or text (plain or gzip)", file=str(path))


def _xml_reader(path: Path) -> str:
    root = root_name(path)
    if root in medline.ROOTS:
        return "medline"
    if root in jats.ROOTS:
        return "jats"
    raise BadDocument(f"unknown XML format (<{root}>); use PubMed, MEDLINE or JATS XML", file=str(path))


def _json_reader(start: bytes, path: Path) -> str:
    """By the first line that holds an object. A file without one is rejected by the reader itself."""
    for line in start.splitlines()[:TRIAL]:
        try:
            return _record_reader(parse(line))
        except ValueError:
            continue
    return "jsonlines"


def _record_reader(record: Record) -> str:
    names = {name.lower() for name in record}
    if {"question", "contexts"} <= names:
        return "pubmedqa"
    if "_id" in names:
        return "beir"
    return "scifact" if isinstance(record.get("abstract"), list) else "jsonlines"
