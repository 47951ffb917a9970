"""Whether a question asks for news or experience."""

from medground.language.pattern import verbose_pattern

_NEWS = verbose_pattern(
    r"""
    \b(?:news|latest|newest|this\ (?:week|month|year)|today|current(?:ly)?\ (?:outbreak|shortage|recall)s?|
    recently\ (?:approved|announced|recalled)|announce(?:d|ments?)|press\ release|recalls?|
    patients?['’]?\ (?:experiences?|stories|reviews|forums?)|experiences?\ (?:of|from)\ (?:patients?|people|
    users)|(?:lived|personal)\ experiences?|testimonials?|what\ (?:do|did)\ (?:patients|people|users)\ (?:say|
    report))\b
    """
)


def asks_for_news(text: str) -> bool:
    """Whether a question asks for news or experience: pages of the web then come before the literature.

    >>> asks_for_news("What is the latest news on the shortage of amoxicillin?")
    True
    >>> asks_for_news("Does amoxicillin help in otitis media?")
    False
    """
    return _NEWS.search(text) is not None
