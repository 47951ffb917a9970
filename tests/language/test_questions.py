"""Closed questions, comparisons and follow-ups: what each asks, as a statement or a question of its own."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rows import each_row, tables

from medground.errors import UsageError
from medground.language.closed_question import as_statement
from medground.language.follow_up import read_follow_up
from medground.language.noun_phrases import things
from medground.language.question_reading import reading_of
from medground.models.operators.base import EvidenceView
from medground.models.operators.writing import chosen_quotes, opposed

TABLES = tables(__file__)

AUXILIARIES = ("does", "do", "did", "is", "are", "was", "has", "have", "can", "should", "will")
SAID = ("aspirin", "statins", "reduce", "increase", "treated", "risk", "safe", "higher", "work", "reducing")
SMALL = ("of", "in", "with", "to", "a", "the", "and", "or", "there", "it", "really", "(ASA)", "that", "any", "ever")
WORDS = st.sampled_from((*AUXILIARIES, *SAID, *SMALL))
UNSAID = {*AUXILIARIES, "it", "they", "a", "an", "any", "some", "ever", "sometimes"}
CASES = [
    (rule, *map(str.strip, line.split("|")))
    for rule, lines in TABLES["statements"].items()
    for line in lines.splitlines()
]


@each_row(("rule", "question", "statement"), CASES)
def test_questions_become_statements_as_in_the_table(rule: str, question: str, statement: str) -> None:
    assert as_statement(question) == (statement or None), rule


@given(text=st.text(max_size=80))
@example("Is any?")
@example("Does any?")
@example("Aspirin: is it any?")
@example("Aspirin: a?")
def test_any_text_is_accepted(text: str) -> None:
    for asked in (text, f"{text}?", f"Is {text}?", f"Topic of: does {text}?"):
        found = as_statement(asked)
        assert found is None or (found.endswith(".") and "?" not in found)


@given(topic=st.sampled_from(("", "Aspirin in pain: ", "In old age, ")), words=st.lists(WORDS, max_size=9))
def test_every_word_of_content_is_kept(topic: str, words: list[str]) -> None:
    question = f"{topic}{' '.join(words)}?"
    found = as_statement(question)
    if found is not None:
        assert found.endswith(".") and "?" not in found
        assert _content(found) == _content(question)


def _content(text: str) -> list[str]:
    """Words in any order, without those that a statement may drop or change, verbs in any form."""
    return sorted(w.removesuffix("s") for w in re.findall(r"[a-z]+", text.lower()) if w not in UNSAID)


@pytest.mark.parametrize(("question", "sides"), TABLES["sides"])
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
    asked = reading_of("Is fatigue higher, lower or the same when comparing doxepin to placebo?")
    assert [quote.id for quote in chosen_quotes(asked, found, 3)] == ["E1", "E2", "E3", "E4", "E5"]
    against = EvidenceView(id="E6", title="Doxepin for fatigue, again", quote="Doxepin did not reduce fatigue.")
    assert [q.id for q in chosen_quotes(reading_of("Does doxepin reduce fatigue?"), [*found, against], 3)][:2] == [
        "E1",
        "E6",
    ]
    assert opposed(found[0].quote, against.quote)
    assert not opposed(found[0].quote, "Doxepin reduced fatigue, and nausea was not reported.")


ASPIRIN = "Does aspirin reduce the risk of stroke?"
FOLLOW_UPS = [(former, *one) for former, asked in TABLES["follow_ups"].items() for one in asked]


@each_row(("former", "asked", "read"), FOLLOW_UPS)
def test_what_a_follow_up_leaves_out_is_what_was_there_before(former: str, asked: str, read: str) -> None:
    reading = read_follow_up(asked, former)
    assert reading.text == read
    assert reading.word.lower() in asked.lower()
    assert reading.stands_for.lower() in former.lower()


@each_row("asked", TABLES["as_typed"])
def test_a_question_that_points_at_nothing_stays_as_it_was_typed(asked: str) -> None:
    reading = read_follow_up(asked, ASPIRIN)
    assert (reading.text, reading.word, reading.stands_for) == (asked, "", "")


@each_row(("former", "asked"), TABLES["refused"])
def test_what_cannot_be_read_is_refused_in_one_line(former: str, asked: str) -> None:
    with pytest.raises(UsageError, match=r"write the (?:name|whole question)"):
        read_follow_up(asked, former)


@each_row(
    ("question", "subject"),
    [
        ("How many people have asthma?", "asthma"),
        ("What drugs treat gout?", "gout"),
        ("Adjuvant radiation of thymoma: is it necessary?", "Adjuvant radiation of thymoma"),
    ],
)
def test_the_subject_is_a_noun_phrase(question: str, subject: str) -> None:
    assert things(question)[0].text == subject


@given(former=st.text(max_size=80), asked=st.text(max_size=80))
def test_any_text_is_read_or_refused(former: str, asked: str) -> None:
    try:
        reading = read_follow_up(asked, former)
    except UsageError:
        return
    assert reading.text or not asked


def test_misspelt_words_are_read_as_they_are_meant() -> None:
    read = reading_of("Does muscle stimulaton help criticaly ill eldery people on donanemab?").read_as("")
    assert read == {"stimulaton": "stimulation", "criticaly": "critically", "eldery": "elderly"}
    assert reading_of("What is minodixil approved for?").read_as("") == {"minodixil": "minoxidil"}
    assert not reading_of("What is patisiran approved for?").read_as("")
    assert reading_of("is astma inherited").read_as("") == {"astma": "asthma"}
    assert [one.said for one in reading_of("is zorka inherited").deciding] == ["zorka"]  # what nobody wrote is missing
