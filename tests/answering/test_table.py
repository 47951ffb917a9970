"""The table of an answer: three states of a cell, agreement from five studies on, and a safe CSV."""

import asyncio
import csv
import io
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from rows import each_row, tables
from studies import QUESTION, STUDIES, answered, study

from medground.answering.evidence_table import Cell, EvidenceTable, as_csv, safe
from medground.answering.run import Run
from medground.answering.table_rows import SENTENCES, TABLE, Study, evidence_table
from medground.errors import ModelFailed, SourceUnavailable, UsageError
from medground.models.operators.base import InvalidOutput
from medground.models.operators.tabulating import (
    NOT_REPORTED,
    ColumnView,
    Filled,
    StudySentence,
    TabulateInput,
    TabulateOutput,
    reporting_sentence,
    tabulate,
)
from medground.values.answer import Answer
from medground.values.usage import Usage

TABLES = tables(__file__)

MakeRun = Callable[..., Run]


def table(
    make_run: MakeRun, answer: Answer, columns: Sequence[str], sources: Sequence[Any], **more: Any
) -> EvidenceTable:
    run = make_run(QUESTION, sources, recipe=TABLE, **more)
    return asyncio.run(evidence_table(answer, columns, run))


def test_each_cell_is_a_verbatim_quote_or_not_reported(make_run: MakeRun, memory_source: Any) -> None:
    made = table(make_run, answered(), ["n", "dose"], [memory_source(STUDIES)])
    texts = {one.id: one.text for one in STUDIES}
    cells = [cell for row in made.rows for cell in row.cells]
    assert made.columns == ("n", "dose")
    assert {cell.state for cell in cells} == {"quoted", "not reported"}
    for cell in cells:
        if cell.state == "quoted":
            assert texts[cell.document_id][cell.start : cell.end] == cell.quote
            assert cell.by == "keyless"
    assert [[cell.state for cell in row.cells] for row in made.rows[:2]] == [
        ["quoted", "quoted"],
        ["quoted", "not reported"],
    ]
    assert made.rows[1].cells[1].reason == "read: 3 sentences"


def test_rows_tell_what_the_answer_knows_of_each_study(make_run: MakeRun) -> None:
    made = table(make_run, answered(["supports", "contradicts"]), [], [])
    first, last = made.rows[0], made.rows[-1]
    assert (first.document_id, first.year, first.journal, first.design) == (
        *("PMID:1", 2001, "J Falls"),
        "randomized controlled trial",
    )
    assert first.stance == "supports"
    assert [verdict.label for verdict in first.verdicts] == ["quoted"]
    assert first.url == "https://pubmed.ncbi.nlm.nih.gov/1/"
    assert (last.retraction, last.aside) == ("retracted", "retracted")
    assert last.retraction_words == "RETRACTED: not used as evidence."
    assert made.usage.model_calls == 0


def test_a_study_that_cannot_be_read_fails_and_is_not_unreported(make_run: MakeRun, memory_source: Any) -> None:
    changed = STUDIES[1].model_copy(update={"text": "Another text.", "sections": ()})
    titled = study(3, {"TITLE": "Only a title"}, title="Only a title")
    answer = answered(studies=(STUDIES[0], STUDIES[1], titled, STUDIES[3]))
    made = table(make_run, answer, ["n"], [memory_source([STUDIES[0], changed, titled])])
    told = [(row.cells[0].state, row.cells[0].reason) for row in made.rows]
    assert told[0][0] == "quoted"
    assert told[1] == ("failed", "its text has changed since this answer; ask the question again")
    assert told[2] == ("failed", "only its title is stored")
    assert told[3] == ("failed", "no longer in any of the sources searched")

    class Down(memory_source):  # type: ignore[misc]
        async def fetch(self, ids: Sequence[str]) -> Any:
            raise SourceUnavailable("no route", source=self.name)

    down = [row.cells[0] for row in table(make_run, answered(), ["n"], [Down([])]).rows]
    assert {(cell.state, cell.reason) for cell in down} == {("failed", "a source could not be searched: no route")}


