"""MeSH: headings by name, the tree, names similar to a text, and what a query of them means."""

import math
import re
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from heapq import nlargest

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from medground.errors import UsageError
from medground.pubmed.characters import american, fold, fold_lines
from medground.pubmed.mesh_table import Heading, Table, read_table
from medground.pubmed.tags import find_qualifier, narrower
from medground.values.query import Mesh, PublicationType

# Find headings with names similar to a text: correct misspelt words, then compare names that share rare words.

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
        order = nlargest(_COMPARED, covered, key=lambda number: covered[number])
        scored = [self._score(number, folded, covered[number] / whole) for number in order]
        return sorted(scored, key=lambda found: (-found.score, len(found.name), found.name))[:limit]

    def _covered(self, words: list[str]) -> tuple[dict[int, float], float]:
        """Return the weight of matching words per line, and the weight of all words. Rare words weigh more."""
        covered: defaultdict[int, float] = defaultdict(float)
        whole = 0.0
        for word in words:
            similar = self._similar_words(word[:_LONGEST_WORD])
            best: dict[int, float] = {}
            for other, similarity in similar:
                weight = similarity * self._rarity(other)
                best |= {number: max(best.get(number, 0.0), weight) for number in self._lines_with[other]}
            for number, weight in best.items():
                covered[number] += weight
            whole += self._rarity(similar[0][0]) if similar else math.log(1 + len(self._table.ids))
        return covered, whole

    def _rarity(self, word: str) -> float:
        return math.log(1 + len(self._table.ids) / len(self._lines_with[word]))

    def _similar_words(self, word: str) -> list[tuple[str, float]]:
        if word in self._lines_with:
            other = word.removesuffix("s") if word.endswith("s") else f"{word}s"
            return [(word, 1.0), (other, _PLURAL_SIMILARITY)] if other in self._lines_with else [(word, 1.0)]
        # Misspellings rarely change the first letter. A word without a similar word that shares it is ignored.
        known, scorer = self._by_letter.get(word[0], ()), OSA.normalized_similarity
        found = process.extract(word, known, scorer=scorer, score_cutoff=_SIMILAR, limit=4)
        return [(other, similarity) for other, similarity, _ in found]

    def _score(self, number: int, folded: str, covered: float) -> Nearest:
        """Score a line. Half of the score is the share of matching words: letters alone confuse knee and lens."""
        heading = self._table.heading(number)
        names = enumerate((heading.name, *heading.entry_terms))
        scored = ((_similarity(folded, fold(name)), -index, name) for index, name in names)
        letters, _, name = max(scored)
        return Nearest(heading, name, float(letters + min(covered, 1.0)) / 2, letters)


def _similarity(one: str, other: str) -> float:
    ordered = fuzz.ratio(one, other)
    return max(ordered, 0.97 * fuzz.token_sort_ratio(one, other)) / 100


_ID = re.compile(r"[Dd]\d{6,9}")


