"""Whether a text looks English, by its function words."""

from __future__ import annotations

import re

from medground.text.word_lists import word_lists

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
