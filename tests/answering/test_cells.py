"""Without a model, a cell quotes the sentence that reports its column, or stays empty."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row
from studies import STUDIES

from medground.answering.table_rows import Study
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


def quoted(column: str, *sentences: str, heading: str = "") -> str | None:
    found = reporting_sentence(column, [(sentence, heading) for sentence in sentences])
    return None if found is None else sentences[found]


@each_row(
    ("column", "sentence"),
    [
        ("n", "Twelve patients with newly diagnosed fibrosis were included."),
        ("Sample size", "Adult patients undergoing general anesthesia (n = 240)."),
        ("Dose", "Groups 3 and 4 received 6 and 12 mg/kg edaravone by the intraperitoneal route."),
        ("age", "Seventy-five patients (mean age 51 years) took part."),
        ("adverse events", "No serious adverse events occurred."),
        ("mortality", "Three of nine patients died."),
        ("design", "This was a double-blind crossover trial."),
        ("primary outcome", "The primary outcome was pain at 12 weeks."),
        ("bone mineral density", "Bone mineral density was similar to that of the general population."),
    ],
)
def test_a_sentence_that_reports_the_column_is_quoted(column: str, sentence: str) -> None:
    assert quoted(column, "The weather was studied.", sentence) == sentence


@each_row(
    ("column", "sentence"),
    [
        ("n", "Of these, 12% had a history of falls."),
        ("dose", "Serum vitamin D was 30 ng/ml after treatment."),
        ("age", "Independent predictors were age (OR 1.058) and sex."),
        ("odds ratio", "We calculated an odds ratio."),
        ("adverse events", "The incidence of complications was compared."),
        ("mortality", "To determine whether vitamin D lowers mortality in 30 wards."),
        ("bone mineral density", "Bone pain fell in towns with a high mineral content and a low population density."),
        ("comparator", "Vitamin D reduced falls by 19%."),
    ],
)
def test_a_cell_stays_empty_rather_than_hold_a_doubtful_quote(column: str, sentence: str) -> None:
    assert quoted(column, sentence) is None


def test_numbers_of_earlier_work_are_not_those_of_the_study() -> None:
    study = Study.of(STUDIES[0])
    columns = ("n", "dose", "hazard ratio", "adverse events", "country")
    views = tuple(ColumnView(id=f"C{n}", name=name) for n, name in enumerate(columns, start=1))
    output = tabulate.keyless(TabulateInput(columns=views, title="t", sentences=study.sentences()))
    places = [study.places.get(cell.sentence) for cell in output.cells]
    told = [study.document.text[slice(*place)] if place else None for place in places]
    assert told == [
        "We randomly assigned 240 adults aged 70 years to vitamin D 800 IU daily or placebo for a year.",
        "We randomly assigned 240 adults aged 70 years to vitamin D 800 IU daily or placebo for a year.",
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


def test_sentences_keep_their_places_and_headings() -> None:
    study = Study.of(STUDIES[0])
    for sentence in study.sentences():
        start, end = study.places[sentence.id]
        assert study.document.text[start:end] == sentence.text
        assert sentence.heading == study.document.section_at(start)
