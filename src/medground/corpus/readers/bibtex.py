"""BibTeX, by bibtexparser: macros (`@string`), LaTeX accents, months by name. A broken entry is named with its line."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import Input, Item
from medground.corpus.readers.decode import decoded
from medground.corpus.readers.entry import described
from medground.corpus.readers.files import file_input, whole
from medground.document import Document
from medground.errors import BadDocument

BIBTEX = re.compile(r"^\s*@(?:string|comment|preamble|\w+\s*\{\s*[^\s{},\"]*\s*,)", re.IGNORECASE | re.MULTILINE)

_BOOKS = frozenset(["book", "inbook", "incollection", "booklet", "manual", "collection", "reference"])
_PIECE = re.compile(r'"(?P<quoted>(?:[^"\\]|\\.)*)"|\{(?P<braced>[^{}]*)\}|(?P<name>[^\s#"{}]+)')
_BRACES = re.compile(r"[{}]")
_TYPES = {"article": "Journal Article", "review": "Review"}
_RENAMED = {"number": "issue", "booktitle": "book_title", "journaltitle": "journal", "fjournal": "journal"}
_LEFT_OUT = ("month", "day", "archiveprefix", "eprinttype", "file", "owner", "timestamp", "bdsk-file-1", "langid")


def open_bibtex(path: Path) -> Input:
    """One BibTeX or BibLaTeX file."""
    return file_input(path, "bibtex", read_bibtex)


def read_bibtex(path: Path) -> Iterator[Item]:
    """The entries of a file, then the broken ones; the position of a broken one is its line.

    Raises:
        BadDocument: the file is not text.
    """
    from bibtexparser import middlewares
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.model import DuplicateBlockKeyBlock, Entry

    try:
        text = decoded(whole(path))
    except ValueError as error:
        raise BadDocument(str(error), file=str(path)) from error
    logging.getLogger("bibtexparser").setLevel(logging.ERROR)  # what it warns of is told by the items
    library = parse_string(text, append_middleware=[middlewares.LatexDecodingMiddleware()])
    macros = {string.key.casefold(): str(string.value) for string in library.strings}
    repeated = [block for block in library.failed_blocks if isinstance(block, DuplicateBlockKeyBlock)]
    again = [block.ignore_error_block for block in repeated if isinstance(block.ignore_error_block, Entry)]
    for entry in [*library.entries, *again]:
        fields = {field.key.casefold(): _joined(str(field.value), macros) for field in entry.fields}
        try:
            yield entry_document(entry.entry_type.casefold(), entry.key, fields)
        except ValueError as error:
            yield BadDocument(f"{entry.key}: {error}", file=str(path), position=(entry.start_line or 0) + 1)
    for block in library.failed_blocks:
        if not isinstance(block, DuplicateBlockKeyBlock):
            reason = f"a broken entry ({' '.join((block.raw or '').split())[:60]}); close its braces and quotes"
            yield BadDocument(reason, file=str(path), position=(block.start_line or 0) + 1)


def entry_document(kind: str, key: str, fields: Mapping[str, str]) -> Document:
    """The document of an entry, its fields by their BibTeX names in lower case.

    Raises:
        ValueError: there is neither title nor abstract.
    """
    known: dict[str, Any] = {}
    for name, value in fields.items():
        if name not in _LEFT_OUT:
            plain = " ".join(_BRACES.sub("", value).split())
            known.setdefault(_RENAMED.get(name, name), plain)
    if "book_title" in known and "journal" not in known:
        known["journal"] = known.pop("book_title")
    date = known.get("date") or " ".join(part for part in (fields.get("month"), fields.get("year")) if part)
    eprint = known.get("eprint", "")
    if "pubmed" in fields.get("eprinttype", "").casefold() or "pubmed" in fields.get("archiveprefix", "").casefold():
        known["pmid"] = eprint
    known |= {"date": date, "citation_key": key, "kind": "book" if kind in _BOOKS else known.get("kind", "research")}
    if "note" in known and (found := re.search(r"PMID:?\s*(\d+)", known["note"])):
        known.setdefault("pmid", found[1])
    if kind in _TYPES and "publication_types" not in known:
        known["publication_types"] = [_TYPES[kind]]
    known["entry_type"] = kind
    known["authors"] = _authors(fields.get("author", ""))
    known.pop("author", None)
    return described(known)


def _authors(value: str) -> list[str]:
    """`Family Given` of each; a group in braces stays as it is, and `First von Last` is turned around."""
    names = []
    for name in re.split(r"\s+and\s+", " ".join(value.split())):
        plain = _BRACES.sub("", name).strip()
        if not plain or plain == "others":
            continue
        if "," not in plain and not name.startswith("{") and " " in plain:
            given, _, family = plain.rpartition(" ")
            plain = f"{family}, {given}"
        names.append(plain)
    return names


def _joined(value: str, macros: Mapping[str, str]) -> str:
    """The parts of `"Part " # name`, joined; bibtexparser leaves them as they are written."""
    if "#" not in value:
        return macros.get(value.casefold(), value)
    pieces = list(_PIECE.finditer(value))
    if _PIECE.sub("", value).replace("#", "").strip() or len(pieces) != value.count("#") + 1:
        return value  # a number sign in the text itself
    return "".join(
        macros.get(name.casefold(), name) if (name := found["name"]) else found["quoted"] or found["braced"] or ""
        for found in pieces
    )
