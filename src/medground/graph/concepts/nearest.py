"""Names close to a term that no concept has."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from medground.graph.names import name_key

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