def test_a_model_chooses_sentences_and_its_failure_is_told(
    make_run: MakeRun, memory_source: Any, scripted_model: Any
) -> None:
    def reply(value: TabulateInput) -> Any:
        if "study 2" in value.title:
            return ModelFailed("no usable output", model="scripted:model", usage=Usage(model_calls=1))
        last = value.sentences[-1].id
        return TabulateOutput(cells=(Filled(column="C1", sentence=NOT_REPORTED), Filled(column="C2", sentence=last)))

    model = scripted_model(
        {"tabulate": reply}, usage=Usage(input_tokens=10, output_tokens=5, model_calls=1, price=Decimal("0.01"))
    )
    made = table(make_run, answered(), ["n", "what"], [memory_source(STUDIES)], model=model, by_model=["tabulate"])
    assert [cell.state for cell in made.rows[0].cells] == ["not reported", "quoted"]
    assert made.rows[0].cells[1].quote == "No adverse events occurred."
    assert made.rows[0].cells[1].by == "scripted:model"
    assert [cell.state for cell in made.rows[1].cells] == ["failed", "failed"]
    assert "no usable output" in made.rows[1].cells[0].reason
    assert (made.usage.model_calls, made.usage.price) == (6, Decimal("0.05"))


def test_a_long_study_is_read_in_parts_until_its_columns_are_filled(
    make_run: MakeRun, memory_source: Any, scripted_model: Any
) -> None:
    text = " ".join(f"Sentence number {n} says nothing at all." for n in range(SENTENCES + 20))
    paper = study(9, {"RESULTS": text})

    def reply(value: TabulateInput) -> TabulateOutput:
        there = value.sentences[0].id != "S1"
        found = value.sentences[3].id if there else NOT_REPORTED
        return TabulateOutput(cells=tuple(Filled(column=one.id, sentence=found) for one in value.columns))

    model = scripted_model({"tabulate": reply})
    made = table(
        make_run, answered(studies=(paper,)), ["n"], [memory_source([paper])], model=model, by_model=["tabulate"]
    )
    assert [len(value.sentences) for _, value in model.seen] == [SENTENCES, 20]
    assert made.rows[0].cells[0].quote == f"Sentence number {SENTENCES + 3} says nothing at all."


@each_row(
    ("columns", "what"),
    [
        ([f"c{n}" for n in range(11)], "at most 10"),
        (["n", " "], "no name"),
        (["x" * 201], "longer than 200"),
        (["Dose", "dose"], "twice"),
    ],
)
def test_columns_that_cannot_be_used_are_refused(make_run: MakeRun, columns: list[str], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        table(make_run, answered(), columns, [])


def test_agreement_is_shown_from_five_studies_on_and_leaves_out_the_retracted(make_run: MakeRun) -> None:
    few = table(make_run, answered(["supports"] * 4, STUDIES[:4]), [], [])
    assert few.agreement is None
    made = table(make_run, answered(["supports", "contradicts", "mixed", "supports"]), [], []).agreement
    assert made is not None
    assert (made.studies, made.retracted) == (5, 1)
    assert [(one.design, one.supports, one.contradicts, one.neither, one.not_judged) for one in made.designs] == [
        ("meta-analysis", 1, 0, 0, 0),
        ("randomized controlled trial", 1, 0, 0, 0),
        ("observational study", 0, 1, 0, 0),
        ("case reports", 0, 0, 1, 0),
        ("letter", 0, 0, 0, 1),
    ]
    assert made.words == (
        "Of 5 studies, 2 support a yes, 1 contradicts it, 1 does neither, and 1 was not judged, as read by "
        "openai:gpt-5; no validated judge has checked these stances. 1 retracted study is not counted."
    )
    unread = table(make_run, answered(), [], []).agreement
    assert unread is not None
    assert sum(one.not_judged for one in unread.designs) == 5
    assert unread.words.startswith("None of the 5 studies was judged for or against: no model read them.")


def test_the_csv_has_a_place_for_each_quote(make_run: MakeRun, memory_source: Any) -> None:
    made = table(make_run, answered(), ["n", "dose"], [memory_source(STUDIES[:2])])
    content = as_csv(made)
    assert content.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    cell = made.rows[0].cells[0]
    assert rows[0]["n"] == cell.quote
    assert rows[0]["n (place)"] == f"PMID:1#{cell.start}-{cell.end}"
    assert rows[1]["dose"] == "not reported"
    assert rows[2]["dose"].startswith("failed: ")
    assert rows[5]["retraction"] == "RETRACTED: not used as evidence."
    assert {row["stance"] for row in rows} == {"not judged"}


@given(st.sampled_from(["", "=", "+", "-", "@", "\t=", " =", "＝", '\u202e=cmd|"/c calc"!A1']), st.text(max_size=60))
def test_no_text_becomes_a_formula(begin: str, text: str) -> None:
    assert not safe(begin + text).startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))


