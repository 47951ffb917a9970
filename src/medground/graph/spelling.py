"""Correct words that no name of the graph has: at most two, and never silently."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from medground.graph.names import name_key
from medground.graph.store import GraphStore
from medground.graph.vocabulary import ALL, CONDITIONS, CUES

SHORTEST = 5
"""A shorter word is close to too many others."""
_LONG = 10
_SURE = 8
_MOST = 2
_SLIPS = frozenset({"syndrom"})
"""Misspelt in a name of the ontology itself."""
_ASKING = CUES["feature"] | CUES["inheritance"] | CUES["gene"]
"""Words of questions that are worth correcting; others are short or close to too many."""


def corrected(store: GraphStore, words: Sequence[str]) -> dict[str, str]:
    """The one or two misspelt words, each with the word that it stands for. Empty if there are none, or more."""
    counts = store.words()
    unknown = [word for word in words if _misspelt(word, counts)]
    if not 1 <= len(unknown) <= _MOST:
        return {}
    names = [*(word for word, names in counts.items() if names and word not in _SLIPS), *_ASKING]
    return {word: near for word in unknown if (near := _nearest(word.casefold(), names))}


def is_sure(name: str, meant: Mapping[str, str], *, alone: bool = False) -> bool:
    """Whether a name with corrected words is certain enough to answer: "Tietze" is not a misspelt "Tietz".

    It is if a distinctive word of it is right, or if every misspelt one is long, or shows a slip that seldom makes
    another word: a letter doubled or not ("Marfann"), two letters swapped. If one word is all that the question names
    (`alone`), it may be the right word for something else, so that only such a slip is certain.
    """
    distinctive = [word for word in name.split() if word.casefold() not in CUES["disease"]]
    if not set(distinctive) <= set(meant.values()):
        return True
    wrong = [(word.casefold(), near) for word, near in meant.items() if near in distinctive]
    one_word = alone and " " not in name
    return all((len(word) >= _SURE and not one_word) or _is_slip(word, near) for word, near in wrong)


def _is_slip(word: str, near: str) -> bool:
    swapped = len(word) == len(near) and sorted(word) == sorted(near)
    return swapped or _single(word) == _single(near)


def _single(word: str) -> str:
    return re.sub(r"(.)\1", r"\1", word)


def _misspelt(word: str, known: Mapping[str, int]) -> bool:
    plain = word.casefold().removesuffix("'s")
    if plain in _SLIPS:
        return True
    if len(plain) < SHORTEST or not plain.isalpha() or plain in known or plain in ALL | CONDITIONS:
        return False
    # "Anaemia" and "seizures" are spellings of what is known.
    return name_key(plain) not in known


def _nearest(word: str, known: Sequence[str]) -> str:
    """The only known word within one change, or two for a long word, that begins with the same letter."""
    for most in range(1, 3 if len(word) >= _LONG else 2):
        near = process.extract(word, known, scorer=OSA.distance, score_cutoff=most, limit=4)
        same = [found for found, _, _ in near if found[0] == word[0] and len(found) >= SHORTEST]
        keys = {name_key(found) for found in same}
        if same:
            return same[0] if len(keys) == 1 else ""
    return ""
