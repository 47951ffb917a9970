"""Whether a text is English, and whether it asks for news or for people's own experience."""

from __future__ import annotations

import re

from medground.language.word_lists import word_lists

# Whether a text looks English, by its function words.

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
    return other_script > len(words) / 2 or (foreign >= 2 and foreign > english)


# Whether a text asks for news or for people's own experience: pages of the web then come before the literature.

_ASKED = re.compile(
    r"\b(?:news|latest|newest|this (?:week|month|year)|today|current(?:ly)? (?:outbreak|shortage|recall)s?|"
    r"recently (?:approved|announced|recalled)|announce(?:d|ments?)|press release|recalls?|"
    r"patients?['’]? (?:experiences?|stories|reviews|forums?)|experiences? (?:of|from) (?:patients?|people|users)|"
    r"(?:lived|personal) experiences?|testimonials?|what (?:do|did) (?:patients|people|users) (?:say|report))\b",
    re.IGNORECASE,
)


def asks_for_news(text: str) -> bool:
    """Whether a question asks for news or experience.

    >>> asks_for_news("What is the latest news on the shortage of amoxicillin?")
    True
    >>> asks_for_news("Does amoxicillin help in otitis media?")
    False
    """
    return _ASKED.search(text) is not None
