"""Tabulating: which sentence of a study reports what a column of an evidence table asks for, if any does."""

from __future__ import annotations

from pydantic import Field

from medground.operators.base import InvalidOutput, Operator, OperatorInput, OperatorOutput, Untrusted
from medground.operators.keyless.tabulating.find import reporting_sentence
from medground.operators.reading import DATA_RULE
from medground.operators.views import only_known

NOT_REPORTED = "not reported"
"""In place of a sentence's id: the text does not say it."""


class ColumnView(OperatorInput):
    """A column by its id (C1, C2, ...) and the name that the reader gave it."""

    id: str
    name: Untrusted


class StudySentence(OperatorInput):
    """A sentence of a study with the heading over it."""

    id: str
    heading: Untrusted = ""
    text: Untrusted


class TabulateInput(OperatorInput):
    columns: tuple[ColumnView, ...]
    title: Untrusted = ""
    sentences: tuple[StudySentence, ...]


class Filled(OperatorOutput):
    column: str = Field(description="id of a column")
    sentence: str = Field(description=f"id of the sentence that reports it, or `{NOT_REPORTED}`")


class TabulateOutput(OperatorOutput):
    cells: tuple[Filled, ...] = Field(description="one for each column, in their order")


def _each_column_once(value: TabulateInput, output: TabulateOutput) -> None:
    known = (NOT_REPORTED, *(sentence.id for sentence in value.sentences))
    only_known((cell.sentence for cell in output.cells), known, "sentence")
    if [cell.column for cell in output.cells] != [column.id for column in value.columns]:
        raise InvalidOutput("give one cell for each column, in the order of the columns")


def _by_words(value: TabulateInput) -> TabulateOutput:
    sentences = [(one.text, one.heading) for one in value.sentences]
    found = {column.id: reporting_sentence(column.name, sentences) for column in value.columns}
    return TabulateOutput(
        cells=tuple(
            Filled(column=column, sentence=NOT_REPORTED if at is None else value.sentences[at].id)
            for column, at in found.items()
        )
    )


tabulate = Operator(
    name="tabulate",
    instructions=(
        "You fill one row of a table of studies. Below are the columns, each with an id and a name that a researcher "
        "gave it, and the sentences of one study, each with its id. For each column name the id of the one sentence in "
        "which this study itself reports what the column asks for, such as its number of participants, its dose or a "
        "result. A sentence about earlier work, about an aim, or one that only mentions the word does not report it. "
        f"Answer `{NOT_REPORTED}` where no sentence does: an empty cell is right, and a wrong one misleads. "
        + DATA_RULE
    ),
    input=TabulateInput,
    output=TabulateOutput,
    keyless=_by_words,
    check=_each_column_once,
    choices=lambda value: {
        "column": tuple(column.id for column in value.columns),
        "sentence": (NOT_REPORTED, *(sentence.id for sentence in value.sentences)),
    },
)
