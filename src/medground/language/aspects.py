"""What a question asks of the thing that it is about, such as its prognosis or its harms, in anybody's words."""

from __future__ import annotations

from functools import cache, lru_cache

from medground.language import words
from medground.language.word_lists import word_lists


@cache
def _aspects() -> dict[str, tuple[str, ...]]:
    lists = word_lists("aspects")
    return {aspect: tuple(sorted({_stems(form) for form in forms})) for aspect, forms in lists.items()}


@lru_cache(maxsize=8192)
def _stems(text: str) -> str:
    """All words of a text as stems, also those that say nothing, between single spaces."""
    return f" {' '.join(map(words.stem, words.tokens(text)))} "


@lru_cache(maxsize=8192)
def aspects_of(text: str) -> frozenset[str]:
    """The aspects that a text speaks of (the headings of `aspects.txt`)."""
    stems = _stems(text)
    return frozenset(aspect for aspect, forms in _aspects().items() if any(form in stems for form in forms))


def asked_in(question: str) -> list[list[str]]:
    """The words of each aspect that a question asks for, as they are searched for."""
    return [sorted(word_lists("aspects")[aspect]) for aspect in sorted(aspects_of(question))]


@cache
@cache
def asked_words() -> frozenset[str]:
    """The single words by which aspects are asked for."""
    return frozenset(form for forms in word_lists("aspects").values() for form in forms if " " not in form)
