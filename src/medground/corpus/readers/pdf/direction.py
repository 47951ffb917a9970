"""Lines of Arabic, Hebrew and the like: a PDF has them from left to right, a reader takes them from right to left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from medground.corpus.readers.pdf.glyphs import Glyph

_LEFTWARD = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_SIGNS = dict(zip("()[]{}<>\u00ab\u00bb", ")(][}{><\u00bb\u00ab", strict=True))


def runs_leftward(glyphs: Sequence[Glyph]) -> bool:
    """Whether most letters of a line are of a script that runs to the left."""
    if _LEFTWARD.search("".join(glyph.text for glyph in glyphs)) is None:
        return False
    letters = [glyph.text for glyph in glyphs if any(char.isalpha() for char in glyph.text)]
    return 2 * sum(_LEFTWARD.search(text) is not None for text in letters) > len(letters)


def mirrored(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """The glyphs of such a line as if it ran to the right, in the order of reading.

    Numbers and Latin words keep their own order. Places are mirrored, so gaps stay what they are; a bracket opens
    on the other side.
    """
    found: list[Glyph] = []
    for rightward, run in groupby(_marked(glyphs), key=lambda pair: pair[1]):
        part = [glyph for glyph, _ in run]
        if rightward:
            part = _turned(part)
        found += part
    return [g._replace(left=-g.right, right=-g.left, text=_read(g.text)) for g in found]


def _read(text: str) -> str:
    """A sign mirrored; the letters of a ligature, which the file has from left to right, in the order of reading."""
    return text[::-1] if _LEFTWARD.search(text) else _SIGNS.get(text, text)


def _marked(glyphs: Sequence[Glyph]) -> list[tuple[Glyph, bool]]:
    """From right to left, each glyph with whether it is part of a number or a Latin word."""
    ordered = sorted(glyphs, key=lambda glyph: -glyph.left)
    kinds = [_kind(glyph) for glyph in ordered]
    for at, kind in enumerate(kinds):
        before, after = (next((k for k in part if k), "") for part in (kinds[:at][::-1], kinds[at + 1 :]))
        if not kind:
            kinds[at] = "right" if before == after == "right" else "left"
    return [(glyph, kind == "right") for glyph, kind in zip(ordered, kinds, strict=True)]


def _kind(glyph: Glyph) -> str:
    """`left` or `right` by its script; empty for a sign or a space, which follows its neighbours."""
    if _LEFTWARD.search(glyph.text):
        return "left"
    return "right" if glyph.text.strip() and glyph.text[0].isalnum() else ""


def _turned(part: list[Glyph]) -> list[Glyph]:
    """A number or Latin words, back in their own order, at the places that they take together."""
    left, right = min(glyph.left for glyph in part), max(glyph.right for glyph in part)
    return [g._replace(left=left + right - g.right, right=left + right - g.left) for g in reversed(part)]
