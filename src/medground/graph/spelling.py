"""Correct words that no name of the graph has: at most two, and never silently."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from medground.graph.names import name_key
from medground.graph.store import GraphStore
from medground.graph.vocabulary import ALL, CONDITIONS

SHORTEST = 5
"""A shorter word is close to too many others."""
_LONG = 10
_MOST = 2


def corrected(store: GraphStore, words: Sequence[str]) -> tuple[list[str], tuple[str, ...]] | None:
    """The words with one or two misspelt ones replaced, and a note for each. None if there are none, or more."""
    known = store.words() | ALL
    unknown = [word for word in words if _misspelt(word, known)]
    if not 1 <= len(unknown) <= _MOST:
        return None
    meant = {word: near for word in unknown if (near := _nearest(word.casefold(), known))}
    notes = tuple(f"“{word}” read as “{near}”" for word, near in meant.items())
    return ([meant.get(word, word) for word in words], notes) if meant else None


def _misspelt(word: str, known: frozenset[str]) -> bool:
    plain = word.casefold().removesuffix("'s")
    if len(plain) < SHORTEST or not plain.isalpha() or plain in known or plain in CONDITIONS:
        return False
    # "Anaemia" and "seizures" are spellings of what is known.
    return name_key(plain) not in known


def _nearest(word: str, known: frozenset[str]) -> str:
    """The only known word within one change, or two for a long word, that begins with the same letter."""
    for most in range(1, 3 if len(word) >= _LONG else 2):
        near = process.extract(word, known, scorer=OSA.distance, score_cutoff=most, limit=4)
        same = [found for found, _, _ in near if found[0] == word[0] and len(found) >= SHORTEST]
        keys = {name_key(found) for found in same}
        if same:
            return same[0] if len(keys) == 1 else ""
    return ""
