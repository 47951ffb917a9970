"""A critique of a PubMed query without a model, based on the words of what it found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from medground.language import words
from medground.language.drafting import CORE, draft, is_covered
from medground.language.mesh_terms import mentions
from medground.pubmed.characters import fold
from medground.pubmed.mesh import vocabulary

Judge = Callable[[str, Sequence[str], Sequence[str]], list[tuple[bool, str]]]
"""Question, headings, found texts -> a verdict and its reason for each heading."""

_ALIGNED = 0.34
"""Minimum share of the question's content words in the records about a term, averaged."""


def coverage(question: str, headings: Sequence[str], texts: Sequence[str]) -> list[tuple[bool, str]]:
    """Whether a name of the heading appears in what was found (Eq. 6)."""
    folded = [f" {fold(text)} " for text in texts]
    counts = [sum(any(f" {n} " in text for n in _names(heading)) for text in folded) for heading in headings]
    return [(count > 0, f"named in {count} of {len(texts)} records") for count in counts]


def alignment(question: str, headings: Sequence[str], texts: Sequence[str]) -> list[tuple[bool, str]]:
    """Whether the records that name the heading share the question's words (Eq. 7)."""
    asked = words.topic(question)
    judged = []
    for heading in headings:
        about = [text for text in texts if any(f" {n} " in f" {fold(text)} " for n in _names(heading))]
        shares = [words.coverage(asked, words.terms(text)) for text in about]
        share = sum(shares) / len(shares) if shares else 0.0
        judged.append((share >= _ALIGNED, f"its records hold {share:.0%} of the question's words"))
    return judged


def redundancy(question: str, headings: Sequence[str], texts: Sequence[str]) -> list[tuple[bool, str]]:
    """Whether a narrower term of the query already covers it (Eq. 8)."""
    known = {name: vocabulary().find(name) for name in headings}
    present = [h for h in known.values() if h is not None]
    return [
        (True, "a narrower term covers it") if heading and is_covered(heading, present) else (False, "")
        for heading in known.values()
    ]


def update(question: str, feedback: Sequence[tuple[str, bool, bool, bool]]) -> list[tuple[str, str]]:
    """Terms that are covered, aligned and not redundant, then new ones that the question names (Eq. 9)."""
    good = [heading for heading, covered, aligned, redundant in feedback if covered and aligned and not redundant]
    usable = [
        heading for heading, covered, _, redundant in feedback if covered and not redundant and heading not in good
    ]
    tried = {heading for heading, *_ in feedback}
    fresh = [m.heading.name for m in mentions(question) if m.heading.name not in tried]
    chosen = [*good, *usable, *fresh] or [heading for heading, *_ in feedback]
    return [(name, "kept" if name in tried else "the question names it") for name in chosen]


def refine(question: str, headings: Sequence[str], history: Sequence[tuple[str, int]]) -> str:
    """The next query: fewer ideas with AND if nothing was found, otherwise one more (Eq. 10)."""
    tried = {query for query, _ in history}
    starved = bool(history) and history[-1][1] == 0
    for core in (1, CORE) if starved else (CORE, CORE + 1, 1):
        query = draft(question, headings, core)
        if query not in tried:
            return query
    return max(history, key=lambda entry: entry[1])[0] if history else draft(question, headings)


def unsupported(question: str, texts: Sequence[str]) -> list[str]:
    """Headings of the question that no text mentions: the gaps of a summary."""
    headings = [m.heading.name for m in mentions(question)]
    return [h for h, (found, _) in zip(headings, coverage(question, headings, texts), strict=True) if not found]


@lru_cache(maxsize=1024)
def _names(heading: str) -> tuple[str, ...]:
    found = vocabulary().find(heading)
    names = (heading, *found.entry_terms) if found else (heading,)
    return tuple(dict.fromkeys(folded for n in names if len(folded := fold(n)) > 2))
