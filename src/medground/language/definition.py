"""A question for what something is, and the sentences that say it."""

import re
from functools import lru_cache

from medground.language.pattern import verbose_pattern
from medground.language.subject import PART

_WHAT_IS = verbose_pattern(
    r"""
    (?:(?:explain|define|describe)\s+)?(?:(?:what|who)(?:['’]s|\ is|\ are|\ does)?\s+(?:an?\s+|
    the\s+)?)?(?P<thing>[\w][\w\s'’/+-]*?)(?:\s+(?:mean|is|are))?\??
    """
)
"""What is X? Or X alone."""
_NAME = 5
"""Maximum words of a name that is asked for."""


@lru_cache(maxsize=256)
def definition_asked(question: str) -> re.Pattern[str] | None:
    """How a sentence begins that defines the thing that a question asks for; None if it asks for something else."""
    asked = _WHAT_IS.fullmatch(question.strip())
    if asked is None or len(asked["thing"].split()) > _NAME:
        return None
    thing = r"[\s-]?".join(map(re.escape, PART.findall(re.sub(r"s$", "", asked["thing"]))))
    return re.compile(
        rf"\b{thing}s?(?:\s\([^()]*\))?(?:(?:,|\s(?:is|are|refers to|means))\s(?:\w+ly\s)?"
        r"(?:an?|the|one of|any)\b|\sare\s(?!\w+ed\b)(?:[\w-]+\s){1,4}(?:that|which|of|with|consisting|defined)\b)",
        re.IGNORECASE,
    )
