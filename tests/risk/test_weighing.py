"""Words are weighed where no rule fires, and signs of one line are found in any order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.language.risk.notices import KINDS, notice_for, risk_in_words, signs
from medground.language.risk.rules import parsed, plain, rules


@each_row(
    ("text", "kind"),
    [
        ("nobody listens and I am so tired that I want to vanish tonight", "self-harm"),
        ("my daughter is choking on a toy and cannot breathe", "emergency"),
        ("should my mother go on with her tablets", "treatment"),
        ("Which enzyme does aspirin inhibit?", None),
        ("", None),
    ],
)
def test_words_are_weighed(text: str, kind: str | None) -> None:
    assert risk_in_words(plain(text), rules().first(plain(text))) == kind


@each_row(
    "text",
    [
        "my son has Marfan syndrome, will he get eye problems?",
        "My daughter has cystic fibrosis; can she have children?",
        "my mother has Huntington disease, will I get it?",
        "my father had a stroke last year, does aspirin prevent another?",
        "I have diabetes, what are the risks for my eyes?",
    ],
)
def test_a_question_of_a_relative_is_no_danger(text: str) -> None:
    assert notice_for(text) is None


def test_a_long_letter_is_not_weighed() -> None:
    assert risk_in_words(plain("I want to die " * 15)) == "self-harm"
    assert risk_in_words(plain("I want to die " * 16)) is None


@each_row(
    "text", ["I do not want to die", "Are patients who want to die depressed?", "My father had seizures as a child"]
)
def test_denials_scholars_and_the_past_are_left_to_the_rules(text: str) -> None:
    assert not rules().may_be_weighed(plain(text))
    assert notice_for(text) is None


def test_signs_of_one_line_are_found_in_any_order() -> None:
    (rule,) = parsed("[list place]\nroof | bridge\n[self-harm]\n<place> & (alone|crying) & i").rules
    assert rule.fires("i am crying on a roof")
    assert rule.fires("a bridge . alone i am")
    assert rule.fires(". alone . i . bridge")
    assert not rule.fires("i am on a roof")
    assert not rule.fires("i cry alone in a bridgehead")


@given(st.text(alphabet="abcdings ,.", max_size=200))
def test_signs_are_stems_and_pairs_of_neighbours(text: str) -> None:
    words = plain(text)
    stems = {sign for sign in signs(words) if " " not in sign}
    assert all(set(pair.split()) <= stems for pair in signs(words) if " " in pair)
    assert risk_in_words(words) in (None, *KINDS)
