"""What an evidence table holds, the columns that a reader asks for, and the table for a spreadsheet."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Literal, Self

from pydantic import NonNegativeInt, PositiveInt, model_validator

from medground.errors import UsageError
from medground.language.clean import joined
from medground.values.document import Described, DocumentId, Frozen, Retraction, SourceKind
from medground.values.evidence import Stance
from medground.values.statement import Label
from medground.values.usage import UsageReport

MOST_COLUMNS = 10
LONGEST_COLUMN = 200
"""Characters of the name of a column."""

CellState = Literal["quoted", "not reported", "failed"]
"""`not reported`: the text that is stored of this study was read, and no sentence of it says this. `failed`: it could
not be read. Neither is ever a guess."""


class Cell(Described):
    """What a study says of one column: a verbatim quote, `document.text[start:end]`, or why there is none."""

    state: CellState
    document_id: DocumentId
    start: NonNegativeInt | None = None
    end: PositiveInt | None = None
    quote: str = ""
    section: str | None = None
    by: str = ""
    """who chose the sentence: `keyless` or a model; empty if nobody could"""
    reason: str = ""
    """why the cell failed, or what `not reported` rests on"""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        placed = self.start is not None and self.end is not None and self.end - self.start == len(self.quote) > 0
        empty = self.start is None and self.end is None and not self.quote
        if not (placed if self.state == "quoted" else empty):
            raise ValueError(f"a cell that is {self.state!r} does not fit its quote or its offsets")
        if self.state == "failed" and not self.reason:
            raise ValueError("a cell that failed says why")
        return self


class RowQuote(Frozen):
    """A quote of the answer from this study."""

    id: str
    start: int
    end: int
    quote: str
    place: str = ""
    stance: Stance = "unknown"


class RowVerdict(Frozen):
    """The verdict on a sentence of the answer that cites this study."""

    sentence: str
    label: Label
    words: str


class Row(Described):
    """A study that the answer quotes. `cells` are in the order of the table's columns."""

    document_id: DocumentId
    title: str
    year: int | None = None
    journal: str | None = None
    design: str = ""
    level: int
    """0 for the strongest design, 7 for the weakest"""
    kind: SourceKind
    retraction: Retraction = "none"
    retraction_words: str = ""
    aside: str = ""
    """why it is not evidence, such as a retraction; empty if it may be"""
    url: str = ""
    quotes: tuple[RowQuote, ...]
    stance: Stance
    """what the model that read the quotes says of them together; `unknown` if none"""
    verdicts: tuple[RowVerdict, ...] = ()
    cells: tuple[Cell, ...] = ()


class DesignCount(Frozen):
    """The studies of one design: what the model that read them says they answer."""

    design: str
    level: int
    studies: int
    supports: int = 0
    contradicts: int = 0
    neither: int = 0
    not_judged: int = 0


class Agreement(Frozen):
    """How many studies support or contradict a yes, by design, the strongest first; retracted ones are not counted."""

    designs: tuple[DesignCount, ...]
    studies: int
    retracted: int = 0
    words: str


class EvidenceTable(Described):
    """The table of one answer. `agreement` is null below five studies."""

    trace_id: str
    question: str
    columns: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    """what the question compares; each may be a column"""
    rows: tuple[Row, ...] = ()
    agreement: Agreement | None = None
    notes: tuple[str, ...] = ()
    usage: UsageReport = UsageReport()


def checked_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """The names without white space around and inside them.

    Raises UsageError: there are too many, or one is empty, too long or named twice.
    """
    names = tuple(joined(column) for column in columns)
    if len(names) > MOST_COLUMNS:
        raise UsageError(f"a table has at most {MOST_COLUMNS} columns of your own, not {len(names)}; leave some out")
    for name in names:
        if not name:
            raise UsageError("a column has no name; name it, or leave it out")
        if len(name) > LONGEST_COLUMN:
            raise UsageError(f"the name of a column is longer than {LONGEST_COLUMN} characters; shorten it")
        if sum(other.casefold() == name.casefold() for other in names) > 1:
            raise UsageError(f"the column {name!r} is there twice; name each once")
    return names


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
        writer.writerow([safe(value) for value in _values(row)])
    return text.getvalue().encode("utf-8-sig")


def safe(value: str) -> str:
    """A value that no spreadsheet takes for a formula: an apostrophe comes before one that begins like it."""
    line = joined(value)
    return f"'{line}" if line.startswith(_FORMULA) else line


def _values(row: Row) -> Iterator[str]:
    yield from (row.document_id, row.title, str(row.year or ""), row.journal or "", row.design, row.retraction_words)
    yield "not judged" if row.stance == "unknown" else row.stance
    yield " | ".join(dict.fromkeys(verdict.words for verdict in row.verdicts))
    yield " | ".join(quote.quote for quote in row.quotes)
    yield " | ".join(f"{row.document_id}#{quote.start}-{quote.end}" for quote in row.quotes)
    for cell in row.cells:
        yield in_words(cell)
        yield f"{cell.document_id}#{cell.start}-{cell.end}" if cell.state == "quoted" else ""


def in_words(cell: Cell) -> str:
    """A cell as text: its quote, or why there is none."""
    if cell.state == "quoted":
        return cell.quote
    return f"failed: {cell.reason}" if cell.state == "failed" else "not reported"
