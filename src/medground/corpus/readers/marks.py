"""Marks that a file bears when its paper was retracted: a banner above its text, a running head, a watermark."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from medground.retraction_abroad import said_alone
from medground.retraction_titles import said_by

_THING = r"(?:article|paper|chapter|manuscript|study|preprint|publication|review|letter)"
_DONE = r"(?:retracted|withdrawn)"
_ALONE = re.compile(rf"(?:(?:this )?{_THING} )?(?:has been )?{_DONE}(?: {_THING})?(?: \d{{4}})?", re.IGNORECASE)
_SENTENCE = re.compile(
    rf"\W*(?:\w+: )?(?:this|the above) {_THING} (?:has been|was|is) {_DONE}"
    r"(?=\W*$|\s*[.:;,!(]| (?:by|at|because|due|following|from|on|in|see|and)\b)"
    rf"|\W*(?:the |a )?retraction (?:note|notice) (?:to|for|of) this {_THING}\b",
    re.IGNORECASE,
)
_OUTSIDE = " \t\n*_#=~|.:!<>[](){}【】（）-–—"
_LONGEST = 600
_SHOWN = 100
_ABOVE = 5


def is_banner(line: str) -> bool:
    """Whether a line that stands by itself says that its paper was retracted.

    `RETRACTED ARTICLE` and `This article has been retracted.` do; a sentence on retracted articles does not.
    """
    words = " ".join(line.split())
    if not words or len(words) > _LONGEST:
        return False
    return bool(_SENTENCE.match(words)) or is_stamp(words)


def is_stamp(words: str) -> bool:
    """Whether the words of a watermark or a banner are no more than that the paper was retracted."""
    plain = " ".join(words.strip(_OUTSIDE).split())
    return bool(_ALONE.fullmatch(plain)) or said_alone(plain) == "retracted"


def above(lines: Iterable[str]) -> Iterator[str]:
    """The first lines of a text, where a banner stands."""
    given = (line.strip() for line in lines)
    for _, line in zip(range(_ABOVE), filter(None, given), strict=False):
        yield line


def _is_title(line: str) -> bool:
    """Whether a line is the title of a retracted paper; a sentence that ends in a full stop is none."""
    return not line.rstrip().endswith(".") and said_by(line) == "retracted"


def marked(lines: Iterable[str]) -> dict[str, Any]:
    """The fields of a document that says of itself in one of these lines that it was retracted; none if no line does.

    A line may also be the title, or a running head with it: `RETRACTED: Aspirin and stroke`.
    """
    found = next((line for line in lines if is_banner(line) or _is_title(line)), None)
    if found is None:
        return {}
    words = " ".join(found.split())
    shown = words if len(words) <= _SHOWN else f"{words[:_SHOWN].rpartition(' ')[0]} …"
    return {"retraction": "retracted", "cautions": (f"The file is marked as retracted: “{shown}”",)}
