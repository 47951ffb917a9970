"""What kind of question a text is: the kinds of answer that it asks for, whether it is English, and whether it asks for
news or for people's own experience.
"""

from __future__ import annotations

import re

from medground.language.word_lists import forms, word_lists

KINDS = forms("kinds")
"""What a question may ask for. Several may hold."""


def kinds_of(question: str) -> frozenset[str]:
    """The names of `KINDS` that hold."""
    return frozenset(kind for kind, form in KINDS.items() if form.search(question))


_WORD = re.compile(r"[^\W\d_]+")
_LISTS = word_lists("common_words")
_ENGLISH, _OTHER = _LISTS["english"], _LISTS["other languages"]
_LAST_LATIN = "\u024f"
ENGLISH_ONLY = "the question does not look English; only English is read, and nothing was translated"
"""The warning for a question in another language."""


def looks_foreign(text: str) -> bool:
    """Whether function words of another language outnumber the English ones. In case of doubt, the text is English."""
    words = [word.casefold() for word in _WORD.findall(text)]
    foreign = sum(word in _OTHER - _ENGLISH for word in words)
    english = sum(word in _ENGLISH - _OTHER for word in words)
    other_script = sum(min(word) > _LAST_LATIN for word in words)
    few = 1 if text.rstrip().endswith("?") and not english else 2  # "Cri du chat syndrome" has one, and is English
    return other_script > len(words) / 2 or (foreign >= few and foreign > english)


_NEWS = re.compile(
    r"\b(?:news|latest|newest|this (?:week|month|year)|today|current(?:ly)? (?:outbreak|shortage|recall)s?|"
    r"recently (?:approved|announced|recalled)|announce(?:d|ments?)|press release|recalls?|"
    r"patients?['’]? (?:experiences?|stories|reviews|forums?)|experiences? (?:of|from) (?:patients?|people|users)|"
    r"(?:lived|personal) experiences?|testimonials?|what (?:do|did) (?:patients|people|users) (?:say|report))\b",
    re.IGNORECASE,
)


def asks_for_news(text: str) -> bool:
    """Whether a question asks for news or experience: pages of the web then come before the literature.

    >>> asks_for_news("What is the latest news on the shortage of amoxicillin?")
    True
    >>> asks_for_news("Does amoxicillin help in otitis media?")
    False
    """
    return _NEWS.search(text) is not None
