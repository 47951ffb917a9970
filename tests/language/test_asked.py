"""What a question asks of the things that it is about, and which of its words are things at all."""

from __future__ import annotations

from rows import each_row

from medground.language.question_kinds import aspects_of
from medground.language.question_reading import reading_of


@each_row(
    ("text", "wanted"),
    [
        ("Can you die from lupus?", {"the outlook of"}),
        ("The prognosis is good and survival exceeds 90 %.", {"the outlook of"}),
        ("Does epilepsy run in the family?", {"the inheritance of"}),
        ("Can I catch shingles from my daughter?", {"the spread of"}),
        ("Nausea was the most frequent adverse event.", {"harms of", "safety", "frequency"}),
        ("Which drugs should be avoided in myasthenia gravis?", {"what to avoid in"}),
        ("Kelvastatin lowers cholesterol.", set()),
    ],
)
def test_people_and_papers_ask_the_same_in_other_words(text: str, wanted: set[str]) -> None:
    assert aspects_of(text) == wanted


@each_row(
    ("question", "things"),
    [
        ("Can you die from lupus?", {"lupus"}),
        ("How do I know if it is Alzheimer's or just old age?", {"Alzheimer"}),
        ("What is the newest drug for Hartlow syndrome?", {"Hartlow"}),
        ("Does chronic pain respond to familial support?", {"chronic pain"}),
    ],
)
def test_words_that_stand_for_a_disease_decide_and_plain_words_do_not(question: str, things: set[str]) -> None:
    assert {thing.said for thing in reading_of(question).subjects if thing.decides} == things


def test_a_code_of_a_gene_has_its_other_codes() -> None:
    asked = reading_of("Does lomafenib work in HER2 positive patients?")
    assert asked.unnamed(["Lomafenib shrank tumours with ERBB2 amplification."]) == []
    assert asked.unnamed(["Lomafenib shrank tumours with EGFR mutations."]) == ["HER2"]


def test_what_is_asked_of_a_thing_is_missed_where_no_text_speaks_of_it() -> None:
    asked = reading_of("What are the side effects of sacubitril?")
    assert asked.aspect_lost(["Sacubitril is a new drug."]) == ["harms of sacubitril"]
    assert asked.aspect_lost(["Sacubitril is a new drug.", "Angioedema is an adverse event of it."]) == []
    assert asked.share_named("Adverse events of sacubitril") == 1.0 > asked.share_named("Sacubitril is a new drug.") > 0
    assert reading_of("What is good?").aspect_lost(["Nothing."]) == []


def test_people_are_missed_by_all_the_words_for_them() -> None:
    asked = reading_of("Is bravotinib safe in pregnancy?")
    assert asked.people_unnamed(["900 pregnant women took it."]) == []
    assert asked.people_unnamed(["Adults with psoriasis took it."]) == ["pregnancy"]


@each_row(
    ("question", "sentence", "defined"),
    [
        ("What is Hartlow syndrome?", "Hartlow syndrome is a progressive disorder of the cerebellum.", True),
        ("Hartlow syndrome", "Hartlow syndrome (HS) is an inherited disorder.", True),
        ("What are super enhancers?", "Super-enhancers (SEs) are large clusters of enhancers.", True),
        ("What are super enhancers?", "Super-enhancers are associated with growth of tumours.", False),
        ("What is Hartlow syndrome?", "Coffee lowers the risk of Hartlow syndrome.", False),
        ("Does coffee cause Hartlow syndrome?", "Hartlow syndrome is a progressive disorder.", False),
    ],
)
def test_a_definition_is_known_where_one_is_asked_for(question: str, sentence: str, defined: bool) -> None:
    assert reading_of(question).is_defined_in(sentence) is defined


@each_row(
    ("question", "about"),
    [
        ("How many papers are in this collection?", True),
        ("List the newest articles of the corpus", True),
        ("How many genes are in this collection?", False),
        ("Which studies compared chlorhexidine with placebo?", False),
    ],
)
def test_questions_about_the_collection_are_no_medical_questions(question: str, about: bool) -> None:
    assert reading_of(question).asks_about_records is about


@each_row(
    ("text", "foreign"),
    [("Hilft Velnorixan bei chronischem Husten?", True), ("Cri du chat syndrome", False), ("Is du common?", False)],
)
def test_one_word_of_another_language_is_enough_in_a_question_without_english_ones(text: str, foreign: bool) -> None:
    assert reading_of(text).is_foreign is foreign
