"""How names are compared: case, accents, punctuation and spacing do not count.

Names are folded by the hundred thousand when the vocabulary opens, so the folding is two passes over bytes.
"""

from __future__ import annotations

import unicodedata

from medground.pubmed.characters import GREEK

_DROPPED = b"',"
"""`Marfan's` is `marfans`, and the comma of an inverted name says nothing that the order of the words does not."""
_KEPT = set(b"abcdefghijklmnopqrstuvwxyz0123456789|\n")
_TABLE = bytes(b if b >= 128 or b in _KEPT else ord(" ") for b in bytes(range(256)).lower())
_SPELT = str.maketrans({**GREEK, "’": ""})


def fold(name: str) -> str:
    """The name in small letters and single spaces, without accents and punctuation; Greek letters are spelt."""
    if name.isascii() and name.isalnum():
        return name.lower()
    if not name.isascii():
        spread = unicodedata.normalize("NFKD", name.casefold().translate(_SPELT))
        name = "".join(c for c in spread if not unicodedata.combining(c))
    folded = name.casefold().encode("utf-8", "replace").translate(_TABLE, _DROPPED).replace(b"|", b" ")
    return " ".join(folded.decode("utf-8").split())


def fold_lines(text: str) -> str:
    """Fold all names of a text at once. Names are separated by `|` and line ends; only those in ASCII can be found."""
    folded = text.encode("utf-8").translate(_TABLE, _DROPPED)
    while b"  " in folded:
        folded = folded.replace(b"  ", b" ")
    for mark in (b"|", b"\n"):
        folded = folded.replace(b" " + mark, mark).replace(mark + b" ", mark)
    return folded.decode("utf-8").strip(" ")
