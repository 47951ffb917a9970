"""Fold names for comparison, ignoring case, accents, punctuation and spacing.

Opening the vocabulary folds more than a hundred thousand names, so folding takes only two passes over bytes.
"""

from __future__ import annotations

import unicodedata

from medground.pubmed.characters import GREEK

_DROPPED = b"',"
"""Removed without a space: `Marfan's` becomes `marfans`, and the comma of an inverted name is redundant."""
_KEPT = set(b"abcdefghijklmnopqrstuvwxyz0123456789|\n")
_TABLE = bytes(b if b >= 128 or b in _KEPT else ord(" ") for b in bytes(range(256)).lower())
_REPLACED = str.maketrans({**GREEK, "’": ""})


def fold(name: str) -> str:
    """Return the name in lower case, without accents and punctuation, and with Greek letters spelt out."""
    if name.isascii() and name.isalnum():
        return name.lower()
    if not name.isascii():
        decomposed = unicodedata.normalize("NFKD", name.casefold().translate(_REPLACED))
        name = "".join(c for c in decomposed if not unicodedata.combining(c))
    folded = name.casefold().encode("utf-8", "replace").translate(_TABLE, _DROPPED).replace(b"|", b" ")
    return " ".join(folded.decode("utf-8").split())


def fold_lines(text: str) -> str:
    """Fold many names at once, separated by `|` and line ends. Only ASCII names are folded fully."""
    folded = text.encode("utf-8").translate(_TABLE, _DROPPED)
    while b"  " in folded:
        folded = folded.replace(b"  ", b" ")
    for mark in (b"|", b"\n"):
        folded = folded.replace(b" " + mark, mark).replace(mark + b" ", mark)
    return folded.decode("utf-8").strip(" ")
