"""The notice for a question: which kind of risk its words show, and the sentence to show first.

A few direct wordings decide (`rules.toml`), in languages other than English too. Where none occurs, a network that has
learned from letters reads it (`network`).
"""

import functools
import re
from collections.abc import Iterator
from contextlib import contextmanager

from medground.errors import MedgroundError
from medground.home.files import tables
from medground.language.risk.network import KINDS, shares
from medground.language.risk.rules import LONGEST, first_rule, is_denial, parts, plain
from medground.values.decision import Notice, NoticeKind

LEAST: dict[NoticeKind, float] = {"self-harm": 0.6, "emergency": 0.35, "see-doctor": 0.25, "treatment": 0.3}
"""How likely each kind must be to be said; after self-harm and an emergency nothing is searched."""
_LEAST_OF_A_LETTER = 0.9
"""The same of a letter: it has many parts, and examinations tell of dangers at length."""


def risk_in_words(words: str) -> NoticeKind | None:
    """The kind of risk that the words of a question (`rules.plain`) show most, if one is likely enough."""
    is_letter = len(words.split()) > LONGEST
    found = [
        (share, kind)
        for part in parts(words)
        for kind, share in zip(KINDS, shares(part), strict=True)
        if share >= (_LEAST_OF_A_LETTER if is_letter else LEAST[kind])
    ]
    return max(found)[1] if found else None


_FIELD_TAG = re.compile(r"[\w\"*)]\[[A-Za-z][A-Za-z /:-]*\]")
_STOPPING = ("self-harm", "emergency")
_SENTENCES = tables("language/risk", "notices")


def most_urgent(question: str, *given: str) -> Notice | None:
    """The notice for a question and what is given with it, each read by itself; the most urgent of several.

    An emergency in what is given may be a patient's case that a clinician describes: the answer follows.
    """
    beside = [answered_all_the_same(notice_for(text)) for text in given if text]
    found = [notice for notice in (notice_for(question) if question else None, *beside) if notice]
    return min(found, key=lambda notice: list(_SENTENCES).index(notice.kind), default=None)


def answered_all_the_same(notice: Notice | None) -> Notice | None:
    """A notice beside which the question is answered, unless it is about self-harm."""
    answered = notice is not None and notice.kind != "self-harm"
    return notice.model_copy(update={"stops": False}) if notice and answered else notice


@functools.lru_cache(maxsize=64)
def notice_for(text: str) -> Notice | None:
    """The notice that a question or claim calls for; None where nobody seems to be at risk.

    Upper and lower case, white space, accents and common misspellings make no difference. The time is linear in the
    length of the text. Remembered, because a face asks before the engine does.
    """
    words = plain(text)
    kind = first_rule(words) or (None if is_denial(words) else risk_in_words(words))
    if kind != "self-harm" and _FIELD_TAG.search(text):
        return None  # a query of PubMed, which tells of no person
    return Notice(kind=kind, sentence=_SENTENCES[kind], stops=kind in _STOPPING) if kind else None


@contextmanager
def notice_first(question: str, *given: str) -> Iterator[Notice | None]:
    """Give the notice that a question and what is given with it call for, and put it on every error of the block that
    has none.
    """
    notice = most_urgent(question, *given)
    try:
        yield notice
    except MedgroundError as error:
        error.notice = error.notice or notice
        raise
