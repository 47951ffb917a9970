"""A question whether an outcome is higher, lower or the same, as the statement that the answer `higher` makes."""

import re

from medground.values.question import WAYS

_AUXILIARY = re.compile(r"^\w+\s+")
_COMPARING = re.compile(
    r"(?i)\b(?:when )?comparing (?:(?P<one>.+) (?:to|versus|vs\.?|against) (?P<other>.+)"
    r"|(?P<first>.+?) (?:with|and) (?P<second>.+))"
)
_CHANGES = re.compile(r"(?:increase|raise|decrease|reduce|lower)\b(?:, | or |/)", re.IGNORECASE)


def higher_statement(question: str) -> str:
    """The statement, or the question where it offers no directions.

    >>> higher_statement("Is pain higher, lower or the same when comparing zinc to placebo?")
    'pain is higher with zinc than with placebo'
    >>> higher_statement("Does zinc increase or decrease appetite?")
    'zinc increases appetite'
    """
    offered = WAYS.search(question)
    if offered is None:
        return question
    said = "increases" if _CHANGES.match(offered[0]) else "is higher"
    subject = _AUXILIARY.sub("", question[: offered.start()]).strip(" ,")
    rest = question[offered.end() :].strip(" ?.,")
    if compared := _COMPARING.search(rest):
        one, other = compared["one"] or compared["first"], compared["other"] or compared["second"]
        rest = f"{rest[: compared.start()]}with {one} than with {other}"
    return f"{subject} {said} {rest}".strip()
