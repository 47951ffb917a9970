"""Detect quotes that report no finding: questions, aims, hypotheses, what is unknown, and titles.

A sentence that states an aim contains every word of the finding it is after, so it easily passes for proof. The rules
are for English. A sentence that also states its result ("to see whether ..., we ... and found ...") reports a finding.
"""

import re

from medground.language.word_lists import forms
from medground.values.document import Document

PURPOSE = "purpose"
TITLE = "title"
NOT_FINDINGS = (PURPOSE, TITLE)
"""The flags of quotes that report no finding."""

_ASKS = re.compile(r"[?？؟]\s*[\"'”’»)）」』\]]*\s*$")
_PURPOSE = forms("reporting")["purpose"]
_UNKNOWN = forms("reporting")["unknown"]
_TURN = re.compile(r"\b(?:but|although|though|however|whereas|while|despite)\b", re.IGNORECASE)
_RESULT = forms("reporting")["result"]


def why_not_finding(quote: str, document: Document) -> tuple[str, str] | None:
    """The flag of a quote that reports no finding, and the words that show it; None if it may report one."""
    if (title := _letters(document.title)) and _letters(quote) == title:
        return TITLE, "a title"
    word = _word(quote)
    return (PURPOSE, word) if word else None


def asks_or_plans(sentence: str) -> bool:
    """Whether a written sentence claims no finding itself."""
    return bool(_word(sentence))


def asks(sentence: str) -> bool:
    """Whether a sentence is a question, in any quotation marks."""
    return bool(_ASKS.search(sentence))


def _word(sentence: str) -> str:
    if asks(sentence):
        return "?"
    found = _PURPOSE.search(sentence) or (None if _TURN.search(sentence) else _UNKNOWN.search(sentence))
    if found is None or _RESULT.search(sentence, found.end()):
        return ""
    return " ".join(found[0].split()).lower()


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())