class Vocabulary:
    """MeSH headings by name, entry term or ID. Opening takes a tenth of a second; `vocabulary()` caches one."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._found: dict[int, Heading] = {}
        names = fold_lines("\n".join(table.names)).split("\n")
        # A heading's own name takes precedence over another heading's entry term, and earlier lines over later ones.
        numbers = dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))
        for number, terms in enumerate(fold_lines("\n".join(table.entry_terms)).split("\n")):
            for term in terms.split("|"):
                numbers.setdefault(term, number)
        numbers.pop("", None)
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._table.ids)

    def find(self, name: str) -> Heading | None:
        """Find a heading by name, entry term or ID, ignoring case and punctuation. Returns None if not found."""
        found = self.find_folded(fold(name))
        if found is None and _ID.fullmatch(name.strip()):
            number = self._ids.get(name.strip().upper())
            return None if number is None else self._heading(number)
        return found

    def find_folded(self, folded: str) -> Heading | None:
        """Find a heading by a name already passed through `fold`. IDs are not accepted."""
        number = self._numbers.get(folded)
        if number is None:
            number = self._numbers.get(american(folded))
        return None if number is None else self._heading(number)

    def heading(self, name: str) -> Heading:
        """Return the heading with this name.

        Raises UsageError: there is no such heading; the message suggests the closest ones.
        """
        found = self.find(name)
        if found is None:
            near = ", ".join(near.heading.name for near in self.nearest(name, limit=3))
            raise UsageError(f"MeSH has no heading {name[:80]!r}" + (f"; did you mean {near}?" if near else ""))
        return found

    def beginning(self, word: str) -> tuple[Heading, ...]:
        """The headings whose own names begin with a word and have others after it."""
        return tuple(map(self._heading, self._beginnings.get(fold(word), ())))

    @cached_property
    def _beginnings(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, name in enumerate(fold_lines("\n".join(self._table.names)).split("\n")):
            first, _, others = name.partition(" ")
            if others:
                found.setdefault(first, []).append(number)
        return found

    @cached_property
    def words(self) -> frozenset[str]:
        """The folded words of all names."""
        return frozenset(self._lines.split())

    def naming(self, word: str) -> tuple[Heading, ...]:
        """The headings that have a folded word in any name."""
        found: dict[int, None] = {}
        at = self._lines.find(f" {word} ")
        while at >= 0:
            end = self._lines.index("\n", at)
            name = self._lines[self._lines.rindex("\n", 0, at) + 1 : end].strip()
            found[self._numbers[name]] = None
            at = self._lines.find(f" {word} ", end)
        return tuple(map(self._heading, found))

    @cached_property
    def _lines(self) -> str:
        return "\n".join(["", *(f" {name} " for name in self._numbers), ""])

    def nearest(self, text: str, limit: int = 5) -> tuple[Nearest, ...]:
        """Return up to `limit` headings with names similar to the text, best first."""
        return tuple(self._index.nearest(fold(text), limit))

    def explode(self, heading: Heading) -> tuple[Heading, ...]:
        """Return the heading followed by everything below it in the tree, without duplicates."""
        below = (self._numbers_of_trees[tree] for above in heading.trees for tree in self._trees_below(above))
        return self._distinct([heading], below)

    def children(self, heading: Heading) -> tuple[Heading, ...]:
        """Return the headings directly below."""
        below = ((above, tree) for above in heading.trees for tree in self._trees_below(above))
        direct = (tree for above, tree in below if tree.count(".") == above.count(".") + 1)
        return self._distinct((), (self._numbers_of_trees[tree] for tree in direct))

    def parents(self, heading: Heading) -> tuple[Heading, ...]:
        """Return the headings directly above."""
        above = (tree.rpartition(".")[0] for tree in heading.trees)
        return self._distinct((), (self._numbers_of_trees[tree] for tree in above if tree in self._numbers_of_trees))

    def ancestors(self, heading: Heading) -> tuple[Heading, ...]:
        """Return all headings above, nearest first along each path."""
        return self._distinct((), (number for tree in heading.trees for number in reversed(self._path(tree))))

    def path(self, tree: str) -> tuple[Heading, ...]:
        """Return the headings from the top of the tree down to and including this tree number."""
        numbers = [*self._path(tree), *([self._numbers_of_trees[tree]] if tree in self._numbers_of_trees else [])]
        return tuple(self._heading(number) for number in numbers)

    def _heading(self, number: int) -> Heading:
        if number not in self._found:
            self._found[number] = self._table.heading(number)
        return self._found[number]

    def _distinct(self, first: Iterable[Heading], numbers: Iterable[int]) -> tuple[Heading, ...]:
        return tuple(dict.fromkeys([*first, *(self._heading(number) for number in numbers)]))

    def _path(self, tree: str) -> list[int]:
        parts = tree.split(".")
        above = (".".join(parts[:length]) for length in range(1, len(parts)))
        return [self._numbers_of_trees[number] for number in above if number in self._numbers_of_trees]

    def _trees_below(self, tree: str) -> list[str]:
        # "." sorts directly before "/", so all numbers below "C04" are between "C04." and "C04/".
        low, high = bisect_left(self._trees, f"{tree}."), bisect_left(self._trees, f"{tree}/")
        return self._trees[low:high]

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {id_: number for number, id_ in enumerate(self._table.ids)}

    @cached_property
    def _numbers_of_trees(self) -> dict[str, int]:
        return {tree: number for number, trees in enumerate(self._table.trees) if trees for tree in trees.split("|")}

    @cached_property
    def _trees(self) -> list[str]:
        return sorted(self._numbers_of_trees)

    @cached_property
    def _index(self) -> Index:
        return Index(self._table)


@cache
def vocabulary() -> Vocabulary:
    """Return the packaged vocabulary, opened once per process.

    Raises SnapshotCorrupt: the packaged table is damaged.
    """
    return Vocabulary(read_table())


def mesh_values(query: Mesh, mesh: Vocabulary | None = None) -> tuple[str, ...]:
    """Return values such as `Asthma`, `Asthma/drug therapy`, or `/drug therapy` for any heading.

    A record matches if it has any of them. A heading that is not in the vocabulary is returned unchanged.
    """
    mesh = mesh or vocabulary()
    below = _below(query.heading, mesh) if query.heading and query.explode else (query.heading or "",)
    attached = [value for name in query.qualifiers for value in _qualifiers(name, explode=query.explode)]
    if not attached:
        return below
    return tuple(f"{heading}/{qualifier}" for heading in below for qualifier in dict.fromkeys(attached))


def publication_types(query: PublicationType) -> tuple[str, ...]:
    """Return publication types; a record matches if it has any of them."""
    return _below(query.name, vocabulary()) if query.explode else (query.name,)


def _below(name: str, mesh: Vocabulary) -> tuple[str, ...]:
    heading = mesh.find(name)
    return (name,) if heading is None else tuple(below.name for below in mesh.explode(heading))


def _qualifiers(name: str, *, explode: bool) -> tuple[str, ...]:
    found = find_qualifier(name)
    if found is None:
        return (name,)
    return narrower(found.name) if explode else (found.name,)
