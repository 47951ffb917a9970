"""Whether a text asks for news or for people's own experience: pages of the web then come before the literature."""

from __future__ import annotations

import re

_ASKED = re.compile(
    r"\b(?:news|latest|newest|this (?:week|month|year)|today|current(?:ly)? (?:outbreak|shortage|recall)s?|"
    r"recently (?:approved|announced|recalled)|announce(?:d|ments?)|press release|recalls?|"
    r"patients?['’]? (?:experiences?|stories|reviews|forums?)|experiences? (?:of|from) (?:patients?|people|users)|"
    r"(?:lived|personal) experiences?|testimonials?|what (?:do|did) (?:patients|people|users) (?:say|report))\b",
    re.IGNORECASE,
)


def asks_for_news(text: str) -> bool:
    """Whether a question asks for news or experience.

    >>> asks_for_news("What is the latest news on the shortage of amoxicillin?")
    True
    >>> asks_for_news("Does amoxicillin help in otitis media?")
    False
    """
    return _ASKED.search(text) is not None
