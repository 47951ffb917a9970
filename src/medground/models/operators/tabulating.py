"""Tabulating: which sentence of a study reports what a column of an evidence table asks for, if any does."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from medground.language import words
from medground.language.prose import is_prose
from medground.language.words import spelled_out
from medground.models.operators.base import (
    InvalidOutput,
    Operator,
    OperatorInput,
    OperatorOutput,
    Untrusted,
    only_known,
)
from medground.models.operators.reading import DATA_RULE
from medground.models.operators.table_columns import ReadSentence, Rule, rule_for

_WINDOW = 8
"""Stems within which all words of a column must stand: further apart, they are about different things."""


def reporting_sentence(column: str, sentences: Sequence[tuple[str, str]]) -> int | None:
    """The number of the sentence, from 0; None if none reports it.

    Args:
        column: the name of a column, in the reader's words.
        sentences: text and heading of each sentence of the study, in order; empty headings where there are none.
    """
    rule = rule_for(column) or _rule_by_words(column)
    if rule is None:
        return None
    last = max(len(sentences) - 1, 1)
    read = [ReadSentence(text, heading, n / last) for n, (text, heading) in enumerate(sentences)]
    scored = [(rule(one), -n) for n, one in enumerate(read) if is_prose(one.text) or one.quantities]
    best = max(scored, default=(0.0, 0))
    return -best[1] if best[0] > 0 else None


def _rule_by_words(column: str) -> Rule | None:
    """The rule for a column of any name: all its words close together, in a sentence that reports a result."""
    wanted = frozenset(words.terms(column))
    if not wanted:
        return None

    def rule(one: ReadSentence) -> float:
        if not one.reports:
            return 0.0
        held = words.terms(spelled_out(one.text, column))
        if words.densest(wanted, held, _WINDOW, least=len(wanted)) < 1.0:
            return 0.0
        counted = any(not q.measure for q in one.quantities)
        return 1.0 + 0.6 * counted + 0.4 * bool({"results", "conclusion"} & one.parts) - 0.1 * one.at

    return rule


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
    cells = []
    for column in value.columns:
        at = reporting_sentence(column.name, sentences)
        cells.append(Filled(column=column.id, sentence=NOT_REPORTED if at is None else value.sentences[at].id))
    return TabulateOutput(cells=tuple(cells))


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
