"""Direct wordings of a person at risk (`rules.toml`), and a question as the plain words that are read."""

import functools
import re

from medground.home.files import tables
from medground.language.clean import without_accents
from medground.values.decision import NoticeKind

RULES: tuple[NoticeKind, ...] = ("self-harm", "emergency", "see-doctor")
"""The kinds that have direct wordings, the most urgent first."""
LONGEST = 60
"""Words of a text that is not a letter."""
_TOGETHER = 2
"""Sentences of a letter that are read together."""


_DENIAL = 10
"""Words of a text that may be nothing but a denial, at most."""


def first_rule(words: str) -> NoticeKind | None:
    """The kind of the first wording that the words of a question have; None if they have none."""
    return next((kind for kind in RULES if _patterns()[kind].search(words)), None)


def is_denial(words: str) -> bool:
    """Whether the words of a text of one short sentence deny a danger or tell of the past."""
    said = words.removesuffix(" .")
    return " . " not in said and len(said.split()) <= _DENIAL and _patterns()["denied"].search(words) is not None


@functools.cache
def _patterns() -> dict[str, re.Pattern[str]]:
    found = tables("language/risk", "rules")
    return {name: re.compile(rf"\b(?:{'|'.join(lines)})\b") for name, lines in found.items()}


def parts(words: str) -> list[str]:
    """A question; of a long letter, each sentence with the next, because the whole holds signs of everything."""
    sentences = words.split(" . ")
    if len(words.split()) <= LONGEST or len(sentences) < _TOGETHER:
        return [words]
    together = (" . ".join(sentences[n : n + _TOGETHER]) for n in range(len(sentences) - _TOGETHER + 1))
    return [*dict.fromkeys(together)]


_TOKEN = re.compile(r"[a-z0-9]+|[.?!;:]+")
_APOSTROPHES = re.compile("['’‘`´ʼ\u00ad\u200b-\u200f\u2060\ufeff]")
_QUOTED = re.compile(r"[\"“”„«»][^\"“”„«»]*[\"“”„«»]")
_OWN = re.compile(r"\b(?:i|im|my|me)\b", re.IGNORECASE)

_SPELLINGS = tables("language/risk", "spellings")
_MENDED = {wrong: right for right, many in _SPELLINGS["misspelt"].items() for wrong in many.split()}
_PAIRS: dict[str, str] = _SPELLINGS["pairs"]
_PAIR = re.compile(rf"\b(?:{'|'.join(_PAIRS)})\b")


def plain(text: str) -> str:
    """The words of a text with one space between them; the end of a sentence is a word of its own, a full stop.

    What others are quoted as saying is left out, unless the text speaks of its writer ("my son said ...").
    """
    folded = _without_quotes(_APOSTROPHES.sub("", without_accents(text).replace("ı", "i")).casefold())
    words = (_MENDED.get(word, word) if word[0].isalnum() else "." for word in _TOKEN.findall(folded))
    return _PAIR.sub(lambda found: _PAIRS[found[0]], " ".join(words))


def _without_quotes(text: str) -> str:
    if not _QUOTED.search(text):
        return text
    outside = _QUOTED.sub(" . ", text)
    return outside if re.search(r"\w", outside) and not _OWN.search(outside) else text
