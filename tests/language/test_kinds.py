"""What questions ask and sentences tell, by what words mean."""

import pytest

from medground.language import kinds, words
from medground.language.kinds import meaning, vectors_of


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("how long does someone with thing live", "outlook"),
        ("is thing catching", "spread"),
        ("which gene is mutated in thing", "genetic changes"),
        ("Which protein does thing bind?", "other"),
    ],
)
def test_what_a_question_asks(question: str, kind: str) -> None:
    assert kinds.KINDS[kinds.asked(question).argmax()] == kind


def test_what_a_sentence_tells() -> None:
    told = kinds.told(words.stems("Most people with it have a full recovery within days, and it is seldom fatal."))
    assert kinds.KINDS[told.argmax()] == "outlook"


def test_words_of_like_meaning_are_near() -> None:
    children, kids, kidney, unknown = vectors_of(map(words.stem, ("children", "kids", "kidney", "xqzzy")))
    assert children @ kids > children @ kidney
    assert not unknown.any() and not meaning([]).any()
