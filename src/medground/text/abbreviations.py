"""Abbreviations that a text uses for what a question spells out."""

from __future__ import annotations

import re
from functools import lru_cache

from medground.text.words import FUNCTION_WORDS

_WORD = re.compile(r"[^\W\d_]+")
_LENGTHS = (3, 4, 5)
"""Two initials stand for too many things."""


def spelled_out(text: str, question: str) -> str:
    """The text with the initials of neighbouring words of the question written out as those words.

    >>> spelled_out("Celecoxib did not help in ALS.", "Does celecoxib help in amyotrophic lateral sclerosis?")
    'Celecoxib did not help in amyotrophic lateral sclerosis.'
    """
    runs = _runs(question)
    if not runs:
        return text
    return re.sub(rf"\b(?:{'|'.join(runs)})\b", lambda found: runs[found[0]], text)


@lru_cache(maxsize=64)
def _runs(question: str) -> dict[str, str]:
    """The words behind each set of initials."""
    found: dict[str, str] = {}
    pieces = _WORD.findall(question)
    for length in _LENGTHS:
        for start in range(len(pieces) - length + 1):
            run = pieces[start : start + length]
            if not any(word.lower() in FUNCTION_WORDS for word in run):
                found.setdefault("".join(word[0] for word in run).upper(), " ".join(run))
    return found
