"""The wording of rows and their places, and names that complete what is typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row, tables

from medground.graph.base import StatedRow, best
from medground.graph.completions import Completions, Known
from medground.graph.pages import LONGEST, Heading, Line, definition_lines, pages, stated, worded
from medground.graph.relation import StatedAt

TABLES = tables(__file__)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).map(lambda t: " ".join(t.split()))
LINES = st.lists(TEXT.filter(bool), max_size=8)


def heading(name: str = "Aspirin", names: tuple[str, ...] = ()) -> Heading:
    return Heading("X:1", name, ("drug",), names, ("A",), "CC0")


@each_row(("predicate", "forward", "back"), TABLES["a_relation_is_worded_in_both_directions"])
def test_a_relation_is_worded_in_both_directions(predicate: str, forward: str, back: str) -> None:
    wording = worded(predicate)
    assert stated(wording, "A", "B") == forward
    assert stated(wording, "A", "B", back=True) == back


@given(name=TEXT.filter(bool), names=LINES, definitions=LINES, relations=LINES)
def test_every_row_is_a_slice_of_its_document(
    name: str, names: list[str], definitions: list[str], relations: list[str]
) -> None:
    lines = [line for text in definitions for line in definition_lines("Definition", "A", text)]
    lines += [Line(text, "relation", number) for number, text in enumerate(relations)]
    written = list(pages(heading(name, tuple(names)), lines))
    for document, rows in written:
        assert all(document.text[row.start : row.end] == row.line.text for row in rows)
    assert {row.line.text for _, rows in written for row in rows} == {line.text for line in lines}


@given(st.lists(st.text(st.characters(categories=["L", "P", "Zs"]), max_size=400), max_size=12))
def test_a_long_definition_is_cut_and_nothing_of_it_is_lost(sentences: list[str]) -> None:
    text = " ".join(" ".join(sentences).split())
    lines = list(definition_lines("Definition", "", text))
    assert all(0 < len(line.text) <= LONGEST for line in lines)
    assert "".join("".join(line.text for line in lines).split()) == "".join(f"Definition: {text}".split())


def row(text: str, group: str) -> StatedRow:
    return StatedRow(StatedAt("X:1", 0, len(text)), text, text, group)


def test_the_best_rows_fit_the_question_and_predicates_take_turns() -> None:
    rows = [row("Definition: a drug.", "definition"), row("Indication: for pain.", "definition")]
    rows += [row(f"Aspirin treats thing {n}.", "treats") for n in range(30)]
    rows += [row("Aspirin interacts with warfarin.", "interacts")]
    ranked = [found.line for found, _ in best(rows, "Does aspirin interact with warfarin?", 3)]
    assert ranked[:2] == ["Definition: a drug.", "Aspirin interacts with warfarin."]
    unasked = [found.line.partition(" ")[2] for found, _ in best(rows, "", 4)]
    assert unasked == ["a drug.", "treats thing 0.", "interacts with warfarin.", "for pain."]
    assert best([], "x", 3) == []
    assert len(best(rows, "x", 1)) == 1


MARFAN = [
    row("Marfan syndrome is narrower than Bone Diseases.", "broader"),
    row("Marfan syndrome has the feature Ectopia lentis (60 of 100 patients).", "feature"),
    row("Marfan syndrome has the feature Strabismus (19 of 100 patients).", "feature"),
    row("Marfan syndrome is recorded without the feature Brachydactyly.", "absent feature"),
    row("Marfan syndrome is inherited in the mode Autosomal dominant inheritance.", "inheritance"),
    row("Marfan syndrome is associated with the gene FBN1.", "gene"),
    row("Marfan syndrome is treated by Losartan.", "may_be_treated_by"),
]


@each_row(("question", "first"), TABLES["a_question_for_a_kind_of_relation_gets_that_kind_first"])
def test_a_question_for_a_kind_of_relation_gets_that_kind_first(question: str, first: list[str]) -> None:
    lines = [found.line for found, _ in best(MARFAN, question, len(first))]
    assert all(any(name in line for line in lines) for name in first), lines


NAMES = [
    Known("Ectopia lentis", "HP:0001083", "Ectopia lentis", "phenotype", "name", 40),
    Known("Dislocated lens", "HP:0001083", "Ectopia lentis", "phenotype", "exact", 40),
    Known("Ectopia lentis, familial", "OMIM:129600", "Ectopia lentis, familial", "disease", "name", 4),
    Known("Marfan syndrome", "OMIM:154700", "Marfan syndrome", "disease", "name", 60),
    Known("Marfan syndrome", "ORPHA:558", "Marfan syndrome", "disease", "name", 50),
    Known("Marshall-Smith syndrome", "OMIM:602535", "Marshall-Smith syndrome", "disease", "name", 30),
    Known("Sjögren syndrome", "OMIM:270150", "Sjögren syndrome", "disease", "name", 5),
    Known("Best vitelliform macular dystrophy", "OMIM:153700", "Best vitelliform macular dystrophy", "disease", "name"),
    Known("Sheehan syndrome", "ORPHA:91355", "Sheehan syndrome", "disease", "name"),
    Known("Spider fingers", "HP:0001166", "Arachnodactyly", "phenotype", "exact", 90),
]


@pytest.fixture(scope="module")
def completions() -> Completions:
    return Completions(NAMES)


@each_row(("typed", "first", "start"), TABLES["completed"])
def test_the_last_words_are_completed(completions: Completions, typed: str, first: str, start: int) -> None:
    found = completions.completions_for(typed)
    assert (found[0].text, found[0].start) == (first, start)


def test_each_concept_is_suggested_once_and_only_the_end_of_a_long_text_is_looked_at(completions: Completions) -> None:
    for nothing in ("", "is", "what", "a", "?", "zzzz", "Is it a", "is the lens", "what is the best", "she", "\x00"):
        assert completions.completions_for(nothing) == ()
    assert [one.name for one in completions.completions_for("marfan")] == ["Marfan syndrome"]
    [found] = completions.completions_for("dislocated")
    assert (found.text, found.name, found.id) == ("Dislocated lens", "Ectopia lentis", "HP:0001083")
    typed = "word " * 20_000 + "marf"
    [found] = completions.completions_for(typed)
    assert typed[found.start :] == "marf"
