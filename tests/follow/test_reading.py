"""What "it" stands for in a follow-up question, and what is left as it was typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.errors import UsageError
from medground.language.follow_up import read_follow_up
from medground.language.noun_phrases import things

ASPIRIN = "Does aspirin reduce the risk of stroke?"
LENTIS = "Is ectopia lentis a feature of Marfan syndrome?"
STATINS = "Are statins safe in pregnancy?"
NF1 = "Do people with NF1 get spider fingers?"
FALLS = "Does vitamin D prevent falls in older adults?"


@each_row(
    ("former", "asked", "read"),
    [
        (ASPIRIN, "Does it cause bleeding?", "Does aspirin cause bleeding?"),
        (ASPIRIN, "Is it better than warfarin?", "Is aspirin better than warfarin?"),
        (ASPIRIN, "It works, but does it last?", "Aspirin works, but does aspirin last?"),
        (ASPIRIN, "Is this drug safe in pregnancy?", "Is aspirin safe in pregnancy?"),
        (ASPIRIN, "How is this disease treated?", "How is stroke treated?"),
        (ASPIRIN, "How is it treated?", "How is stroke treated?"),
        (ASPIRIN, "What are its side effects?", "What are the side effects of aspirin?"),
        (ASPIRIN, "How strong is its effect in women?", "How strong is aspirin’s effect in women?"),
        (LENTIS, "How is it inherited?", "How is Marfan syndrome inherited?"),
        (LENTIS, "Is it common?", "Is ectopia lentis common?"),
        (STATINS, "Do they cause myopathy?", "Do statins cause myopathy?"),
        (STATINS, "Is their effect lasting?", "Is statins’ effect lasting?"),
        (NF1, "How is it inherited?", "How is NF1 inherited?"),
        (NF1, "How are they diagnosed?", "How are people with NF1 diagnosed?"),
        (FALLS, "Are they at risk of kidney stones?", "Are older adults at risk of kidney stones?"),
        (FALLS, "Does this also work in children?", "Does vitamin D also work in children?"),
        ("Huntington disease", "How is it inherited?", "How is Huntington disease inherited?"),
        ("What is the role of BRCA1 in breast cancer?", "Is it a kinase?", "Is BRCA1 a kinase?"),
        ("Elephant trunk in aortic dissection: does it help?", "Is it safe?", "Is Elephant trunk safe?"),
        ("Which genes are associated with gout?", "Is it common?", "Is gout common?"),
        ("What causes asthma?", "How common is it?", "How common is asthma?"),
        ("Is there a link between coffee and cancer?", "Are they related?", "Are coffee and cancer related?"),
        ("Who should get the shingles vaccine?", "Is this vaccine safe?", "Is shingles vaccine safe?"),
        ("Does increased use of statins help?", "Is it safe?", "Is increased use of statins safe?"),
    ],
)
def test_a_word_that_points_back_is_replaced(former: str, asked: str, read: str) -> None:
    reading = read_follow_up(asked, former)
    assert reading.text == read
    assert reading.word.lower() in asked.lower()
    assert reading.stands_for.lower() in former.lower()


@each_row(
    ("former", "asked", "read"),
    [
        (ASPIRIN, "And in children?", "Does aspirin reduce the risk of stroke in children?"),
        (FALLS, "What about in children?", "Does vitamin D prevent falls in children?"),
        (ASPIRIN, "And with zinc added to it?", "Does aspirin reduce the risk of stroke with zinc added to aspirin?"),
        (ASPIRIN, "What about warfarin?", "Does warfarin reduce the risk of stroke?"),
        (ASPIRIN, "What about statins?", "Do statins reduce the risk of stroke?"),
        (STATINS, "And what about aspirin?", "Is aspirin safe in pregnancy?"),
        (ASPIRIN, "And how about low-dose warfarin?", "Does low-dose warfarin reduce the risk of stroke?"),
    ],
)
def test_a_condition_or_another_name_makes_the_former_question_anew(former: str, asked: str, read: str) -> None:
    assert read_follow_up(asked, former).text == read


COVID = "Are corticosteroids effective in severe COVID-19?"
PSORIASIS = "What is the best treatment for psoriasis?"


@each_row(
    ("former", "asked", "read"),
    [
        (ASPIRIN, "And clopidogrel?", "Does clopidogrel reduce the risk of stroke?"),
        (ASPIRIN, "What about sepsis?", "Does aspirin reduce the risk of sepsis?"),
        (ASPIRIN, "What about men?", "Does aspirin reduce the risk of stroke in men?"),
        (FALLS, "What about children?", "Does vitamin D prevent falls in children?"),
        ("Is Huntington disease hereditary?", "and Parkinson disease?", "Is Parkinson disease hereditary?"),
        (ASPIRIN, "only in men?", "Does aspirin reduce the risk of stroke only in men?"),
        (COVID, "and in mild cases", "Are corticosteroids effective in mild cases of COVID-19?"),
        (COVID, "And in children?", "Are corticosteroids effective in severe COVID-19 in children?"),
        (ASPIRIN, "side effects?", "side effects of aspirin?"),
        (LENTIS, "Is there a cure?", "Is there a cure for Marfan syndrome?"),
        (ASPIRIN, "why?", "Why does aspirin reduce the risk of stroke?"),
        (ASPIRIN, "Is that true for women too?", "Does aspirin reduce the risk of stroke in women?"),
        (ASPIRIN, "Does this hold for warfarin?", "Does warfarin reduce the risk of stroke?"),
        (ASPIRIN, "is that still true after surgery", "Does aspirin reduce the risk of stroke after surgery?"),
        (ASPIRIN, "Is that true?", ASPIRIN),
        (ASPIRIN, "Does the drug cause asthma?", "Does aspirin cause asthma?"),
        (ASPIRIN, "who should not take this?", "who should not take aspirin?"),
        (ASPIRIN, "Is it safe to take with alcohol?", "Is aspirin safe to take with alcohol?"),
        (ASPIRIN, "Is it better to take it daily?", "Is it better to take aspirin daily?"),
        (ASPIRIN, "Is it safe for the mother?", "Is aspirin safe for the mother?"),
        (PSORIASIS, "Is it contagious?", "Is psoriasis contagious?"),
        ("What are the signs of lupus?", "Do they come and go?", "Do signs of lupus come and go?"),
        ("Which drugs are used for gout?", "Are they safe?", "Are drugs used for gout safe?"),
        ("Who discovered insulin?", "How is it stored?", "How is insulin stored?"),
    ],
)
def test_what_people_leave_out_is_what_was_there_before(former: str, asked: str, read: str) -> None:
    assert read_follow_up(asked, former).text == read


@each_row(
    "asked",
    [
        "Elephant trunk: does it help?",
        "For acute migraine, which triptan works fastest?",
        "What about the link between salt and stroke?",
        "What are the side effects of letrozole?",
        "Is the disease activity score reliable?",
        "And does warfarin cause bleeding?",
        "Is it safe to combine ibuprofen with alcohol?",
        "Is it true that garlic lowers blood pressure?",
        "How long does it take to recover from flu?",
        "Does ibuprofen help when it is taken early?",
        "Do antibiotics work if they are stopped early?",
        "Does warfarin cause bleeding?",
    ],
)
def test_a_question_that_points_at_nothing_stays_as_it_was_typed(asked: str) -> None:
    reading = read_follow_up(asked, ASPIRIN)
    assert (reading.text, reading.word, reading.stands_for) == (asked, "", "")


@each_row(
    ("former", "asked"),
    [
        ("Mechanisms?", "Does it help?"),
        ("???a", "Does this drug help?"),
        ("Do children or adults recover?", "What about it?"),
        ("Why?", "What about warfarin?"),
        ("Why?", "And in children?"),
        ("Hello", "What does it do?"),
        ("Why?", "Side effects?"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(former: str, asked: str) -> None:
    with pytest.raises(UsageError, match=r"write the (?:name|whole question)"):
        read_follow_up(asked, former)


@each_row(
    ("question", "subject"),
    [
        ("Do preoperative statins reduce atrial fibrillation?", "preoperative statins"),
        ("Is low birth weight a risk indicator for infection?", "low birth weight"),
        ("Can magnetic resonance imaging accurately predict pain?", "magnetic resonance imaging"),
        ("Is minilaparoscopic inguinal hernia repair feasible?", "minilaparoscopic inguinal hernia repair"),
        ("Should displaced clavicular fractures be treated surgically?", "displaced clavicular fractures"),
        ("Is specialty care associated with improved survival?", "specialty care"),
        ("When does Wilson disease begin?", "Wilson disease"),
        ("What is metformin used for?", "metformin"),
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
