"""Collections of text as hubs publish them: textbooks in chunks, clinical guidelines, Wikipedia.

Each is JSON Lines, plain or gzip, or parquet, with the fields that its authors chose. The kind of the documents follows
from the collection.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import Any

from medground.corpus.readers.base import Input, Item, file_input
from medground.corpus.readers.compose import make_document
from medground.corpus.readers.entry import named
from medground.corpus.readers.lines import Record, converted, read_lines, tried
from medground.corpus.readers.texts import headings, open_text
from medground.corpus.readers.values import one_line
from medground.errors import BadDocument
from medground.values.document import Document

# Parquet, as hubs keep large collections: rows are streamed in small batches (extra `parquet`).

SUFFIX = ".parquet"
SIGNATURE = b"PAR1"

_ROWS = 256
_NEEDS = 'a parquet file needs the extra "parquet"; run: pip install "medground[parquet]"'


def columns_of(path: Path) -> list[str]:
    """The names of a file's columns.

    Raises:
        BadDocument: the file is damaged, or the extra is not installed.
    """
    with _opened(path) as file:
        return [str(name) for name in file.schema_arrow.names]


def read_parquet(path: Path, convert: Callable[[Record], Document], columns: Sequence[str]) -> Iterator[Item]:
    """One item per row; the position of a bad one is its number, counting from 1.

    Args:
        path: the file.
        convert: makes a document of a row, or raises ValueError for one that it cannot use.
        columns: those that are read, as far as the file has them.

    Raises:
        BadDocument: the first rows, or all of them, cannot be used, the file is damaged, or the extra is not installed.
    """
    yield from tried(_items(path, convert, columns), path, "rows")


def _items(
    path: Path, convert: Callable[[Record], Document], columns: Sequence[str]
) -> Iterator[Document | BadDocument]:
    with _opened(path) as file:
        wanted = [name for name in file.schema_arrow.names if name in columns]
        # One group of rows after the other: for all of them at once, pyarrow holds what it has read of the file.
        groups = range(file.num_row_groups)
        batches = (b for g in groups for b in file.iter_batches(batch_size=_ROWS, row_groups=[g], columns=wanted))
        number = 0
        while (rows := _next(batches, path)) is not None:
            for row in rows:
                number += 1
                yield converted(lambda row=row: row, convert, path, number)  # type: ignore[misc]


def _next(batches: Iterator[Any], path: Path) -> list[Record] | None:
    """The rows of the next batch; None after the last."""
    try:
        batch = next(batches, None)
        return None if batch is None else batch.to_pylist()
    except (OSError, ValueError) as error:  # pyarrow's own errors are both
        raise BadDocument(_damaged(error), file=str(path)) from error


def _opened(path: Path) -> Any:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise BadDocument(_NEEDS, file=str(path), passing=True) from error
    try:
        return parquet.ParquetFile(path, pre_buffer=False)
    except (OSError, ValueError) as error:
        raise BadDocument(_damaged(error), file=str(path)) from error


def _damaged(error: Exception) -> str:
    reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return f"the parquet file is damaged ({reason[:120]}); copy or download it again"


WIKIPEDIA_LICENSE = "CC BY-SA and GFDL"

_WIKIPEDIA = re.compile(r"https?://[a-z-]+\.(?:m\.)?wikipedia\.org/")
_LONGEST_TITLE = 120
_PUBLISHERS = {
    "cco": "Cancer Care Ontario",
    "cdc": "Centers for Disease Control and Prevention",
    "cma": "Canadian Medical Association",
    "cps": "Canadian Paediatric Society",
    "icrc": "International Committee of the Red Cross",
    "idsa": "Infectious Diseases Society of America",
    "nice": "National Institute for Health and Care Excellence",
    "rch": "Royal Children's Hospital Melbourne",
    "spor": "Strategy for Patient-Oriented Research",
    "who": "World Health Organization",
}
"""Whom the collection's short names of sources mean; others are kept as they are."""

Convert = Callable[[Record], Document]


