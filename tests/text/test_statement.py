"""A closed question becomes the statement that `yes` asserts, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medground.text.statement import as_statement

WORDS = st.sampled_from(("does", "is", "can", "aspirin", "reduce", "the", "risk", "of", "a", "safe", "there", "in"))


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Does aspirin reduce the risk of stroke?", "Aspirin reduces the risk of stroke."),
        ("Do statins  cause myopathy?", "Statins cause myopathy."),
        ("Did the training improve survival?", "The training did improve survival."),
        ("Does weight change predict mortality?", "Weight change predicts mortality."),
        ("Does vitamin D supply a need?", None),
        ("Does obesity modify the effect of exercise?", "Obesity modifies the effect of exercise."),
        ("Does the gene have a role in growth?", "The gene has a role in growth."),
        ("Does smoking influence healing and lead to infection?", "Smoking influences healing and lead to infection."),
        ("Do patients benefit?", None),
        ("Can exercise prevent falls?", "Exercise can prevent falls."),
        ("Should children receive zinc?", "Children should receive zinc."),
        ("Is metformin associated with cancer?", "Metformin is associated with cancer."),
        ("Are statins really necessary in old age?", "Statins are really necessary in old age."),
        ("Is obesity a risk factor for gout?", "Obesity is a risk factor for gout."),
        ("Is the use of a stent safe?", "The use of a stent is safe."),
        ("Is there an association of A with B?", "There is an association of A with B."),
        ("Is there any association of A with B?", "There is a association of A with B."),
        ("Are there differences of sex?", "There are differences of sex."),
        ("In patients with sepsis, does fluid improve survival?", "In patients with sepsis, fluid improves survival."),
        ("Is aspirin not effective?", None),
        ("Doesn't aspirin reduce pain?", None),
        ("Is aspirin or warfarin better?", None),
        ("Which drug is better?", None),
        ("Aspirin and pain: does it help?", None),
        ("Does aspirin reduce pain", None),
        ("Is it?", None),
        ("Has aspirin reduced pain?", None),
        ("Is metformin in use?", None),
        ("", None),
    ],
)
def test_a_question_as_a_statement(question: str, statement: str | None) -> None:
    assert as_statement(question) == statement


def test_any_takes_the_right_article() -> None:
    assert as_statement("Is there any benefit of zinc?") == "There is a benefit of zinc."


@given(text=st.text(max_size=80))
def test_any_text_is_accepted(text: str) -> None:
    found = as_statement(text)
    assert found is None or (found.endswith(".") and "?" not in found)


@given(words=st.lists(WORDS, max_size=9))
def test_every_word_but_the_auxiliary_is_kept(words: list[str]) -> None:
    found = as_statement(f"{' '.join(words)}?")
    if found is not None:
        kept = found.lower().rstrip(".").split()
        assert [w.removesuffix("s") for w in kept if w not in ("is", "can")] == [
            w.removesuffix("s") for w in words[1:] if w not in ("is", "can")
        ]
