"""The notice for a question: which kind of risk its words show, and the sentence to show first."""

from __future__ import annotations

from medground.notice import Notice, NoticeKind
from medground.risk.rules import may_be_weighed, rules
from medground.risk.weighing import risk_in_words
from medground.risk.words import plain

_NUMBERS = "112 in Europe, 911 in North America, 999 in the UK"
_SENTENCES: dict[NoticeKind, str] = {
    "self-harm": (
        "You do not have to face this alone: please talk to someone now, through a crisis line (988 in the US, 116 123 "
        f"in the UK; findahelpline.com lists others) or, in danger, your local emergency number ({_NUMBERS}). "
        "This tool cannot advise, and it has searched nothing."
    ),
    "emergency": (
        f"If this is happening now, call your local emergency number ({_NUMBERS}) before you read on. "
        "This tool cannot advise."
    ),
    "treatment": (
        "Please decide this with a doctor or pharmacist who knows the person, and change no treatment before you have "
        "asked. This tool cannot advise: it only reads the literature."
    ),
}


def most_urgent(*texts: str) -> Notice | None:
    """The notice for a question and what is given with it, each read by itself; the most urgent of several."""
    found = [notice for text in texts if text and (notice := notice_for(text))]
    return min(found, key=lambda notice: list(_SENTENCES).index(notice.kind), default=None)


def notice_for(text: str) -> Notice | None:
    """The notice that a question or claim calls for; None where nobody seems to be at risk.

    Upper and lower case, white space, accents and common misspellings make no difference. The time is linear in the
    length of the text.
    """
    words = plain(text)
    kind = next((rule.kind for rule in rules() if rule.fires(words)), None)
    if kind is None and may_be_weighed(words):
        kind = risk_in_words(words)
    return Notice(kind=kind, sentence=_SENTENCES[kind]) if kind else None
