"""What is said of text in a file that nobody can see: it is left out of the document, and its reader is warned."""

from __future__ import annotations

from collections.abc import Sequence

_WORDS = 4
_LONGEST_QUOTED = 100


def caution_on_hidden(pieces: Sequence[str], where: str, why: str = "") -> tuple[str, ...]:
    """One caution on these texts, or none if they are no more than a few characters.

    Args:
        pieces: the hidden texts, in order.
        where: what they are in: `Page 3`, `The file`.
        why: how they are hidden.
    """
    text = " ".join(" ".join(pieces).split())
    if len(text.split()) < _WORDS:
        return ()
    start = text if len(text) <= _LONGEST_QUOTED else f"{text[:_LONGEST_QUOTED].rpartition(' ')[0]} …"
    reason = f" ({why})" if why else ""
    return (f"{where} has text that nobody can see{reason}; it was left out: “{start}”",)
