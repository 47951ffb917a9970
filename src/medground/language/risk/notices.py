"""The notice for a question: which kind of risk its words show, and the sentence to show first.

Wordings of `rules.txt` decide about self-harm and emergencies. Where none occurs, learned weights decide: of words, of
pairs of neighbours, and of a few general signs. A wording about a treatment is one of these signs, because people also
ask that way how a drug is taken.
"""

import functools
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise

from medground.errors import MedgroundError
from medground.home.files import rows, tables
from medground.language.pattern import verbose_pattern
from medground.language.risk.rules import LONGEST, plain, rules
from medground.values.decision import Notice, NoticeKind

KINDS: tuple[NoticeKind, ...] = ("self-harm", "emergency", "treatment")
"""The columns of the weights."""
LEAST: dict[NoticeKind, float] = {"self-harm": 0.6, "emergency": 0.45, "treatment": 0.5}
"""The probability of each kind from which it is said; after self-harm nothing is searched, so it needs more."""
_LEAST_BESIDE_A_QUESTION = 0.9
"""The probability from which words alone show an emergency in a text that asks something of its own, such as "does
honey help?": its writer is seldom in one, and would not be answered."""
_LONG = (20, 35)
"""Words from which a text says more signs, whatever it is about."""
_ENDINGS = ("ingly", "ing", "edly", "ed", "ies", "es", "s", "ly")
_SHORTEST = 3
_QUESTION = verbose_pattern(
    r"""
    (?:^|\.\ )(?!(?:\w+\ ){1,2}(?:i|we|my|you)\b)(?:what|which|how|why|when|where|who|does|do|is|are|was|can|
    could|will|has|did)\b
    """,
    0,
)
_ASKS = verbose_pattern(
    r"""
    \?|[,.;:]\s+(?:and\ |but\ |so\ )?(?:is|are|was|does|do|did|can|could|will|would|may|which|how|what|why|
    when)\b
    """
)
_ONSET = verbose_pattern(
    r"""
    \b(?:since|sudden|suddenly|just\ now|now(?!\ that)|ago|yesterday|today|tonight|last\ night|right\ after|
    began|started|came\ on|woke\ up|got\ up|this\ (?:morning|afternoon|evening)|(?:for|past|in|
    after)\ (?:\w+\ ){0,3}(?:second|minute|hour|day)s?)\b
    """,
    0,
)
_OWN = re.compile(r"\b(?:i|me|my|we|our)\b")


def risk_in_words(words: str, rule: NoticeKind | None = None, *, asks: bool = False) -> NoticeKind | None:
    """The kind of risk that the words of a question show, if one is likely enough.

    Args:
        words: the question as `rules.plain` gives it.
        rule: the kind of the first rule that fires.
        asks: whether it asks something beside what it tells.
    """
    if len(words.split()) > LONGEST:
        return None
    found = [weights for sign in signs(words, rule) if (weights := _weights().get(sign))]
    scores = [bias + math.fsum(column) for bias, *column in zip(_weights()[""], *found, strict=True)]
    shares = [1 / (1 + math.exp(-score)) for score in scores]
    least = LEAST | ({"emergency": _LEAST_BESIDE_A_QUESTION} if asks else {})
    said = [(share, kind) for share, kind in zip(shares, KINDS, strict=True) if share >= least[kind]]
    return max(said)[1] if said else None


def signs(words: str, rule: NoticeKind | None = None) -> set[str]:
    """The stems of the words, the pairs of neighbours, and general signs, which begin with a star."""
    stems = [_stem(word) for word in words.split() if word != "."]
    return {*stems, *(" ".join(pair) for pair in pairwise(stems)), *_general(words, rule)}


def _weighed(words: str, rule: NoticeKind | None) -> list[str]:
    """What of a question is weighed: all; of a long letter the sentences in which a rule fires."""
    if rule is None:
        return [words] if rules().may_be_weighed(words) else []
    short = len(words.split()) <= LONGEST
    return [words] if short else [part for part in words.split(" . ") if rules().first(part) == rule]


def _general(words: str, rule: NoticeKind | None) -> Iterator[str]:
    """Whether it asks of others, says when something began, speaks of its writer, what a rule takes it for, and how
    long it is.
    """
    asks, onset = _QUESTION.search(words), _ONSET.search(words)
    said = {"asks": asks, "onset": onset, "happens": onset and not asks, "own": _OWN.search(words), str(rule): rule}
    yield from (f"*{sign}" for sign, holds in said.items() if holds)
    yield from (f"*{most}" for most in _LONG if len(words.split()) > most)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word.removesuffix(ending)
    return word


@functools.cache
def _weights() -> dict[str, tuple[float, ...]]:
    """The weights of each sign, one per kind; those of the empty sign are added to every question."""
    read = rows("language/risk", "weights")
    return {sign: tuple(float(weight or 0) for weight in weights) for sign, *weights in read}


_FIELD_TAG = re.compile(r"[\w\"*)]\[[A-Za-z][A-Za-z /:-]*\]")
_STOPPING = ("self-harm", "emergency")
_SENTENCES: Mapping[str, str] = tables("language/risk", "notices")


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
    kind = rules().first(words)
    if kind in (None, "treatment"):
        found = (risk_in_words(part, kind, asks=_ASKS.search(text) is not None) for part in _weighed(words, kind))
        kind = next(filter(None, found), None)
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
