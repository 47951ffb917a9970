"""What an evidence table holds: a row for each study, a cell for each column, and how far the studies agree."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from medground.answer import Label
from medground.document import DocumentId, Frozen, Retraction, SourceKind
from medground.evidence import Stance
from medground.usage import UsageReport

MOST_COLUMNS = 10
LONGEST_COLUMN = 200
"""Characters of the name of a column."""

CellState = Literal["quoted", "not reported", "failed"]
"""`not reported`: the text that is stored of this study was read, and no sentence of it says this. `failed`: it could
not be read. Neither is ever a guess."""


class Cell(Frozen):
    """What a study says of one column: a verbatim quote, `document.text[start:end]`, or why there is none."""

    state: CellState
    document_id: DocumentId
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, gt=0)
    quote: str = ""
    section: str | None = None
    by: str = Field(default="", description="who chose the sentence: `keyless` or a model; empty if nobody could")
    reason: str = Field(default="", description="why the cell failed, or what `not reported` rests on")

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


class Row(Frozen):
    """A study that the answer quotes. `cells` are in the order of the table's columns."""

    document_id: DocumentId
    title: str
    year: int | None = None
    journal: str | None = None
    design: str = ""
    level: int = Field(description="0 for the strongest design, 7 for the weakest")
    kind: SourceKind
    retraction: Retraction = "none"
    retraction_words: str = ""
    aside: str = Field(default="", description="why it is no evidence, such as a retraction; empty if it may be")
    url: str = ""
    quotes: tuple[RowQuote, ...]
    stance: Stance = Field(description="what the model that read the quotes says of them together; `unknown` if none")
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


class EvidenceTable(Frozen):
    """The table of one answer. `agreement` is null below five studies."""

    trace_id: str
    question: str
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    agreement: Agreement | None = None
    notes: tuple[str, ...] = ()
    usage: UsageReport = UsageReport()
