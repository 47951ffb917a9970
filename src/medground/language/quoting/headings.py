"""The parts of a paper that a heading names."""

import re
from functools import lru_cache

from medground.language.pattern import lazy_pattern, verbose_pattern

_I = re.IGNORECASE
_PARTS = {
    "back": verbose_pattern(
        r"""
        (?:list\ of\ )?abbreviations?\b|competing|(?:declaration\ of\ )?conflicts?\b|acknowledg|funding|financial|
        disclosure|authors?\W*(?:s\W+)?(?:contribut|info|statement)|contribut|pre-?publication|
        (?:clinical\ )?tr[ia]+l\ reg|(?:clinical\ |dutch\ )?trial\ (?:id|register)|clinicaltrials|registration|
        electronic\ suppl|supplement|appendi|references|bibliography|ethic|data\ shar|availability|
        participating\ invest|consent\b
        """
    ),
    "legend": lazy_pattern(
        r"(?:fig(?:ure)?|table|box|chart|scheme|plate)\b\.?\s*\w{0,4}$|legends?\b|captions?\b", re.IGNORECASE
    ),
    "conclusion": verbose_pattern(
        r"""
        conclu|key\ (?:messages?|points?)|interpretation|take.home|implications?\b|highlights|in\ summary|
        (?:executive\ |author\ )?summary$|what\ this\b
        """
    ),
    "results": verbose_pattern(
        r"""
        (?:main\ |principal\ |key\ )?(?:results?|findings?)\b|outcomes?$|adverse\ |measurements\ and\ main\ res
        """
    ),
    "methods": verbose_pattern(
        r"""
        methods?\b|methodology|materials?\b|patients?\ and|subjects?\b|participants?\b|(?:study\ |
        research\ )?design|setting|interventions?\W*$|statistic|procedures?$|(?:main\ )?outcome\ measures?|
        measurements?$|sample|data\ (?:sources?|collection|extraction|analysis)|study\ selection|randomi[sz]ation|
        blinding|protocol|eligibility|population$
        """
    ),
    "opening": verbose_pattern(
        r"""
        background|introduction|context|rationale|purpose|aims?\b|objectives?|hypothes|summary\ of\ background|
        literature|what.*known|goals?$|importance$
        """
    ),
    "discussion": lazy_pattern(
        r"discussion|comments?$|limitations?|strengths|editorial|perspectives|future", re.IGNORECASE
    ),
}
"""By part, how its heading begins. The first that fits counts."""
PARTS = ("abstract", *_PARTS)
FOUND = frozenset(["conclusion", "results", "discussion"])
"""Parts in which a paper says what it found."""
_NUMBER = re.compile(r"^(?:(?:\d+|[ivx]+)[.)]\s*)*(?:\d+(?:\.\d+)*\s+)?", _I)
_ABSTRACT = re.compile(r"(?:structured )?abstract\b|summary\s*>", _I)
_BOTH = re.compile(r"\b(?:results?|methods?|discussions?)\W+(?:and|&)\W+(.+)$", _I)


@lru_cache(maxsize=4096)
def parts_of(heading: str | None) -> frozenset[str]:
    """The parts of a paper, of `PARTS`, that a heading names, as `{"abstract", "results"}` for `Abstract > Results`.

    Args:
        heading: the heading with those above it; None if there is none.

    The heading nearest to the text that names a part counts: `Discussion > Conclusions` is a conclusion. Of a part
    with two names, such as `Results and discussion`, both count.
    """
    found = {"abstract"} if _ABSTRACT.match(heading or "") else set[str]()
    levels = [_NUMBER.sub("", level.strip()) for level in (heading or "").split(">")]
    for level in reversed(levels):
        second = _BOTH.search(level)
        names = (level, second[1]) if second else (level,)
        if named := {part for name in names if (part := _part(name))}:
            return frozenset(found | named)
    return frozenset(found)


def _part(name: str) -> str:
    return next((part for part, form in _PARTS.items() if form.match(name)), "")
