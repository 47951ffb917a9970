"""What a question compares, and which quotes answer a comparison."""

from __future__ import annotations

import pytest

from medground.language.question_reading import reading_of
from medground.models.operators.base import EvidenceView
from medground.models.operators.writing import chosen_quotes


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("Is aspirin better than clopidogrel for stroke?", [["aspirin"], ["clopidogrel"]]),
        ("Apixaban versus rivaroxaban for atrial fibrillation", [["Apixaban"], ["rivaroxaban"]]),
        ("Which is safer in gout, colchicine or naproxen?", [["colchicine"], ["naproxen"]]),
        ("Does aspirin reduce stroke more than clopidogrel?", [["aspirin"], ["clopidogrel"]]),
        ("Is fatigue higher, lower or the same when comparing doxepin to placebo?", []),
    ],
)
def test_a_comparison_has_two_sides_where_both_have_names(question: str, sides: list[list[str]]) -> None:
    compared = reading_of(question).comparison
    assert compared is not None
    assert [[thing.said for thing in side] for side in compared.sides] == sides


def test_each_side_of_a_comparison_may_have_its_own_source() -> None:
    asked = reading_of("Is aspirin better than clopidogrel for stroke?")
    texts = ["Aspirin in stroke\nIt helped.", "Clopidogrel in stroke\nIt helped."]
    assert asked.unnamed(texts) == []
    assert asked.unnamed([texts[0], "Clopidogrel in gout\nIt helped."]) == ["clopidogrel and stroke together"]


def test_a_comparison_quotes_every_study_and_others_show_the_paper_that_disagrees_second() -> None:
    found = [
        EvidenceView(id=f"E{n}", title=f"Doxepin for fatigue, trial {n}", quote=f"Doxepin reduced fatigue by {n}.")
        for n in range(1, 6)
    ]
    asked = "Is fatigue higher, lower or the same when comparing doxepin to placebo?"
    assert [quote.id for quote in chosen_quotes(asked, found, 3)] == ["E1", "E2", "E3", "E4", "E5"]
    against = EvidenceView(id="E6", title="Doxepin for fatigue, again", quote="Doxepin did not reduce fatigue.")
    assert [q.id for q in chosen_quotes("Does doxepin reduce fatigue?", [*found, against], 3)][:2] == ["E1", "E6"]
