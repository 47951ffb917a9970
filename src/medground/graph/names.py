"""Names made comparable: spellings, word orders and plurals of one have one key. And the words that questions use."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from medground.home.files import rows, tables
from medground.language.pattern import lazy_pattern

FULL, NUMBER_LOST, HEAD = 0, 1, 2
"""How much of a name a key keeps: all of it, all but the number in a series, or the syndrome's family name."""

_GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "κ": "kappa", "λ": "lambda"}
_POSSESSIVE = lazy_pattern(r"['’]s\b")
_WORD = lazy_pattern(r"[a-z0-9]+")
_NUMERALS = "i ii iii iv v vi vii viii ix x"
_ROMAN = {roman: str(number) for number, roman in enumerate(_NUMERALS.split(), start=1)}
_ALWAYS_ROMAN = _ROMAN.keys() - {"i", "v", "x"}
_EMPTY = {"of", "the", "type"}
_DIRECTED = {"than", "relative", "to"}
_OPPOSITES = ({"left", "right"}, {"alpha", "beta"}, {"cone", "rod"})
_SAME = {"classical": "classic", "hypermobile": "hypermobility"}
_SPELLING = tuple((lazy_pattern(said), written) for said, written in tables("graph", "words")["spelling"]["rules"])
_SERIES = lazy_pattern(r",?\s+(?:type\s+(?:\d+[A-Za-z]?|[IVX]+[A-Za-z]?|[A-Z])|\d+[A-Za-z]?|[IVX]{1,4}[A-C]?)$")


def name_key(text: str) -> str:
    """The key of a name: its words without case, accents, hyphens, plural, possessive, British spelling or order.

    Two names with the same key name the same thing: "Dislocation of the lens" and "lens dislocations", "Ehlers-Danlos
    syndrome, classic type" and "classical Ehlers Danlos syndrome". Empty if the text has no words.
    """
    spelled = spelling(text)
    # A different word order would name something else: "left-to-right shunt", "rod-cone dystrophy".
    directed = not _DIRECTED.isdisjoint(spelled) or any(pair.issubset(spelled) for pair in _OPPOSITES)
    return " ".join(spelled if directed or sum(word.isdigit() for word in spelled) > 1 else sorted(spelled))


def spelling(text: str) -> list[str]:
    """The words of a name as its key has them, in the order of the name."""
    plain = text.casefold() if text.isascii() else _ascii(text)
    words = _WORD.findall(_POSSESSIVE.sub("", plain))
    after_type = [False, *(word == "type" for word in words)]
    numbered = [
        _ROMAN.get(word, word) if after or word in _ALWAYS_ROMAN else word
        for word, after in zip(words, after_type, strict=False)
    ]
    return [_spelled(word) for word in numbered if word not in _EMPTY]


def disease_keys(name: str) -> Iterator[tuple[str, int]]:
    """Keys of a disease name, with how much of the name each one keeps.

    "Ehlers-Danlos syndrome, classic type, 2" is also found without its number, and as one of the "Ehlers-Danlos
    syndrome" family. The number is kept if only one other word would be left ("Trisomy 13").
    """
    yield name_key(name), FULL
    if "susceptib" in name:
        return
    short = _SERIES.sub("", name)
    if short != name and len(short.split()) > 1:
        kept = HEAD if short.endswith("syndrome") and ", type" in name else NUMBER_LOST
        yield name_key(short), kept
    head, comma, _ = name.partition(",")
    if comma and head.endswith(" syndrome"):
        yield name_key(head), HEAD


def _ascii(text: str) -> str:
    folded = "".join(_GREEK.get(c, c) for c in unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in folded if not unicodedata.combining(c))


@lru_cache(maxsize=65_536)  # the names of a release have about 15,000 different words
def _spelled(word: str) -> str:
    word = _SAME.get(word, word)
    if len(word) > 3:
        for pattern, replacement in _SPELLING:
            word = pattern.sub(replacement, word)
    return word


# The words of questions to the graph: what says nothing, and what says what is asked.


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


WORDS = {name: word_set(words) for name, words in rows("graph", "question_words")}
EMPTY = WORDS["empty"]
"""Words that do not change which relation is asked for."""
CONDITIONS = WORDS["conditions"]
"""Words that narrow a question to what no relation covers: they are never taken for a misspelt name."""
CUES = {name.removeprefix("cue "): words for name, words in WORDS.items() if name.startswith("cue ")}
"""What is asked, by the words that ask it."""

RECORD_ONLY = CUES["link"] - word_set("characterised characterized combine combines combining share both together")
"""Words that ask for more than a feature, so that a missing record does not answer them."""

JOINTS = {"and": "and", "or": "or", "&": "and", ",": "and", "/": "or", "plus": "and"}
"""Words between two names of one kind."""

ALL = EMPTY.union(*CUES.values())


_PHRASES = tables("graph", "question_phrases")
SAID = {name: lazy_pattern("".join(pieces), re.IGNORECASE) for name, pieces in _PHRASES["said"].items()}
"""Courtesy, lead-ins and what refers back, by name."""
EXAMPLES: list[str] = _PHRASES["examples"]
"""Wordings that the graph understands, with places for names."""
SAME = [(lazy_pattern(said, re.IGNORECASE), word) for said, word in _PHRASES["same"]]
"""Phrases that say the same as one word."""
ASKS = [(lazy_pattern(rf"(?i)\b(?:{said})\b"), words) for said, words in _PHRASES["asks"]]
"""Phrases, and words of the predicates that a question asks for with them."""


def cues_of(word: str) -> frozenset[str]:
    """The cues that a word may give."""
    return frozenset(cue for cue, words in CUES.items() if word in words)


_ALIKE = 0.6
"""Names less alike than this are not worth a suggestion: difflib's ratio, and the share of words in common."""


def nearest(term: str, names: Iterable[str], limit: int) -> tuple[str, ...]:
    """Those of the names that are most like a term, each once."""
    key = name_key(term)
    asked = set(key.split())
    best: dict[str, tuple[float, str]] = {}
    for name in names:
        own = name_key(name)
        having = set(own.split())
        ratio = SequenceMatcher(None, key, own).ratio() + len(asked & having) / max(len(asked | having), 1)
        if ratio >= _ALIKE and (own not in best or ratio > best[own][0]):
            best[own] = (ratio, name)
    order = sorted(best.values(), key=lambda found: (-found[0], found[1]))
    return tuple(name for _, name in order[:limit])
