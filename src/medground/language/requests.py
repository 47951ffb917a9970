"""What a text asks: of its subject, such as its prognosis; of the literature, such as its years; of a collection or an
earlier answer, and nothing of medicine.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from medground.language import words
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.thresholds import SURE
from medground.language.word_lists import word_lists
from medground.values.query import Filters
from medground.values.where import DESIGNS

_LISTS = word_lists("common_words")

# The form of a question.

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


_LETTERS = re.compile(r"[^\W\d_]+")
_ENGLISH, _OTHER = _LISTS["english"], _LISTS["other languages"]
_LAST_LATIN = "\u024f"
ENGLISH_ONLY = "the question does not look English; only English is read, and nothing was translated"
"""The warning for a question in another language."""


def looks_foreign(text: str) -> bool:
    """Whether function words of another language outnumber the English ones. In case of doubt, the text is English."""
    said = [word.casefold() for word in _LETTERS.findall(text)]
    foreign = sum(word in _OTHER - _ENGLISH for word in said)
    english = sum(word in _ENGLISH - _OTHER for word in said)
    other_script = sum(min(word) > _LAST_LATIN for word in said)
    few = 1 if text.rstrip().endswith("?") and not english else 2  # "Cri du chat syndrome" has one, and is English
    return other_script > len(said) / 2 or (foreign >= few and foreign > english)


_AMOUNT = verbose_pattern(
    r"""
    \bhow\ many\ (?:\w+\ ){0,2}(?:people|patients|women|men|children|adults|babies|infants)\b|\b(?:cost|price)s?\ of\b|
    \bhow\ (?:much|many|often|long|far|fast|soon)\b(?!.{0,80}\b(?:(?<!\bit\ )tak(?:e|en|ing)\b(?!\ (?:from|out|off)\b)|
    giv(?:e|en|ing)|us(?:e|ed|ing)|need(?:ed)?|dos(?:e|age|ing)|drink|eat|inject|apply|safe|too|allowed|recommended|mg)\b)|
    \b(?:(?:average|mean|median|usual|typical)\ (?:\w+\ ){0,2}(?:time|cost|price|length|loss|duration|stay|number))\b
    """
)


def asks_for_amount(text: str) -> bool:
    """Whether a question asks how much of something there is, and not how much of a drug to take.

    >>> asks_for_amount("How much blood is lost with tranzolin?"), asks_for_amount("How much tranzolin should I take?")
    (True, False)
    """
    return _AMOUNT.search(text) is not None


# What it asks of its subject, such as its prognosis or its harms, in anybody's words.

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
    return {aspect: tuple(sorted({_spaced(form) for form in forms})) for aspect, forms in lists.items()}


def _spaced(text: str) -> str:
    """All words of a text as stems, also those that say nothing, between single spaces."""
    return f" {' '.join(words.stems(text))} "


@lru_cache(maxsize=8192)
def aspects_of(text: str) -> frozenset[str]:
    """The aspects that a text speaks of (the headings of `aspects.txt`)."""
    read = _spaced(text)
    return frozenset(aspect for aspect, forms in _aspects().items() if any(form in read for form in forms))


@lru_cache(maxsize=8192)
def aspects_told(text: str) -> frozenset[str]:
    """The aspects that a sentence tells something of: by its words, or by what such sentences are about."""
    from medground.language import kinds  # numpy is slow to import

    shares = kinds.told(words.stems(text))
    return aspects_of(text).union(aspect for aspect, kind in _TOLD.items() if shares[kinds.KINDS.index(kind)] >= SURE)


def asked_in(question: str) -> list[list[str]]:
    """The words of each aspect that a question asks for, as they are searched for."""
    return [sorted(word_lists("aspects")[aspect]) for aspect in sorted(aspects_of(question))]


@cache
def asked_words() -> frozenset[str]:
    """The single words by which aspects are asked for."""
    return frozenset(form for forms in word_lists("aspects").values() for form in forms if " " not in form)


# What it asks of the literature. A limit of the user goes before one of the text.

_YEAR = r"(?:19|20)\d\d\b(?![-–/]\d)"
_WORKS = r"published|publications?|literature|evidence|studies|trials|articles|papers|research|reviews"
_PUBLISHED = rf"\b(?:{_WORKS})(?:\s\w+){{0,2}}\s"
_NO_END = r"(?<!before\s)(?<!until\s)(?<!through\s)(?<!\bto\s)(?<!\bby\s)(?<!\band\s)(?<!\bor\s)(?<![-–/.])"
_LITERATURE = lazy_pattern(rf"\b(?:{_WORKS}|known)\b", re.IGNORECASE)
_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: number for number, word in enumerate(_WORDS, start=2)}


def _limit(said: str, name: str) -> str:
    """An upper limit right after a word for publications, or at the end of a question with one."""
    literature = _LITERATURE.pattern
    return rf"(?:({_PUBLISHED})|{literature}.*)\b(?:{said})\s(?P<{name}>{_YEAR})(?(1)|(?=\W*$))"


_RULES = [
    lazy_pattern(rule, re.IGNORECASE)
    for rule in (
        rf"{_PUBLISHED}(?:between|from)\s(?P<first>{_YEAR})\s(?:and|to|until|through)\s(?P<last>{_YEAR})",
        rf"{_PUBLISHED}in\s(?P<only>{_YEAR})",
        _limit("before|prior to|earlier than", "before"),
        _limit("until|till|up to|no later than", "last"),
        rf"{_PUBLISHED}(?:in|of|from|over|within)\sthe\s(?:last|past)\s(?P<years>\d{{1,3}}|[^\W\d]+)\syears\b",
        rf"\bsince\s(?P<first>{_YEAR})",
        rf"\b(?:after|(?<!no\s)(?<!not\s)later than)\s(?P<after>{_YEAR})",
        rf"\bfrom\s(?P<first>{_YEAR})\son(?:wards?)?\b",
        rf"{_NO_END}\b(?P<first>{_YEAR})(?=\W*$)",
    )
]
"""In order; the first that fits counts. An upper limit needs a word that is about publications: what happened before
2005 is also told by later papers, but what happened since 2010, or in the year at the end of a question, is not told by
earlier ones."""
_LATEST = lazy_pattern(r"\b(?:latest|newest|most recent)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Stated:
    """The years that a text states, and the words in which it does."""

    first: int | None
    last: int | None
    said: str

    @property
    def note(self) -> str:
        """What an answer says about it."""
        first, last = self.first, self.last
        if first and last:
            years = f"of {first}" if first == last else f"from {first} to {last}"
        else:
            years = f"from {first} on" if first else f"up to {last}"
        return f"only publications {years} were searched, because the question says {self.said!r}"


def stated(text: str, now: int) -> Stated | None:
    """The years that a text limits its literature to; `now` is the year of "the last five years"."""
    for found in (rule.search(text) for rule in _RULES):
        if found is None:
            continue
        first, last = _years(found, now)
        if (first or last) and (first or 0) <= min(last or now, now):
            return Stated(first, last, found[0])
    return None


def speaks_of_literature(text: str) -> bool:
    """Whether a text speaks of publications or of what is known."""
    return _LITERATURE.search(text) is not None


def latest(text: str) -> str:
    """The words of a text that ask for the latest publications; empty if none do."""
    found = _LATEST.search(text)
    return found[0] if found else ""


def _years(found: re.Match[str], now: int) -> tuple[int | None, int | None]:
    """The first and the last year that the groups of a rule name."""
    first = last = None
    for name, said in found.groupdict().items():
        number = int(said) if said.isdecimal() else _NUMBERS.get(said.casefold(), 0)
        match name:
            case "first" | "only":
                first = number
            case "after":
                first = number + 1
            case "years":
                first = now - number if number else None
            case "last":
                last = number
            case "before":
                last = number - 1
    return first, first if found.re.groupindex.get("only") else last


# What it asks of a collection or of an earlier answer.

_COLLECTIONS, _AUTHORS, _ASSURANCE = _LISTS["collections"], _LISTS["authors"], _LISTS["assurance"]
_PUBLICATIONS = "studies"
"""A word after which a year is one of publication: `in 2019` alone limits an answer to it."""
_BE = {"is", "are"}
_DEFINING = _BE | {"what", "a", "an"}
"""All that is said beside the thing where its definition is asked for."""

_NO_LIMITS = Filters()


@dataclass(frozen=True)
class Request:
    """A request.

    Attributes:
        kind: about a `collection`; of an earlier answer its `authors`, how it was checked (`check`), the same from the
            `latest` papers, or within other `limits`.
        limits: the years and the design that it names.
    """

    kind: Literal["collection", "authors", "check", "latest", "limits"]
    limits: Filters = _NO_LIMITS


def request_in(text: str, now: int) -> Request | None:
    """What a text requests of a collection or of an earlier answer; None if it names anything else.

    >>> request_in("How many papers are in this collection?", 2026).kind
    'collection'
    >>> request_in("only trials since 2019", 2026).limits.year_from
    2019
    >>> request_in("Which databases hold gene variants?", 2026)

    Args:
        now: the year of "the last five years".
    """
    said = {word for word in words.tokens(text) if word.isalpha() and word not in _LISTS["function"]}
    of_papers = {word for word in said if word in _LISTS["records"] or words.stem(word) in _design_stems()}
    limits = limits_in(text, now)
    if said - of_papers:
        return Request("check") if said & _ASSURANCE and said <= of_papers | _ASSURANCE | _AUTHORS else None
    if (rest := {*words.tokens(text)} - said) & _BE and "what" in rest <= _DEFINING:  # "What is a cohort study?"
        return None
    if said & (_COLLECTIONS | _LISTS["counts"]):
        return Request("collection", limits)
    if said & _AUTHORS:
        return Request("authors")
    if limits != _NO_LIMITS:
        return Request("limits", limits)
    return Request("latest") if latest(text) else None


def limits_in(text: str, now: int) -> Filters:
    """The years of publication and the design of study that a text names."""
    years, stems = stated(f"{_PUBLICATIONS} {text}", now), {words.stem(word) for word in words.tokens(text)}
    named = [name for name in DESIGNS if stems.issuperset(map(words.stem, words.tokens(name)))]
    design = max(named, key=len, default="")
    return Filters(
        year_from=years.first if years else None,
        year_to=years.last if years else None,
        where=(("design", DESIGNS[design]),) if design else (),
    )


@cache
def _design_stems() -> frozenset[str]:
    return frozenset(words.stem(word) for name in DESIGNS for word in words.tokens(name))
