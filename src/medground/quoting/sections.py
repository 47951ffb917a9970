"""What the heading over a sentence says about it: the parts of a paper, as authors name them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_I = re.IGNORECASE

PARTS: Mapping[str, re.Pattern[str]] = {
    "back": re.compile(
        r"(?:list of )?abbreviations?\b|competing|(?:declaration of )?conflicts?\b|acknowledg|funding|financial|"
        r"disclosure|authors?\W*(?:s\W+)?(?:contribut|info|statement)|contribut|pre-?publication|"
        r"(?:clinical )?tr[ia]+l reg|(?:clinical |dutch )?trial (?:id|register)|clinicaltrials|registration|"
        r"electronic suppl|supplement|appendi|references|bibliography|ethic|data shar|availability|"
        r"participating invest|consent\b",
        _I,
    ),
    "legend": re.compile(r"(?:fig(?:ure)?|table|box|chart|scheme|plate)\b\.?\s*\w{0,4}$|legends?\b|captions?\b", _I),
    "conclusion": re.compile(
        r"conclu|key (?:messages?|points?)|interpretation|take.home|implications?\b|highlights|in summary|"
        r"(?:executive |author )?summary$|what this\b",
        _I,
    ),
    "results": re.compile(
        r"(?:main |principal |key )?(?:results?|findings?)\b|outcomes?$|adverse |measurements and main res", _I
    ),
    "methods": re.compile(
        r"methods?\b|methodology|materials?\b|patients? and|subjects?\b|participants?\b|"
        r"(?:study |research )?design|setting|interventions?\W*$|statistic|procedures?$|(?:main )?outcome measures?|"
        r"measurements?$|sample|data (?:sources?|collection|extraction|analysis)|study selection|randomi[sz]ation|"
        r"blinding|protocol|eligibility|population$",
        _I,
    ),
    "opening": re.compile(
        r"background|introduction|context|rationale|purpose|aims?\b|objectives?|hypothes|summary of background|"
        r"literature|what.*known|goals?$|importance$",
        _I,
    ),
    "discussion": re.compile(r"discussion|comments?$|limitations?|strengths|editorial|perspectives|future", _I),
}
"""By part, how its heading begins. The first that fits counts."""
NAMES = ("abstract", *PARTS)
FOUND = ("conclusion", "results", "discussion")
"""Parts in which a paper says what it found."""
_NUMBER = re.compile(r"^(?:(?:\d+|[ivx]+)[.)]\s*)*(?:\d+(?:\.\d+)*\s+)?", _I)
_ABSTRACT = re.compile(r"(?:structured )?abstract\b|summary\s*>", _I)
_BOTH = re.compile(r"\b(?:results?|methods?|discussions?)\W+(?:and|&)\W+(.+)$", _I)


@lru_cache(maxsize=4096)
def parts(heading: str | None) -> tuple[float, ...]:
    """1.0 for each part of a paper that a heading names, in the order of `NAMES`.

    Args:
        heading: the heading with those above it, as in `Abstract > Results`; None if there is none.

    The heading nearest to the text that names a part counts: `Discussion > Conclusions` is a conclusion. Of a part
    with two names, such as `Results and discussion`, both count.
    """
    found = dict.fromkeys(NAMES, 0.0)
    levels = [_NUMBER.sub("", level.strip()) for level in (heading or "").split(">")]
    found["abstract"] = float(bool(_ABSTRACT.match(heading or "")))
    for level in reversed(levels):
        named = [part for name in _names(level) if (part := _part(name))]
        if named:
            found.update(dict.fromkeys(named, 1.0))
            break
    return tuple(found.values())


def _names(level: str) -> tuple[str, ...]:
    second = _BOTH.search(level)
    return (level, second[1]) if second else (level,)


def _part(name: str) -> str | None:
    return next((part for part, form in PARTS.items() if form.match(name)), None)
