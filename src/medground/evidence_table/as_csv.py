"""A table for a spreadsheet. No text of a study becomes a formula there."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from medground.evidence_table.values import Cell, EvidenceTable, Row
from medground.text.clean import clean

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""With these a spreadsheet begins a formula, in ASCII or in full width."""
_FIXED = ("document", "title", "year", "journal", "design", "retraction", "stance", "verdicts", "quotes", "places")


def as_csv(table: EvidenceTable) -> bytes:
    """The table as CSV in UTF-8 with a byte order mark, which spreadsheets need to read it as UTF-8.

    Each column of the reader's own is followed by one with the places of its quotes, `PMID:1#120-180`.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    own = [name for column in table.columns for name in (column, f"{column} (place)")]
    writer.writerow([safe(name) for name in (*_FIXED, *own)])
    for row in table.rows:
        writer.writerow([safe(value) for value in (*_values(row), *_own(row))])
    return text.getvalue().encode("utf-8-sig")


def safe(value: str) -> str:
    """A value that no spreadsheet takes for a formula: an apostrophe comes before one that begins like it."""
    line = " ".join(clean(value).split())
    return f"'{line}" if line.startswith(_FORMULA) else line


def _values(row: Row) -> Iterator[str]:
    yield row.document_id
    yield row.title
    yield str(row.year or "")
    yield row.journal or ""
    yield row.design
    yield row.retraction_words
    yield "not judged" if row.stance == "unknown" else row.stance
    yield " | ".join(dict.fromkeys(verdict.words for verdict in row.verdicts))
    yield " | ".join(quote.quote for quote in row.quotes)
    yield " | ".join(f"{row.document_id}#{quote.start}-{quote.end}" for quote in row.quotes)


def _own(row: Row) -> Iterator[str]:
    for cell in row.cells:
        yield in_words(cell)
        yield f"{cell.document_id}#{cell.start}-{cell.end}" if cell.state == "quoted" else ""


def in_words(cell: Cell) -> str:
    """A cell as text: its quote, or why there is none."""
    if cell.state == "quoted":
        return cell.quote
    return f"failed: {cell.reason}" if cell.state == "failed" else "not reported"
