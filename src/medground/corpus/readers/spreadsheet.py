"""CSV and TSV: a row per paper, with a header that names its columns; or a row per field.

Reads what Zotero, PubMed, Scopus, Web of Science and Embase export, and tables of one's own: columns that are not known
become metadata.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path

from medground.corpus.readers.base import Item
from medground.corpus.readers.compose import text_of
from medground.corpus.readers.entry import canonical, described
from medground.corpus.readers.lines import made, tried
from medground.corpus.readers.services import service_document
from medground.errors import BadDocument
from medground.values.document import Document

SUFFIXES = (".csv", ".tsv", ".tab")
WOS = re.compile(r"\ufeff?PT\t(?:[A-Z][A-Z0-9]\t){8}")
"""The header of a table of Web of Science, which names it `.txt`."""

_TOLD = re.compile(r"(?i)\ufeff?\"?sep=(\\t|[^\r\n])\"?\r?\n")
"""The first line in which Excel tells the delimiter."""
_DELIMITERS = ",;\t|"
_SAMPLE = 30
"""Rows that show whether each has a paper or a field."""
_TITLE_ROWS = 10
"""Rows above the header at most: what an export says of itself."""
_LONGEST_FIELD = 20_000_000
_TITLE_OR_TEXT = frozenset(["title", "text", "abstract"])
_NAMED = _TITLE_OR_TEXT | {"authors", "year", "date", "journal", "doi", "pmid", "pmc", "url", "keywords", "id"}
_DOI = re.compile(r"(?i)(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?10\.\d{4,9}/\S+")
_KEY = "key"
_OF_WOS = {
    "so": "journal", "la": "language", "dt": "publication_types", "de": "keywords", "id": "keywords_plus",
    "vl": "volume", "is": "issue", "pd": "published_in", "ut": "unique_id", "sn": "issn", "pu": "publisher",
}  # fmt: skip


def read_csv(path: Path) -> Iterator[Item]:
    """The rows of a table; the position of a bad one is its line."""
    yield from table_items(_rows(text_of(path), path), path)


def table_items(rows: Iterator[tuple[int, list[str]]], path: Path) -> Iterator[Item]:
    """The records of the rows of a table, each with its number, below the first row that names columns.

    Raises BadDocument: none does.
    """
    first = list(islice(rows, _SAMPLE))
    if not first:
        raise BadDocument("the table has no rows", file=path)
    if len(_NAMED & {canonical(row[0].lstrip("\ufeff")) for _, row in first}) > 2:
        yield from tried((_document(*record, path) for record in _upright(chain(first, rows))), path, "rows")
        return
    headers = ((at, _header(row)) for at, (_, row) in enumerate(first[:_TITLE_ROWS]))
    begun, header = next(((at, header) for at, header in headers if header), (0, None))
    if header is None:
        named = "name the columns in the first line, such as Title, Authors, Year, Abstract, DOI, PMID"
        raise BadDocument(f"no column is a title or a text; {named}", file=path)
    yield from tried(
        (_document(line, zip(header, row, strict=False), path) for line, row in chain(first[begun + 1 :], rows)),
        path,
        "rows",
    )


def _upright(rows: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """The records of a table with a field in each row (`"TITLE","Salt"`), as Embase has it; each begins as the first.

    Each has the line on which it begins, and its names and values.
    """
    begun, record = 0, list[tuple[str, str]]()
    for line, (label, *values) in rows:
        name = canonical(label.lstrip("\ufeff"))
        if not record or name == record[0][0]:
            if record:
                yield begun, record
            begun, record = line, []
        record.append((name, "; ".join(values)))
    yield begun, record


_REGISTERED = {"nct_number", "trialid"}
"""Columns that registers of trials have."""


def _document(line: int, named: Iterable[tuple[str, str]], path: Path) -> Document | BadDocument:
    fields: dict[str, str] = {}
    for name, value in named:
        if name and value.strip():
            fields[name if name not in fields else f"{name}_2"] = value
    read = partial(service_document, service="register-table") if _REGISTERED & fields.keys() else described
    return made(partial(read, fields), path, line)


def is_table(start: str) -> bool:
    """Whether a text begins with a header of columns that are known, and a row below it has as many."""
    mark = _delimiter(start)
    rows = list(islice(csv.reader(io.StringIO(start, newline=""), delimiter=mark), 2))
    header = _header(rows[0]) if len(rows) > 1 and len(rows[0]) == len(rows[1]) else None
    return header is not None and len(_NAMED.intersection(header)) > 2


def _rows(text: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(_LONGEST_FIELD)
    told = _TOLD.match(text)
    mark = told[1] if told else _delimiter(text)
    lines = csv.reader(io.StringIO(text[told.end() :] if told else text, newline=""), delimiter=mark, strict=False)
    begun = 1
    try:
        for row in lines:
            if any(cell.strip() for cell in row):
                yield begun, row
            begun = lines.line_num + 1
    except csv.Error as error:
        raise BadDocument(f"not a table ({error})", file=path, position=lines.line_num) from error


def _delimiter(text: str) -> str:
    """The delimiter with which most of the first rows have the same number of cells, more than one."""
    start = text[: 1 << 18]

    def agreement(mark: str) -> tuple[int, int]:
        try:
            widths = [len(row) for row in islice(csv.reader(io.StringIO(start), delimiter=mark), 20)]
        except csv.Error:
            return 0, 0
        widths = widths[:-1] if len(widths) > 2 else widths  # the last may be cut
        common = max(set(widths), key=widths.count) if widths else 0
        return (widths.count(common), common) if common > 1 else (0, 0)

    return max(_DELIMITERS, key=agreement)


def _header(row: Sequence[str]) -> list[str] | None:
    """The names of the columns, or None if the row is not a header: it names no title, abstract or text."""
    names = [canonical(cell.lstrip("\ufeff")) for cell in row]
    if not _TITLE_OR_TEXT & set(names):
        return None
    cells = [cell for cell in row if cell.strip()]
    if any(_DOI.fullmatch(cell.strip()) or len(cell) > 100 for cell in cells):
        return None
    if {"pt", "ut"} <= set(names):
        names = [_OF_WOS.get(name, name) for name in names]
    return ["" if name == _KEY and "item_type" in names else name for name in names]  # Zotero's own key of an item
