"""British and American spelling, by the few rules of letters in which they differ."""

from __future__ import annotations

import re
from functools import lru_cache

_RULES = (
    (re.compile(r"(?<=\w)[ao]e|^[ao]e(?=\w\w)"), "e"),
    (re.compile(r"(?<=\w\w)our(?=s?\b|al|ed\b|ing)"), "or"),
    (re.compile(r"is(?=e[ds]?\b|ers?\b|ing\b|ations?\b)"), "iz"),
    (re.compile(r"ys(?=e[ds]?\b|ers?\b|ing\b)"), "yz"),
    (re.compile(r"(?<=[tb])re(?=s?\b)"), "er"),
    (re.compile(r"sulph"), "sulf"),
    (re.compile(r"leuco"), "leuko"),
)
_BACK = (("e", "ae"), ("e", "oe"), ("or", "our"), ("iz", "is"), ("yz", "ys"), ("er", "re"), ("sulf", "sulph"))
_LEAST = 5
"""Letters of a word that is spelt in two ways; `does` and `des`, `four` and `for` are not the same."""


def american(text: str) -> str:
    """Lower-case words in American spelling, as far as rules of letters know: `journal` and `noise` come out wrong."""
    for british, plain in _RULES:
        text = british.sub(plain, text)
    return text


@lru_cache(maxsize=4096)
def spellings(word: str) -> tuple[str, ...]:
    """The other spellings that a lower-case word may have; some of them are no words."""
    plain = american(word)
    if len(plain) < _LEAST or not word.isalpha():
        return ()
    places = ((one, other, m.start()) for one, other in _BACK for m in re.finditer(one, plain))
    british = [plain[:at] + other + plain[at + len(one) :] for one, other, at in places]
    return tuple(w for w in dict.fromkeys((plain, *british)) if w != word and american(w) == plain)
