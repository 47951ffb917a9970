"""Building a set without a model: what is exchanged, what stands alone, and that words do not tell right from wrong."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row
from views import sentenced

from medground.models.operators.base import InvalidOutput
from medground_evaluate.build.by_words import altered, exchanged, kind_of, options, place_of, stands_alone, subtopics
from medground_evaluate.build.operators import (
    BriefInput,
    BriefOutput,
    CheckOptionInput,
    FindingView,
    WriteQuestionInput,
    WriteQuestionOutput,
    brief_papers,
    check_option,
    write_choice_question,
)

UP = "Regular {} training increased the survival of older patients with heart failure in both countries."
DOWN = "Early {} treatment decreased the mortality of young patients with severe infections in hospital."
NAMES = ("cardiac", "aerobic", "statin", "insulin", "steroid", "yoga", "zinc", "laser", "herbal", "dance")
FINDINGS = {f"F{n}": (UP if n % 2 else DOWN).format(name) for n, name in enumerate(NAMES, start=1)}


def test_a_word_is_exchanged_by_one_of_the_same_form_with_its_article() -> None:
    sentence = "Obese mice had an increased risk of stroke."
    place = place_of(sentence, ("direction",))
    assert place is not None
    assert (place.form, place.side) == ("amount, past", 1)
    assert exchanged(sentence, place, "reduced") == "Obese mice had a reduced risk of stroke."
    assert altered(sentence, "Obese mice had a reduced risk of stroke.")
    assert altered("It fell by 12% in men.", "It fell by 15% in men.")
    assert not altered(sentence, "Obese mice had an elevated risk of stroke.")
    assert not altered(sentence, sentence)
    for left_alone in (
        "It increased in men and decreased in women.",
        "It increased from 12% to 15%.",
        "We saw nothing.",
    ):
        assert place_of(left_alone, ("direction", "order")) is None


@each_row(
    ("sentence", "alone"),
    [
        (FINDINGS["F1"], True),
        ("It increased the survival of older patients with heart failure in both of the countries.", False),
        ("Cardiac training may have increased the survival of older patients with heart failure.", False),
        ("Cardiac training always increased the survival of the older patients with heart failure.", False),
        ("CONCLUSIONS Cardiac training increased the survival of older patients with heart failure.", False),
        ("Training increased survival.", False),
        ("The aim was to determine whether cardiac training increased survival in heart failure.", False),
    ],
)
def test_only_a_result_that_reads_without_its_paper_is_taken(sentence: str, alone: bool) -> None:
    assert stands_alone(sentence) is alone
    assert kind_of("Pain fell within 12 weeks of the first dose in most of the patients.", 3) is not None
    assert kind_of("Pain fell by 12% in most of the patients of the trial.", 3) is None  # level 3 needs time or order


@settings(max_examples=40)
@given(st.integers(0, 2**31), st.sampled_from([(2, 2), (3, 1)]), st.sampled_from([1, 2]))
def test_options_are_findings_of_which_as_many_as_asked_are_exchanged(
    seed: int, numbers: tuple[int, int], level: int
) -> None:
    made = options(FINDINGS, level, *numbers, seed)
    assert made == options(FINDINGS, level, *numbers, seed)
    assert Counter(right for _, right, _ in made) == Counter({True: numbers[0], False: numbers[1]})
    used = [i for _, _, ids in made for i in ids]
    assert len(used) == len(set(used)) == 4 * level
    for text, right, ids in made:
        assert all(FINDINGS[i] in text for i in ids) is right


def test_the_exchanged_word_does_not_tell_right_from_wrong() -> None:
    seen: Counter[tuple[bool, bool]] = Counter()
    for seed in range(150):
        for text, right, _ in options(FINDINGS, 1, 2, 2, seed):
            seen["increased" in text, right] += 1
    assert abs(seen[True, True] - seen[True, False]) < 50
    assert abs(seen[False, True] - seen[False, False]) < 50


def test_no_question_is_made_of_too_few_findings() -> None:
    few = {i: FINDINGS[i] for i in ("F1", "F2", "F3")}
    assert options(few, 1, 2, 2, 0) == []
    views = tuple(FindingView(id=i, text=text) for i, text in few.items())
    value = WriteQuestionInput(topic="t", level=1, right=2, wrong=2, findings=views)
    assert write_choice_question.keyless(value) == WriteQuestionOutput()
    papers = (sentenced("P1", "We studied rats.", FINDINGS["F1"]),)
    (one,) = brief_papers.keyless(BriefInput(topic="t", level=1, papers=papers)).findings
    assert (one.text, one.sentences) == (FINDINGS["F1"], ("P1.S2",))


@each_row(
    ("option", "says"),
    [
        (FINDINGS["F1"], "shown"),
        (FINDINGS["F1"].replace("increased", "reduced"), "ruled out"),
        (f"{FINDINGS['F1']} {FINDINGS['F2'].replace('decreased', 'elevated')}", "ruled out"),
        ("Whales sing at night in the northern seas, and nobody knows why.", "silent"),
    ],
)
def test_the_second_check_knows_only_what_is_there_word_for_word(option: str, says: str) -> None:
    value = CheckOptionInput(option=option, passages=(sentenced("P1", FINDINGS["F1"], FINDINGS["F2"]),))
    output = check_option.keyless(value)
    check_option.check(value, output)
    assert output.says == says


def test_sub_topics_are_phrases_that_titles_on_the_topic_share() -> None:
    titles = ["Gut microbiota in sepsis", "Sepsis and gut microbiota: a review", "Vitamin D in sepsis", "Stroke care"]
    assert subtopics("sepsis", titles, 3, 6) == [
        ("sepsis and gut microbiota", ("sepsis", "gut microbiota")),
        ("sepsis", ("sepsis",)),
    ]


@each_row(
    "findings",
    [
        [{"text": "It rose in all of them.", "sentences": ["P9.S1"]}],
        [{"text": "It rose in all of them.", "sentences": ["P1.S1", "P2.S1"]}],
    ],
)
def test_findings_of_a_model_name_sentences_of_one_paper(findings: list[dict[str, object]]) -> None:
    value = BriefInput(topic="t", level=1, papers=tuple(sentenced(name, "It rose.") for name in ("P1", "P2")))
    with pytest.raises(InvalidOutput):
        brief_papers.check(value, BriefOutput.model_validate({"findings": findings}))


@each_row(
    "change",
    [
        {"question": " "},
        {"options": [("Aspirin lowers fever.", True)]},
        {"options": [("Aspirin lowers fever.", True), ("aspirin lowers fever. ", False)]},
        {"options": [("Aspirin lowers fever.", True), ("Aspirin raises fever.", False, "F9")]},
    ],
)
def test_a_question_of_a_model_has_the_form_that_was_asked(change: dict[str, object]) -> None:
    value = WriteQuestionInput(
        topic="t", level=1, right=1, wrong=1, findings=(FindingView(id="F1", text="Aspirin lowers fever."),)
    )
    plain: dict[str, object] = {
        "question": "What does aspirin do?",
        "options": [("Aspirin lowers fever.", True), ("Aspirin raises fever.", False)],
    }
    made = plain | change
    options_ = [
        {"text": text, "right": right, "findings": more or ["F1"]}
        for text, right, *more in made["options"]  # type: ignore[attr-defined]
    ]
    output = WriteQuestionOutput.model_validate({"question": made["question"], "options": options_})
    with pytest.raises(InvalidOutput):
        write_choice_question.check(value, output)