@each_row(
    "fields",
    [
        {"state": "quoted", "start": 0, "end": 5, "quote": "four"},
        {"state": "not reported", "start": 0, "end": 4, "quote": "four"},
        {"state": "failed"},
    ],
)
def test_a_cell_that_contradicts_itself_cannot_be_made(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Cell(document_id="PMID:1", **fields)


def quoted(column: str, *sentences: str, heading: str = "") -> str | None:
    found = reporting_sentence(column, [(sentence, heading) for sentence in sentences])
    return None if found is None else sentences[found]


def test_the_dose_is_that_of_the_drug_in_the_title() -> None:
    sentences = ["Patients on aspirin received 350 mg/day.", "All received risedronate 5 mg daily."]
    pairs = [(one, "") for one in sentences]
    found = [reporting_sentence("dose", pairs, title) for title in ("", "Effect of risedronate on knees")]
    assert found == [0, 1]


@each_row(("column", "sentence"), TABLES["quoted"])
def test_a_sentence_that_reports_the_column_is_quoted(column: str, sentence: str) -> None:
    assert quoted(column, "The weather was studied.", sentence) == sentence


@each_row(("column", "sentence"), TABLES["empty"])
def test_a_cell_stays_empty_rather_than_hold_a_doubtful_quote(column: str, sentence: str) -> None:
    assert quoted(column, sentence) is None


def test_numbers_of_earlier_work_are_not_those_of_the_study() -> None:
    study = Study.from_document(STUDIES[0])
    for sentence in study.sentences():
        start, end = study.places[sentence.id]
        assert study.document.text[start:end] == sentence.text
        assert sentence.heading == study.document.section_at(start)
    columns = ("n", "dose", "hazard ratio", "adverse events", "country")
    views = tuple(ColumnView(id=f"C{n}", name=name) for n, name in enumerate(columns, start=1))
    output = tabulate.keyless(TabulateInput(columns=views, title="t", sentences=study.sentences()))
    places = [study.places.get(cell.sentence) for cell in output.cells]
    told = [study.document.text[slice(*place)] if place else None for place in places]
    assigned = "We randomly assigned 240 adults aged 70 years to vitamin D 800 IU daily or placebo for a year."
    assert told == [
        assigned,
        assigned,
        "Falls were rarer with vitamin D (hazard ratio 0.72; P = 0.01).",
        "No adverse events occurred.",
        None,
    ]


@given(
    st.text(max_size=200),
    st.lists(st.tuples(st.text(max_size=300), st.sampled_from(["", "METHODS", "RESULTS"])), max_size=8),
)
def test_any_column_of_any_text_is_a_place_in_it_or_none(column: str, sentences: list[tuple[str, str]]) -> None:
    found = reporting_sentence(column, sentences)
    assert found is None or 0 <= found < len(sentences)


@each_row("cells", [[("C1", "S9")], [("C2", "S1")], [("C1", "S1"), ("C1", "S1")], []])
def test_a_model_may_only_name_what_it_was_given(cells: list[tuple[str, str]]) -> None:
    value = TabulateInput(
        columns=(ColumnView(id="C1", name="n"),), sentences=(StudySentence(id="S1", text="Ten patients."),)
    )
    output = TabulateOutput(cells=tuple(Filled(column=column, sentence=sentence) for column, sentence in cells))
    with pytest.raises(InvalidOutput):
        tabulate.check(value, output)
    tabulate.check(value, TabulateOutput(cells=(Filled(column="C1", sentence=NOT_REPORTED),)))
