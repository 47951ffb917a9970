"""The MeSH vocabulary: names to headings, and the tree above and below them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import cache, cached_property

from medground.errors import UsageError
from medground.pubmed.mesh.fold import fold, fold_lines
from medground.pubmed.mesh.nearest import Index, Nearest
from medground.pubmed.mesh.table import Heading, Table, read_table

_ID = re.compile(r"[Dd]\d{6,9}")
_BRITISH = re.compile(r"ae|oe|our|is[ei]|isa|yse|fibre|litre|centre|metre")
_SPELLINGS = (
    ("ae", "e"),
    ("oe", "e"),
    ("our", "or"),
    ("isation", "ization"),
    ("ise", "ize"),
    ("yse", "yze"),
    ("tre", "ter"),
    ("bre", "ber"),
)


class Vocabulary:
    """Headings by name, entry term or id. Opening takes about a tenth of a second; `vocabulary()` keeps one open."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._found: dict[int, Heading] = {}
        names = fold_lines("\n".join(table.names)).split("\n")
        # A heading's own name wins over an entry term of another heading, and an earlier line over a later one.
        numbers = dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))
        for number, terms in enumerate(fold_lines("\n".join(table.entry_terms)).split("\n")):
            for term in terms.split("|"):
                numbers.setdefault(term, number)
        numbers.pop("", None)
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._table.ids)

    def find(self, name: str) -> Heading | None:
        """The heading of this name, entry term or id, in any case and punctuation; None when there is none."""
        found = self.find_folded(fold(name))
        if found is None and _ID.fullmatch(name.strip()):
            number = self._ids.get(name.strip().upper())
            return None if number is None else self._heading(number)
        return found

    def find_folded(self, folded: str) -> Heading | None:
        """The same for a name that `fold` has already been applied to, and without ids."""
        number = self._numbers.get(folded)
        if number is None and _BRITISH.search(folded):
            number = self._numbers.get(_american(folded))
        return None if number is None else self._heading(number)

    def heading(self, name: str) -> Heading:
        """The heading of this name.

        Raises:
            UsageError: there is none; the message names the nearest ones.
        """
        found = self.find(name)
        if found is None:
            near = ", ".join(near.heading.name for near in self.nearest(name, limit=3))
            raise UsageError(f"MeSH has no heading {name[:80]!r}" + (f"; near to it: {near}" if near else ""))
        return found

    def nearest(self, text: str, limit: int = 5) -> tuple[Nearest, ...]:
        """Headings with a name like the text, best first, at most `limit`."""
        return tuple(
            Nearest(self._heading(found.number), found.name, found.score, found.letters)
            for found in self._index.nearest(fold(text), limit)
        )

    def explode(self, heading: Heading) -> tuple[Heading, ...]:
        """The heading and everything below it in the tree, without repeats, the heading first."""
        below = (number for tree in heading.trees for number in self._below(tree))
        return self._distinct([heading], below)

    def children(self, heading: Heading) -> tuple[Heading, ...]:
        """The headings directly below."""
        depths = {tree: tree.count(".") + 1 for tree in heading.trees}
        return self._distinct(
            (),
            (
                self._numbers_of_trees[tree]
                for above, depth in depths.items()
                for tree in self._trees_below(above)
                if tree.count(".") == depth
            ),
        )

    def parents(self, heading: Heading) -> tuple[Heading, ...]:
        """The headings directly above."""
        above = (tree.rpartition(".")[0] for tree in heading.trees)
        return self._distinct((), (self._numbers_of_trees[tree] for tree in above if tree in self._numbers_of_trees))

    def ancestors(self, heading: Heading) -> tuple[Heading, ...]:
        """All headings above, nearest first along each path."""
        return self._distinct((), (number for tree in heading.trees for number in reversed(self._path(tree))))

    def siblings(self, heading: Heading) -> tuple[Heading, ...]:
        """The other children of the parents."""
        found = dict.fromkeys(child for parent in self.parents(heading) for child in self.children(parent))
        return tuple(child for child in found if child != heading)

    def path(self, tree: str) -> tuple[Heading, ...]:
        """The headings from the top of the tree down to this tree number, itself included."""
        numbers = [*self._path(tree), *([self._numbers_of_trees[tree]] if tree in self._numbers_of_trees else [])]
        return tuple(self._heading(number) for number in numbers)

    def _heading(self, number: int) -> Heading:
        found = self._found.get(number)
        if found is None:
            found = self._found[number] = self._table.heading(number)
        return found

    def _distinct(self, first: Iterable[Heading], numbers: Iterable[int]) -> tuple[Heading, ...]:
        return tuple(dict.fromkeys([*first, *(self._heading(number) for number in numbers)]))

    def _path(self, tree: str) -> list[int]:
        parts = tree.split(".")
        above = (".".join(parts[:length]) for length in range(1, len(parts)))
        return [self._numbers_of_trees[number] for number in above if number in self._numbers_of_trees]

    def _below(self, tree: str) -> list[int]:
        return [self._numbers_of_trees[below] for below in self._trees_below(tree)]

    def _trees_below(self, tree: str) -> list[str]:
        # "." sorts right before "/": every number below "C04" lies between "C04." and "C04/".
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


def _american(folded: str) -> str:
    """British spelling in the American one of MeSH."""
    for british, american in _SPELLINGS:
        folded = folded.replace(british, american)
    return folded


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary of the package, opened once per process.

    Raises:
        SnapshotCorrupt: the table in the package is damaged.
    """
    return Vocabulary(read_table())
