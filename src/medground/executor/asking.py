"""What literature sources are asked for a sub-question: a query of its keywords, and a shorter one to fall back on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.query import Phrase, Query, Words, all_of, any_of
from medground.research_plan import ResearchPlan, SubQuestion
from medground.text import words

_MOST_NAMES = 6
"""Most names of earlier findings that sharpen a query: more would drown its own words."""


@dataclass(frozen=True)
class Asking:
    """The queries of a sub-question.

    Attributes:
        keywords: for each keyword, most salient first, the forms in which it may stand: its name, then its synonyms.
        tree: for services: all keywords, each in any form.
        salient: for services: the most salient keywords only; None where that is the same.
        words: for corpora, which rank by shared words: the sub-question, its keywords and names found earlier.
    """

    keywords: tuple[tuple[str, ...], ...]
    tree: Query
    salient: Query | None
    words: Words


def asking(
    one: SubQuestion, plan: ResearchPlan, names: Sequence[str], *, use_keywords: bool, most_salient: int
) -> Asking:
    """The queries of a sub-question.

    Args:
        one: the sub-question.
        plan: its plan.
        names: what earlier findings call the thing. One that shares its words with a keyword is a synonym of it, and
            any other an optional word.
        use_keywords: off, or without keywords, the sub-question is searched by its own words.
        most_salient: keywords of the shorter query.
    """
    new = list(dict.fromkeys(name for name in names if name.strip()))[:_MOST_NAMES]
    if not use_keywords or not one.keywords:
        own = Words(text=one.text)
        return Asking((), own, None, Words(text=" ".join([one.text, *new])))
    keywords = [[keyword.name, *keyword.synonyms] for keyword in plan.keywords_of(one)]
    optional: list[str] = []
    for name in new:
        owner = next((forms for forms in keywords if _shares(name, forms)), None)
        (optional if owner is None else owner).append(name)
    forms = tuple(tuple(dict.fromkeys(form.strip() for form in found)) for found in keywords)
    parts = [any_of([Phrase(text=form) for form in found]) for found in forms]
    spoken = dict.fromkeys([one.text, *(found[0] for found in forms), *optional])
    return Asking(
        forms,
        all_of(parts),
        all_of(parts[:most_salient]) if most_salient < len(parts) else None,
        Words(text=" ".join(spoken)),
    )


def _shares(name: str, forms: Sequence[str]) -> bool:
    """Whether all words of the name are in one of the forms, or the other way round."""
    own = set(words.terms(name))
    return any(own <= form or form <= own for text in forms if (form := set(words.terms(text))))


def coverage(keywords: Sequence[Sequence[str]], text: str) -> float:
    """The share of keywords that a text holds, 0 to 1; 1 if there are none (BioMedSearch, Eq. 3, Filter).

    A keyword is there if all word stems of one of its forms are, in any place.
    """
    found = set(words.terms(text))
    wanted = [
        forms for keyword in keywords if (forms := [set(terms) for form in keyword if (terms := words.terms(form))])
    ]
    return sum(any(form <= found for form in forms) for forms in wanted) / len(wanted) if wanted else 1.0
