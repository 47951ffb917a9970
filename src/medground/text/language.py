"""Whether a text looks English, by its function words."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH = _words(
    """a an the is are was were do does did has have of in on for with to from by and or not what which who how when
    where why can could should will would than that this there it"""
)
_OTHER = _words(
    """el la los las un una unos del en que qué cuál cuáles cómo cuándo dónde por para con sin es son está están tiene
    tienen puede y sobre entre le les une des du dans pour avec est sont quel quelle quels quelles comment quand et sur
    der die das ein eine einen den dem ist sind hat haben mit von für wie was wann und oder nicht bei wird il lo gli
    della di che come quando sono è nel o os as um uma não com são na no da do"""
)
_LAST_LATIN = "\u024f"
ENGLISH_ONLY = "the question does not look English; only English is read, and nothing was translated"
"""The warning for a question in another language."""


def looks_foreign(text: str) -> bool:
    """Whether function words of another language outnumber the English ones. In case of doubt, the text is English."""
    words = [word.casefold() for word in _WORD.findall(text)]
    foreign = sum(word in _OTHER - _ENGLISH for word in words)
    english = sum(word in _ENGLISH - _OTHER for word in words)
    other_script = sum(min(word) > _LAST_LATIN for word in words)
    return other_script > len(words) / 2 or (foreign >= 2 and foreign > english)
