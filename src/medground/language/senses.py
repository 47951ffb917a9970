"""Words of several senses, such as cold, delivery or MS, and which of them a question and a text mean.

The senses of a word are the MeSH headings with it in one of their names: of `cold` the common cold, low temperatures,
and cold sores. Those of initials are what texts say that they stand for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from medground.language import words
from medground.language.plain_words import is_plain
from medground.language.question_reading import Asked
from medground.language.subject import PART, Subject
from medground.pubmed.characters import american, fold
from medground.pubmed.mesh import vocabulary
from medground.pubmed.mesh_table import Heading

_NAMED = 0.2
"""What the name of a sense in a text adds to how near the two are."""
_APART = 0.25
"""How much farther from each other than from their own senses a question and a text are that mean different things.
Of 10 made pairs with two senses each the least is 0.37; of the same questions with the right texts the most is 0.18."""
_ASKED = 0.4
"""How near a question is to the sense that it means, at least."""
_SHORTEST = 3
_LONGEST_NAME = 3
"""Words of a name, at most: in longer ones a word has no sense of its own."""
_MOST_SENSES = 60
"""A word of more headings, such as disease, is too general to have senses."""
_INITIALS = re.compile(r"[A-Z]{2,3}")


@dataclass(frozen=True)
class Senses:
    """The senses of a word as headings, each with those of its names that have the word, folded."""

    word: str
    headings: tuple[Heading, ...]
    names: tuple[tuple[str, ...], ...]

    def apart(
        self, question: str, text: str, asked: Sequence[float], told: Sequence[float]
    ) -> tuple[Heading, Heading] | None:
        """What a question and a text mean by the word, if these are things of different kinds.

        Args:
            asked: how near the question is to each sense, 0 to 1.
            told: how near the text is.
        """
        asks, tells = self._with_names(question, asked), self._with_names(text, told)
        ours = max(range(len(asks)), key=lambda sense: (self._is_of(sense), asks[sense]))
        theirs = tells.index(max(tells))
        kinds = [{tree[:3] for tree in self.headings[sense].trees} for sense in (ours, theirs)]
        distance = asks[ours] - asks[theirs] + tells[theirs] - tells[ours]
        is_asked = self._is_of(ours) and asks[ours] >= _ASKED
        is_other = distance >= _APART and kinds[0].isdisjoint(kinds[1])
        return (self.headings[ours], self.headings[theirs]) if is_asked and is_other else None

    def _is_of(self, sense: int) -> bool:
        """Whether a sense is what the word itself is: a common cold is a cold, a cold injury is an injury."""
        heading = self.headings[sense]
        heads = (fold(name.split(",")[0]).split()[-1:] for name in (heading.name, *heading.entry_terms))
        return [self.word] in heads

    def _with_names(self, text: str, near: Sequence[float]) -> list[float]:
        folded = f" {american(fold(text))} "
        named = (any(" " in name and f" {name} " in folded for name in names) for names in self.names)
        return [value + _NAMED * is_named for value, is_named in zip(near, named, strict=True)]


@lru_cache(maxsize=1024)
def senses_of(word: str) -> Senses:
    """The senses of a lower-case word."""
    found = dict[Heading, tuple[str, ...]]()
    for heading in vocabulary().naming(word):
        folded = map(fold, (heading.name, *heading.entry_terms))
        names = tuple(name for name in folded if word in (parts := name.split()) and len(parts) <= _LONGEST_NAME)
        if names:
            found[heading] = names
    return Senses(word, tuple(found), tuple(found.values()))


def ambiguous(asked: Asked) -> list[Senses]:
    """The plain words of a question that have several senses."""
    said = (american(word) for word in words.tokens(asked.plain) if len(word) >= _SHORTEST and is_plain(word))
    topical = (word for word in dict.fromkeys(said) if words.stem(word) in asked.topic)
    found = (max(map(senses_of, (word, word.removesuffix("s"))), key=lambda one: len(one.headings)) for word in topical)
    return [one for one in found if 1 < len(one.headings) <= _MOST_SENSES]


def initials(asked: Asked) -> list[tuple[str, Subject]]:
    """The words of two or three capitals in a question, which are short for many things, with what each is read as."""
    shorts = dict.fromkeys(filter(_INITIALS.fullmatch, PART.findall(asked.text)))
    return [(short, thing) for short in shorts for thing in asked.things if short in (thing.said, *thing.names)]
