"""Compare the quoted passages of a written sentence with their sources, letter by letter.

White space, case, and the typography of quotes, dashes and signs do not count, and a passage may leave out words with
an ellipsis or brackets. Everything else does: a changed number, a changed word, a word cut short.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import islice

from medground.verify.references import UNSEEN

LEAST_WORDS = 4
"""Words of a passage in quotes that is compared; fewer are a term, such as “number needed” or “gold standard”."""
_MOST_ENDS = 12
"""Marks after an opening single quote that are tried as its end; the others are apostrophes."""
_FORMS = str.maketrans(
    dict.fromkeys("‐‑‒–—―−﹣－", "-")
    | dict.fromkeys("‘’‚‛′`´", "'")
    | dict.fromkeys("“”„‟″«»", '"')
    | {"×": "x", "·": ".", "⋅": "."}
)
_SPACED = re.compile(r"\s*([%<>=≤≥±/()\[\],;:+])\s*|\s*(-)\s+|\s+(-)(?!\d)")
"""Signs around which spaces do not count; a space before a minus does, because `-5` is not `5`."""
_GAP = re.compile(r"\[[^\]]*\]|\(\s*(?:\.\s?){3,}\)|(?:\.\s?){3,}|…")
_DOUBLE = re.compile(r"“([^“”]*)(?:”|$)|„([^„“”]*)(?:[“”]|$)|«([^«»]*)(?:»|$)|^([^“”]*)”")
_STRAIGHT = re.compile(r'(?<![\w"])"(?=\S)([^"]*)(?:"|$)')
_LATEX = re.compile(r"``|''")
_SINGLE = re.compile(r"(?<![\w'])(?:‘|')(?=\w)")
_SINGLE_END = re.compile(r"(?<=[\w.,;:!?%)])(?:’|')(?!\w)")


def altered_quotations(sentence: str, sources: Iterable[str]) -> list[str]:
    """The quoted passages of a sentence that none of the sources contains.

    Args:
        sentence: a written sentence.
        sources: the texts that may be quoted.
    """
    passages = list(_passages(_LATEX.sub('"', sentence)))
    if not passages:
        return []
    texts = [_normal(source) for source in sources]
    return [readings[0] for readings in passages if not any(_is_in(r, text) for r in readings for text in texts)]


def _passages(sentence: str) -> Iterator[list[str]]:
    """The passages in quotes that are long enough, each with its readings: a single quote may be a possessive."""
    for pattern in (_DOUBLE, _STRAIGHT):
        for match in pattern.finditer(sentence):
            passage = next(group for group in match.groups() if group is not None)
            if _is_long(passage):
                yield [passage.strip()]
    end = 0
    for opening in _SINGLE.finditer(sentence):
        if opening.start() < end:
            continue
        closings = list(islice(_SINGLE_END.finditer(sentence, opening.end()), _MOST_ENDS))
        readings = [sentence[opening.end() : close.start()].strip() for close in closings]
        if readings and _is_long(readings[-1]):
            yield [*(r for r in readings if _is_long(r)), *([] if _is_long(readings[0]) else readings[:1])]
            end = closings[-1].end()


def _is_long(passage: str) -> bool:
    return len(passage.split()) >= LEAST_WORDS


def _is_in(passage: str, text: str) -> bool:
    """Whether the parts of a passage, between its gaps, stand in a normalised text in this order, as whole words."""
    at = 0
    for part in _GAP.split(passage):
        wanted = _normal(part).strip(" .,;:!?'\"")
        if not wanted:
            continue
        place = _whole(wanted, text, at)
        if place is None:
            return False
        at = place + len(wanted)
    return True


def _whole(wanted: str, text: str, at: int) -> int | None:
    """Where a part stands in a text as whole words and whole numbers, from a position on."""
    while (place := text.find(wanted, at)) >= 0:
        before, after = text[max(place - 2, 0) : place], text[place + len(wanted) : place + len(wanted) + 2]
        if not _cuts(before[::-1], wanted[0]) and not _cuts(after, wanted[-1]):
            return place
        at = place + 1
    return None


def _cuts(beside: str, edge: str) -> bool:
    """Whether a part ends within a word or a number: `5 %` of `25 %`, `5` of `0.5`, and 5 of -5 are other figures."""
    if not beside or not edge.isalnum():
        return False
    if beside[0].isalnum():
        return True
    return (
        edge.isdigit() and beside[0] in ".,-" and (beside[1:2].isdigit() or (beside[0] == "-" and beside[1:2] == " "))
    )


def _normal(text: str) -> str:
    folded = unicodedata.normalize("NFKC", unescape(text).translate(_FORMS)).translate(_FORMS)
    return _SPACED.sub(r"\1\2\3", " ".join(UNSEEN.sub("", folded).casefold().split()))
