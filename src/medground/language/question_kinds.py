"""What a question asks: for yes or no or a value, which aspect of its subject; and whether it is English."""

import re
from functools import cache, lru_cache

from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.word_lists import word_lists
from medground.language.words import stems

_HOW_MUCH = verbose_pattern(
    r"""
    \bhow\ (?:many|much|large|big|common|frequent|high|low|accurate|often)\b|\b(?:what|which)\ (?:is|are|was|
    were)\ the\ (?:\w+\ ){0,3}(?:number|percentages?|proportion|prevalence|incidence|rates?|size|dos(?:e|age)|
    frequency|length|weight|sensitivity|specificity|range|risk|level|concentration|cost|age)\b|
    \bwhat\ (?:percentage|proportion|number|dose)\b
    """
)
_CLOSED = lazy_pattern(
    r"^\s*(?:is|are|was|were|do|does|did|can|could|has|have|had|should|will|would|may|might)\b", re.IGNORECASE
)
LEAVE = verbose_pattern(
    r"""
    \b(?:can|could|may|might|should|shall|must|ought|allowed|wise|ok|okay|al(?:l\ )?right|fine)\b
    """
)
"""Words that ask leave, such as "ok", and name nothing."""


def asks_for_value(question: str) -> bool:
    """Whether a question asks for a number, such as a rate, a dose or a length."""
    return _HOW_MUCH.search(question) is not None


def is_closed(question: str) -> bool:
    """Whether a question begins as one that yes or no answers."""
    return _CLOSED.search(question) is not None


_WORD = re.compile(r"[^\W\d_]+")
_LISTS = word_lists("common_words")
_ENGLISH, _OTHER = _LISTS["english"], _LISTS["other languages"]
_LAST_LATIN = "\u024f"
ENGLISH_ONLY = "the question does not look English; only English is read, and nothing was translated"
"""The warning for a question in another language."""


def looks_foreign(text: str) -> bool:
    """Whether function words of another language outnumber the English ones. In case of doubt, the text is English."""
    words = [word.casefold() for word in _WORD.findall(text)]
    foreign = sum(word in _OTHER - _ENGLISH for word in words)
    english = sum(word in _ENGLISH - _OTHER for word in words)
    other_script = sum(min(word) > _LAST_LATIN for word in words)
    few = 1 if text.rstrip().endswith("?") and not english else 2  # "Cri du chat syndrome" has one, and is English
    return other_script > len(words) / 2 or (foreign >= few and foreign > english)


_AMOUNT = verbose_pattern(
    r"""
    \bhow\ (?:much|many|often|long|far|fast|soon)\b(?!.{0,80}\b(?:tak(?:e|en|ing)|giv(?:e|en|ing)|us(?:e|ed|
    ing)|need(?:ed)?|dos(?:e|age|ing)|drink|eat|inject|apply|safe|too|allowed|recommended|mg)\b)|
    \b(?:(?:average|mean|median|usual|typical)\ (?:\w+\ ){0,2}(?:time|cost|price|length|loss|duration|stay|
    number))\b|\b(?:cost|price)s?\ of\b
    """
)


def asks_for_amount(text: str) -> bool:
    """Whether a question asks how much of something there is, and not how much of a drug to take.

    >>> asks_for_amount("How much blood is lost with tranzolin?"), asks_for_amount("How much tranzolin should I take?")
    (True, False)
    """
    return _AMOUNT.search(text) is not None


# What a question asks of the thing that it is about, such as its prognosis or its harms, in anybody's words.

SURE = 0.5
"""Share from which a question or a sentence is of a kind whatever its words."""
_TOLD = {
    "the outlook of": "outlook",
    "the inheritance of": "inheritance",
    "frequency": "frequency",
    "cause": "causes",
    "diagnosis": "exams and tests",
    "symptoms": "symptoms",
    "treatment": "treatment",
    "prevention": "prevention",
}
"""The kinds of sentences (`kinds.KINDS`) by the aspects that they tell of."""


@cache
def _aspects() -> dict[str, tuple[str, ...]]:
    lists = word_lists("aspects")
    return {aspect: tuple(sorted({_stems(form) for form in forms})) for aspect, forms in lists.items()}


def _stems(text: str) -> str:
    """All words of a text as stems, also those that say nothing, between single spaces."""
    return f" {' '.join(stems(text))} "


@lru_cache(maxsize=8192)
def aspects_of(text: str) -> frozenset[str]:
    """The aspects that a text speaks of (the headings of `aspects.txt`)."""
    read = _stems(text)
    return frozenset(aspect for aspect, forms in _aspects().items() if any(form in read for form in forms))


@lru_cache(maxsize=8192)
def aspects_told(text: str) -> frozenset[str]:
    """The aspects that a sentence tells something of: by its words, or by what such sentences are about."""
    from medground.language import kinds  # numpy is slow to import

    shares = kinds.told(stems(text))
    return aspects_of(text).union(one for one, kind in _TOLD.items() if shares[kinds.KINDS.index(kind)] >= SURE)


def asked_in(question: str) -> list[list[str]]:
    """The words of each aspect that a question asks for, as they are searched for."""
    return [sorted(word_lists("aspects")[aspect]) for aspect in sorted(aspects_of(question))]


@cache
def asked_words() -> frozenset[str]:
    """The single words by which aspects are asked for."""
    return frozenset(form for forms in word_lists("aspects").values() for form in forms if " " not in form)
