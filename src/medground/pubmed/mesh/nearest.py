"""Headings with a name like a text: misspelt words are corrected one by one, then names sharing rare words compared.

Comparing a text with all 170,000 names would take a tenth of a second. A word that the vocabulary has is kept, any
other is replaced by its likest words; headings with the rarest of these are few, and only their names are compared.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from medground.pubmed.mesh.fold import fold, fold_lines
from medground.pubmed.mesh.table import Heading, Table

_COMPARED = 40
"""Headings whose names are compared letter by letter."""
_LIKE = 0.6
"""Two words are taken for one another from this likeness on."""
_OTHER_NUMBER = 0.95
"""Likeness of a plural to its singular."""
_MOST_WORDS = 12
_SAYS_NOTHING = frozenset(("a", "an", "and", "as", "by", "for", "in", "of", "on", "or", "the", "to", "with"))
_LONGEST_WORD = 40


@dataclass(frozen=True, slots=True)
class Nearest:
    """A heading near to a text, and the name of it that is nearest. Likenesses go from 0 to 1.

    `letters` compares the spelling of the name with the text, `score` counts the words that they share as well.
    """

    heading: Heading
    name: str
    score: float
    letters: float


class NearHeading(NamedTuple):
    """A line of the table with the name of it that is nearest."""

    number: int
    name: str
    score: float
    letters: float


class Index:
    """Words to lines of the table. Building it takes about half a second, so it is made at the first misspelling."""

    def __init__(self, table: Table) -> None:
        self._table = table
        lines = fold_lines("\n".join(f"{n}|{t}" for n, t in zip(table.names, table.entry_terms, strict=True)))
        holders: defaultdict[str, array[int]] = defaultdict(lambda: array("i"))
        for number, line in enumerate(lines.split("\n")):
            for word in set(line.replace("|", " ").split()):
                holders[word].append(number)
        self._holders = {word: numbers for word, numbers in holders.items() if word not in _SAYS_NOTHING}
        self._by_letter: defaultdict[str, list[str]] = defaultdict(list)
        for word in self._holders:
            if len(word) <= _LONGEST_WORD:
                self._by_letter[word[0]].append(word)

    def nearest(self, folded: str, limit: int) -> list[NearHeading]:
        """The nearest lines, best first."""
        words = [word for word in dict.fromkeys(folded.split()) if word not in _SAYS_NOTHING][:_MOST_WORDS]
        covered, whole = self._covered(words)
        if not covered.any():
            return []
        order = (
            np.argpartition(-covered, _COMPARED)[:_COMPARED] if len(covered) > _COMPARED else np.arange(len(covered))
        )
        scored = [self._likest(int(number), folded, covered[number] / whole) for number in order if covered[number]]
        return sorted(scored, key=lambda found: (-found.score, len(found.name), found.name))[:limit]

    def _covered(self, words: list[str]) -> tuple[NDArray[np.float64], float]:
        """For each line the weight of the words that it has, rare words weighing more; and the weight of all words."""
        lines = len(self._table.ids)
        covered, whole = np.zeros(lines), 0.0
        for word in words:
            alike = self._alike(word[:_LONGEST_WORD])
            best = np.zeros(lines)
            for like, likeness in alike:
                numbers = np.frombuffer(self._holders[like], dtype=np.intc)
                best[numbers] = np.maximum(best[numbers], likeness * self._rarity(like))
            covered += best
            whole += self._rarity(alike[0][0]) if alike else math.log(1 + lines)
        return covered, whole

    def _rarity(self, word: str) -> float:
        return math.log(1 + len(self._table.ids) / len(self._holders[word]))

    def _alike(self, word: str) -> list[tuple[str, float]]:
        if word in self._holders:
            other = word.removesuffix("s") if word.endswith("s") else f"{word}s"
            return [(word, 1.0), (other, _OTHER_NUMBER)] if other in self._holders else [(word, 1.0)]
        # A misspelling rarely touches the first letter. A word with no like among its own letter is left out.
        found = process.extract(
            word, self._by_letter.get(word[0], ()), scorer=OSA.normalized_similarity, score_cutoff=_LIKE, limit=4
        )
        return [(like, likeness) for like, likeness, _ in found]

    def _likest(self, number: int, folded: str, covered: float) -> NearHeading:
        """Letters alone would take a knee for a lens; half of the score is how many of the words are there."""
        terms = self._table.entry_terms[number]
        names = [self._table.names[number], *(terms.split("|") if terms else ())]
        scored = ((_likeness(folded, fold(name)), -place, name) for place, name in enumerate(names))
        letters, _, name = max(scored)
        return NearHeading(number, name, float(letters + min(covered, 1.0)) / 2, letters)


def _likeness(one: str, other: str) -> float:
    """Letters in order, or the same words in another order, whichever is more alike."""
    ordered = fuzz.ratio(one, other)
    return max(ordered, 0.97 * fuzz.token_sort_ratio(one, other)) / 100
