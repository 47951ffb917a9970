"""Find headings with names similar to a text: correct misspelt words, then compare names that share rare words.

Comparing a text with all 170,000 names would take a tenth of a second. Instead, words missing from the vocabulary are
replaced by similar words, and only the names of the headings with the rarest of these words are compared.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from medground.pubmed.mesh.fold import fold, fold_lines
from medground.pubmed.mesh.table import Heading, Table

_COMPARED = 40
"""Maximum headings whose names are compared letter by letter."""
_SIMILAR = 0.6
"""Minimum similarity to treat two words as the same."""
_PLURAL_SIMILARITY = 0.95
"""Similarity of a plural to its singular."""
_MOST_WORDS = 12
_IGNORED_WORDS = frozenset(("a", "an", "and", "as", "by", "for", "in", "of", "on", "or", "the", "to", "with"))
_LONGEST_WORD = 40


@dataclass(frozen=True, slots=True)
class Nearest:
    """A heading similar to a text, and its closest name. Similarities range from 0 to 1.

    `letters` compares the spelling of the name with the text; `score` also counts the words they share.
    """

    heading: Heading
    name: str
    score: float
    letters: float


class Index:
    """Maps words to lines of the table. Building takes about half a second, so it waits for the first misspelling."""

    def __init__(self, table: Table) -> None:
        self._table = table
        lines = fold_lines("\n".join(f"{n}|{t}" for n, t in zip(table.names, table.entry_terms, strict=True)))
        lines_with: defaultdict[str, array[int]] = defaultdict(lambda: array("i"))
        for number, line in enumerate(lines.split("\n")):
            for word in set(line.replace("|", " ").split()):
                lines_with[word].append(number)
        self._lines_with = {word: numbers for word, numbers in lines_with.items() if word not in _IGNORED_WORDS}
        self._by_letter: defaultdict[str, list[str]] = defaultdict(list)
        for word in self._lines_with:
            if len(word) <= _LONGEST_WORD:
                self._by_letter[word[0]].append(word)

    def nearest(self, folded: str, limit: int) -> list[Nearest]:
        """Return the closest lines, best first."""
        words = [word for word in dict.fromkeys(folded.split()) if word not in _IGNORED_WORDS][:_MOST_WORDS]
        covered, whole = self._covered(words)
        if not covered.any():
            return []
        order = (
            np.argpartition(-covered, _COMPARED)[:_COMPARED] if len(covered) > _COMPARED else np.arange(len(covered))
        )
        scored = [self._score(int(number), folded, covered[number] / whole) for number in order if covered[number]]
        return sorted(scored, key=lambda found: (-found.score, len(found.name), found.name))[:limit]

    def _covered(self, words: list[str]) -> tuple[NDArray[np.float64], float]:
        """Return the weight of matching words per line, and the weight of all words. Rare words weigh more."""
        lines = len(self._table.ids)
        covered, whole = np.zeros(lines), 0.0
        for word in words:
            similar = self._similar_words(word[:_LONGEST_WORD])
            best = np.zeros(lines)
            for other, similarity in similar:
                numbers = np.frombuffer(self._lines_with[other], dtype=np.intc)
                best[numbers] = np.maximum(best[numbers], similarity * self._rarity(other))
            covered += best
            whole += self._rarity(similar[0][0]) if similar else math.log(1 + lines)
        return covered, whole

    def _rarity(self, word: str) -> float:
        return math.log(1 + len(self._table.ids) / len(self._lines_with[word]))

    def _similar_words(self, word: str) -> list[tuple[str, float]]:
        if word in self._lines_with:
            other = word.removesuffix("s") if word.endswith("s") else f"{word}s"
            return [(word, 1.0), (other, _PLURAL_SIMILARITY)] if other in self._lines_with else [(word, 1.0)]
        # Misspellings rarely change the first letter. A word without a similar word that shares it is ignored.
        found = process.extract(
            word,
            self._by_letter.get(word[0], ()),
            scorer=OSA.normalized_similarity,
            score_cutoff=_SIMILAR,
            limit=4,
        )
        return [(other, similarity) for other, similarity, _ in found]

    def _score(self, number: int, folded: str, covered: float) -> Nearest:
        """Score a line. Half of the score is the share of matching words: letters alone confuse knee and lens."""
        heading = self._table.heading(number)
        names = enumerate((heading.name, *heading.entry_terms))
        scored = ((_similarity(folded, fold(name)), -index, name) for index, name in names)
        letters, _, name = max(scored)
        return Nearest(heading, name, float(letters + min(covered, 1.0)) / 2, letters)


def _similarity(one: str, other: str) -> float:
    """Compare letters in order, or the same words in another order, whichever is more similar."""
    ordered = fuzz.ratio(one, other)
    return max(ordered, 0.97 * fuzz.token_sort_ratio(one, other)) / 100
