"""Your own JSON Lines: a `text` or an `abstract`, a `title`, and whatever else you have.

    {"id": "LAB:17", "title": "...", "text": "...", "year": 2024, "kind": "guideline"}
    {"pmid": 21645374, "title": "...", "abstract": "...", "ward": "ICU"}

Any id will do: one without a prefix gets `DOC:`, and a record without one is named by its PMID, DOI or content. A field
that a document does not have is kept as metadata, which can be filtered by. What was made and kept is told in one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import Input, Item, Note
from medground.corpus.readers.entry import described
from medground.corpus.readers.files import file_input
from medground.corpus.readers.lines import read_lines
from medground.document import Document

_SHOWN = 8


def open_jsonlines(path: Path) -> Input:
    """One file of JSON Lines, plain or gzip."""
    return file_input(path, "jsonlines", read_jsonlines)


def read_jsonlines(path: Path) -> Iterator[Item]:
    """The records of a file, then what was made of them.

    Raises:
        BadDocument: none of the first lines can be used, or the file is damaged.
    """
    conversion = Conversion()
    yield from read_lines(path, convert=conversion.convert)
    yield from conversion.notes()


class Conversion:
    """What was made of the records of one file."""

    def __init__(self) -> None:
        self._prefixed = 0
        self._named = 0
        self._kept: dict[str, None] = {}

    def convert(self, record: Mapping[str, Any]) -> Document:
        """`described`, remembered for the note."""
        document = described(record)
        given = record.get("id")
        self._named += document.id.startswith("REF:")
        self._prefixed += given is not None and document.id != str(given).strip()
        self._kept.update(dict.fromkeys(document.metadata))
        return document

    def notes(self) -> Iterator[Note]:
        """One line, if there is something to tell."""
        parts = [f"ids without a prefix ({self._prefixed:,}) were given DOC:"] if self._prefixed else []
        parts += [f"records without an id ({self._named:,}) were named after their content"] if self._named else []
        if self._kept:
            names = ", ".join(list(self._kept)[:_SHOWN])
            more = f" and {len(self._kept) - _SHOWN} more" if len(self._kept) > _SHOWN else ""
            parts.append(f"kept as metadata: {names}{more}")
        if parts:
            yield Note("; ".join(parts))
