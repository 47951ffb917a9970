"""What a question asks of the things that it is about, and which of its words are things at all."""

import pytest
from rows import each_row, tables

from medground.language.question_reading import reading_of
from medground.language.requests import aspects_of, looks_foreign, request_in

TABLES = tables(__file__)


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


@each_row(("question", "plain", "things"), TABLES["people"])
def test_people_are_read_as_they_mean_it(question: str, plain: str, things: list[str]) -> None:
    asked = reading_of(question)
    assert asked.plain == plain
    assert {thing.said for thing in asked.deciding} == {*things}


def test_what_was_typed_is_a_name_too_and_names_stand_together() -> None:
    asked = reading_of("Can you die from a ministroke?")
    assert asked.unnamed(["A mini stroke is a warning."]) == asked.unnamed(["A ministroke passes."]) == []
    sclerosis = reading_of("Is multiple sclerosis fatal?")
    assert sclerosis.unnamed(["Multiple cysts form early, and most patients have seizures with sclerosis."])


def test_a_code_of_a_gene_has_its_other_codes() -> None:
    asked = reading_of("Does lomafenib work in HER2 positive patients?")
    assert asked.unnamed(["Lomafenib shrank tumours with ERBB2 amplification."]) == []
    assert asked.unnamed(["Lomafenib shrank tumours with EGFR mutations."]) == ["HER2"]


def test_letters_that_decide_are_found_as_a_mouse_and_the_question_itself_write_them() -> None:
    assert reading_of("Is BTK implicated in lupus?").unnamed(["Loss of Btk prevented lupus."]) == []
    assert reading_of("Which diseases do saRNAs treat?").unnamed(["An saRNA was tried in cancer."]) == []
    exchange = "Describe Radiation Information Data Exchange (RIDE)"
    assert reading_of(exchange).unnamed(["RIDE is a platform."]) == []
    assert [one.said for one in reading_of("What causes the rare disease cystinosis?").deciding] == ["cystinosis"]
    assert reading_of("how long dose bells palsey last").aspects == frozenset()


def test_an_unknown_name_with_a_slip_is_read_as_the_one_in_the_text() -> None:
    asked = reading_of("does velnorixin help chronic cough")
    assert asked.unnamed(["Velnorixan did not reduce chronic cough."]) == []
    assert asked.read_as("Velnorixan did not help.") == {"velnorixin": "velnorixan"}
    assert asked.unnamed(["Quillafenone did not reduce chronic cough."]) == ["velnorixin"]


def test_what_is_asked_of_a_thing_is_missed_where_no_text_speaks_of_it() -> None:
    asked = reading_of("What are the side effects of sacubitril?")
    assert asked.aspect_lost(["Sacubitril is a new drug."]) == ["harms of sacubitril"]
    assert asked.aspect_lost(["Sacubitril is a new drug.", "Angioedema is an adverse event of it."]) == []
    assert asked.share_named("Adverse events of sacubitril") == 1.0 > asked.share_named("Sacubitril is a new drug.") > 0
    both = reading_of("Does sacubitril improve the prognosis of gout?")
    assert both.aspect_lost(["Sacubitril eased gout."]) == ["the outlook of gout and sacubitril"]


@each_row(
    ("question", "aspects"),
    [
        ("How much blood is lost during surgery with tranzolin?", set()),
        ("How much does tranzolin cost?", set()),
        ("How many people stop vantrel because of side effects?", set()),
        ("How much tranzolin should I take?", {"the dose of"}),
        ("What are the side effects of vantrel?", {"harms of"}),
        ("What is the life expectancy with vantrel?", {"the outlook of"}),
    ],
)
def test_an_amount_of_something_is_no_dose_and_no_harm(question: str, aspects: set[str]) -> None:
    assert reading_of(question).deciding_aspects == aspects


def test_what_is_inborn_spreads_by_inheritance() -> None:
    assert reading_of("Can haemophilia spread to her child?").aspects == {"the inheritance of"}
    assert reading_of("Can measles spread to her child?").aspects == {"the spread of"}


def test_people_are_missed_by_all_the_words_for_them() -> None:
    asked, adults = reading_of("Is bravotinib safe while I'm pregnant?"), reading_of("Does it help adults?")
    assert asked.people_unnamed(["900 women took it in pregnancy."]) == []
    assert asked.people_unnamed(["Adults with psoriasis took it."]) == ["pregnant"]
    assert adults.people_unnamed(["Children aged 6 to 11 years took it."]) == ["adults"]
    assert reading_of("Does it help my 8-year-old?").people_unnamed(["Those aged 6 to 11 took it."]) == []


@each_row(("question", "sentence", "defined"), TABLES["definitions"])
def test_a_definition_is_known_where_one_is_asked_for(question: str, sentence: str, defined: bool) -> None:
    assert reading_of(question).is_defined_in(sentence) is defined


@each_row(("text", "kind"), TABLES["requests"])
def test_requests_about_papers_and_answers_are_no_medical_questions(text: str, kind: str) -> None:
    request = request_in(text, 2026)
    assert (request.kind if request else "") == kind


@each_row(
    ("text", "foreign"),
    [("Hilft Velnorixan bei chronischem Husten?", True), ("Cri du chat syndrome", False), ("Is du common?", False)],
)
def test_one_word_of_another_language_is_enough_in_a_question_without_english_ones(text: str, foreign: bool) -> None:
    assert looks_foreign(text) is foreign


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the first-line therapy for hypertension?", "First line treatment of hypertension is a thiazide."),
        ("Does IL-6 cause fever?", "Interleukin-6 (IL-6) causes fever. IL-1 has the same effect."),
        ("What is the name of the disease I have?", "Disease 2 has this name."),
    ],
)
def test_what_is_no_other_type_of_a_name_is_not_taken_for_one(question: str, text: str) -> None:
    assert reading_of(question).mistyped([text]) == []


@each_row(
    ("text", "lost"),
    [
        ("Spinocerebellar ataxia 15 is rare.", ["type 50"]),
        ("Spinocerebellar ataxia type 2 is rare.", ["type 50"]),
        ("Spinocerebellar ataxia 50 is rare.", []),
        ("Spinocerebellar ataxia is rare.", []),
    ],
)
def test_a_type_is_told_with_or_without_the_word_for_it(text: str, lost: list[str]) -> None:
    assert reading_of("What causes spinocerebellar ataxia type 50?").mistyped([text]) == lost
