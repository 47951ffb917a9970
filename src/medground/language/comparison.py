"""What a question compares: the words of each side, and the question without the words that only compare."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from medground.language.noun_phrases import PREPOSITIONS
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.subject import Subject

_NAMING_TWO_SIDES = {
    "comparing": verbose_pattern(
        r"""
        \bcompar(?:e|ing|isons?\ of)\s+(?!to\b|with\b)(?P<one>.+?)\s+(?:to|with|and|against|versus|
        vs\.?)\s+(?P<other>.+)
        """
    ),
    "between": lazy_pattern(r"\bdifferen\w+\b.*?\bbetween\s+(?P<one>.+?)\s+and\s+(?P<other>.+)", re.IGNORECASE),
    "joined": verbose_pattern(
        r"""
        (?P<one>.+?)\s+(?:versus|vs\.?|(?:as\ )?compared?\ (?:to|with|against)|in\ comparison\ (?:to|with)|than|
        (?:superior|inferior|equivalent|comparable|similar|equal)\ to|(?:as|so)\ \w+\ as)\s+(?P<other>.+)
        """
    ),
}
"""How a question names two sides; the first that fits counts."""
_ONLY_COMPARING = {
    "scale": verbose_pattern(
        r"""
        \b(?:(?:any|significantly)\s+)?(?:higher|lower|greater|smaller|better|worse|(?:the\ )?same|
        similar)(?:\W+(?:or\W+)?(?:higher|lower|greater|smaller|better|worse|(?:the\ )?same|similar))*(?:\s+than)?\b
        """
    ),
    "joint": verbose_pattern(
        r"""
        \b(?:when\ )?(?:compar(?:e|ed|ing|isons?\ of)|in\ comparison)(?:\s+(?:to|with|against))?\b|\b(?:versus|
        vs)\b\.?
        """
    ),
}
"""Words of a question that only compare."""
_ENDS = re.compile(rf"[,;:?]|\b(?:{'|'.join(sorted(PREPOSITIONS))})\b", re.IGNORECASE)
"""Where the words of the second side end."""
_OR = re.compile(r"\W+or\W+", re.IGNORECASE)


@dataclass(frozen=True)
class Comparison:
    """A comparison of two sides.

    Attributes:
        core: the question without the words that only compare, such as "higher, lower or the same".
        sides: the things of each side that decide; empty unless both have some. Usual care has none.
    """

    core: str
    sides: tuple[tuple[Subject, ...], ...] = ()

    @property
    def said(self) -> list[str]:
        """The words of each side."""
        return [" and ".join(thing.said for thing in side) for side in self.sides]

    def each_side(self, found: Sequence[Subject]) -> list[list[Subject]]:
        """Each side with those of the things found that are on no side; all things together if there are no sides."""
        compared = [thing for side in self.sides for thing in side]
        return [[*side, *(one for one in found if one not in compared)] for side in self.sides] or [[*found]]

    def names_both(self, text: str) -> bool:
        """Whether a text names both sides; where one is not known by name, as usual care, every text does."""
        return all(thing.is_named_in(text) for side in self.sides for thing in side)


def comparison(question: str, found: Sequence[Subject]) -> Comparison | None:
    """What a question compares, going by its form; None if it compares nothing.

    Args:
        found: the things that it is about.
    """
    deciding = sorted((one for one in found if one.decides and one.start >= 0), key=lambda one: one.start)
    joint = next(filter(None, (form.search(question) for form in _NAMING_TWO_SIDES.values())), None)
    if joint is None:
        return _choice(question, deciding)
    end = _ENDS.search(question, joint.start("other"))
    after = _within(deciding, joint.start("other"), end.start() if end else len(question))
    before = _within(deciding, joint.start("one"), joint.end("one"))
    core = question
    for form in _ONLY_COMPARING.values():
        core = form.sub(", ", core)
    return Comparison(" ".join(core.split()), _sides(before, after))


def _within(found: Sequence[Subject], start: int, end: int) -> list[Subject]:
    return [one for one in found if start <= one.start < end]


def _sides(before: Sequence[Subject], after: Sequence[Subject]) -> tuple[tuple[Subject, ...], ...]:
    """The sides of a comparison: of what is named before the second one, only what is of its kind or next to it."""
    if not before or not after:
        return ()
    alike = [one for one in before if not _trees(one).isdisjoint(_trees(after[0]))] or [before[-1]]
    return (tuple(alike), tuple(after))


def _choice(question: str, found: Sequence[Subject]) -> Comparison | None:
    """A choice between two neighbouring things: `A or B`."""
    for one, other in pairwise(found):
        if _OR.fullmatch(question, one.start + len(one.said), other.start):
            return Comparison(question, ((one,), (other,)))
    return None


def _trees(thing: Subject) -> set[str]:
    """The first letters of the places of its heading in MeSH; of a name that MeSH lacks, an empty one."""
    from medground.pubmed.mesh import vocabulary

    found = vocabulary().find(thing.heading) if thing.heading else None
    return {tree[:1] for tree in found.trees} if found else {""}


def together(said: Sequence[str]) -> str:
    """Words that no text has together, as a list; empty for none."""
    *others, last = said or [""]
    return f"{', '.join(others)} and {last} together" if others else last