def collection_of(record: Mapping[str, Any]) -> str | None:
    """The reader of a collection whose records look like this one, or None."""
    names = {str(name).lower() for name in record}
    if {"clean_text", "source", "title"} <= names:
        return "guidelines"
    if names == {"id", "title", "content", "contents"}:  # with a PMID beside them they are chunks of PubMed
        return "textbooks"
    if names == {"id", "url", "title", "text"} and _WIKIPEDIA.match(str(record.get("url") or "")):
        return "wikipedia"
    return None


def collection_of_columns(names: Iterator[str] | list[str]) -> str | None:
    """The reader of a parquet file with these columns, or None."""
    found = {name.lower() for name in names}
    if found == {"id", "url", "title", "text"}:
        return "wikipedia"
    return collection_of(dict.fromkeys(found, ""))


def open_textbooks(path: Path, folder: Path | None = None) -> Input:
    """One file of chunks of textbooks (`id`, `title`, `content`), or one plain text as a chapter."""
    if path.name.lower().endswith((".txt", ".md")):
        return open_text(path, folder)
    chunks = partial(read_collection, convert=textbook_document, columns=("id", "title", "content"))
    return file_input(path, "textbooks", chunks)


def read_collection(path: Path, convert: Convert, columns: tuple[str, ...]) -> Iterator[Item]:
    """One file of a collection, in JSON Lines or, with these columns, in parquet.

    Raises:
        BadDocument: as `read_lines` and `read_parquet`.
    """
    if path.name.lower().endswith(SUFFIX):
        return read_parquet(path, convert, columns)
    return read_lines(path, convert)


def open_wikipedia(path: Path) -> Input:
    """One file of Wikipedia's articles (`id`, `url`, `title`, `text`)."""
    articles = partial(read_collection, convert=wikipedia_document, columns=("id", "url", "title", "text"))
    return replace(file_input(path, "wikipedia", articles), license=WIKIPEDIA_LICENSE)


def textbook_document(record: Mapping[str, Any]) -> Document:
    """A chunk of a textbook.

    Raises:
        ValueError: there is no id or no content.
    """
    content = _text(record, "content")
    title = one_line(record.get("title") or "")
    return make_document({"id": _id("TEXTBOOK", record), "title": title, "text": content, "kind": "book"})


def guideline_document(record: Mapping[str, Any]) -> Document:
    """A guideline: its clean text with a section for each heading. One without a title is named by its first line.

    Raises:
        ValueError: there is no id or no clean text.
    """
    text = _text(record, "clean_text").replace("\r\n", "\n").replace("\r", "\n")
    sections = headings(text)
    source = one_line(record.get("source") or "")
    title = one_line(record.get("title") or "") or (sections[0].label if sections else _first_line(text))
    return make_document(
        {
            "id": _id(f"GUIDELINE:{source}" if source else "GUIDELINE", record),
            "title": title,
            "text": text,
            "sections": sections,
            "kind": "guideline",
            "journal": _PUBLISHERS.get(source.lower(), source) or None,
            "url": one_line(record.get("url") or "") or None,
            "publication_types": ("Practice Guideline",),
        }
    )


def wikipedia_document(record: Mapping[str, Any]) -> Document:
    """An article.

    Raises:
        ValueError: there is no id or no text.
    """
    return make_document(
        {
            "id": _id("WIKI", record),
            "title": one_line(record.get("title") or ""),
            "text": _text(record, "text"),
            "kind": "wiki",
            "journal": "Wikipedia",
            "url": one_line(record.get("url") or "") or None,
            "license": WIKIPEDIA_LICENSE,
        }
    )


def _id(prefix: str, record: Mapping[str, Any]) -> str:
    given = record.get("id")
    if not isinstance(given, str | int) or not (own := str(given).strip()):
        raise ValueError("id: the field is missing")
    kind, _, rest = prefix.partition(":")
    return named(kind, f"{rest}:{own}" if rest else own)


def _text(record: Mapping[str, Any], name: str) -> str:
    text = record.get(name)
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{name}: the field is missing or empty")
    return text


def _first_line(text: str) -> str:
    return shorten(next(filter(None, (line.strip() for line in text.splitlines())), ""), _LONGEST_TITLE)
