"""What is asked of a collection of papers, or of an answer that was given before, and not of medicine."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from medground.language import dates, words
from medground.language.word_lists import word_lists
from medground.values.query import Filters
from medground.values.where import DESIGNS

_LISTS = word_lists("common_words")
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
    return Request("latest") if dates.latest(text) else None


def limits_in(text: str, now: int) -> Filters:
    """The years of publication and the design of study that a text names."""
    years, stems = dates.stated(f"{_PUBLICATIONS} {text}", now), {words.stem(word) for word in words.tokens(text)}
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
