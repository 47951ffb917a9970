"""The MeSH vocabulary: look up headings by name and navigate the tree."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import cache, cached_property

from medground.errors import UsageError
from medground.pubmed.mesh.fold import fold, fold_lines
from medground.pubmed.mesh.nearest import Index, Nearest
from medground.pubmed.mesh.table import Heading, Table, read_table
from medground.text.spelling import american

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

        Raises:
            UsageError: there is no such heading; the message suggests the closest ones.
        """
        found = self.find(name)
        if found is None:
            near = ", ".join(near.heading.name for near in self.nearest(name, limit=3))
            raise UsageError(f"MeSH has no heading {name[:80]!r}" + (f"; did you mean {near}?" if near else ""))
        return found

    def nearest(self, text: str, limit: int = 5) -> tuple[Nearest, ...]:
        """Return up to `limit` headings with names similar to the text, best first."""
        return tuple(self._index.nearest(fold(text), limit))

    def explode(self, heading: Heading) -> tuple[Heading, ...]:
        """Return the heading followed by everything below it in the tree, without duplicates."""
        below = (number for tree in heading.trees for number in self._below(tree))
        return self._distinct([heading], below)

    def children(self, heading: Heading) -> tuple[Heading, ...]:
        """Return the headings directly below."""
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

    Raises:
        SnapshotCorrupt: the packaged table is damaged.
    """
    return Vocabulary(read_table())
