"""Names that complete what is typed, from a graph of either form."""

from __future__ import annotations

import time

import pytest
from rows import each_row

from medground.graph.completions import LONGEST, Completions, Known

NAMES = [
    Known("Ectopia lentis", "HP:0001083", "Ectopia lentis", "phenotype", "name", 40),
    Known("Dislocated lens", "HP:0001083", "Ectopia lentis", "phenotype", "exact", 40),
    Known("Ectopia lentis, familial", "OMIM:129600", "Ectopia lentis, familial", "disease", "name", 4),
    Known("Marfan syndrome", "OMIM:154700", "Marfan syndrome", "disease", "name", 60),
    Known("Marfan syndrome", "ORPHA:558", "Marfan syndrome", "disease", "name", 50),
    Known("Marshall-Smith syndrome", "OMIM:602535", "Marshall-Smith syndrome", "disease", "name", 30),
    Known("Sjögren syndrome", "OMIM:270150", "Sjögren syndrome", "disease", "name", 5),
    Known("Spider fingers", "HP:0001166", "Arachnodactyly", "phenotype", "exact", 90),
    Known("BRCA1", "NCBIGene:672", "BRCA1", "gene", "name", 3),
]


@pytest.fixture(scope="module")
def completions() -> Completions:
    return Completions(NAMES)


@each_row(
    ("typed", "first", "start"),
    [
        ("Is ectopia le", "Ectopia lentis", 3),
        ("marf", "Marfan syndrome", 0),
        ("What are the features of Marfan syn", "Marfan syndrome", 25),
        ("Do people have spider fing", "Spider fingers", 15),
        ("SJO", "Sjögren syndrome", 0),
        ("sjö", "Sjögren syndrome", 0),
        ("marshall smi", "Marshall-Smith syndrome", 0),
        ("brca", "BRCA1", 0),
        ("which disease has a lens", "Dislocated lens", 20),
    ],
)
def test_the_last_words_are_completed(completions: Completions, typed: str, first: str, start: int) -> None:
    found = completions.of(typed)
    assert (found[0].text, found[0].start) == (first, start)


@each_row("typed", ["", "   ", "is", "what", "a", "?", "zzzz", "Is it a", "\x00\x00"])
def test_nothing_is_suggested_for_what_begins_no_name(completions: Completions, typed: str) -> None:
    assert completions.of(typed) == ()


def test_one_name_in_two_catalogues_is_suggested_once_and_a_synonym_says_whose_it_is(completions: Completions) -> None:
    assert [one.name for one in completions.of("marfan")] == ["Marfan syndrome"]
    [found] = completions.of("dislocated")
    assert (found.text, found.name, found.id) == ("Dislocated lens", "Ectopia lentis", "HP:0001083")
    assert found.kind == "phenotype"


def test_only_the_end_of_a_long_text_is_looked_at(completions: Completions) -> None:
    typed = "word " * 20_000 + "marf"
    began = time.perf_counter()
    [found] = completions.of(typed)
    assert time.perf_counter() - began < 0.02
    assert typed[found.start :] == "marf"
    assert len(typed) - found.start < LONGEST


def test_no_more_than_asked_for() -> None:
    many = Completions(Known(f"Disease {n}", f"X:{n}", f"Disease {n}", "disease", "name") for n in range(20_000))
    began = time.perf_counter()
    assert len(many.of("dis", 5)) == 5
    assert time.perf_counter() - began < 0.1
