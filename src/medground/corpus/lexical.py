"""The word index of a snapshot: BM25, boolean queries and phrases, with Tantivy, which never parses query text."""

import math
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

import tantivy

from medground.corpus.compiling import Compiler, PassageCompiler
from medground.corpus.faults import reading
from medground.corpus.lexical_fields import (
    NUMBER,
    register_analysers,
    schema,
)
from medground.errors import ConfigError, StorageFailed
from medground.values import query as nodes
from medground.values.query import Filters, Query

_MUST, _SHOULD, _NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot
MOST_EXPANSIONS = 10_000
"""Maximum number of words that one truncated word can match."""
_Q = tantivy.Query


@dataclass(frozen=True)
class Frequencies:
    """In how many passages words are, over several word indexes that are searched as if they were one.

    A word that is rare in one collection and common in another counts the same in both, so their scores compare.
    """

    searchers: Sequence[tantivy.Searcher]

    def weight(self, field: str, words: Sequence[str], own: tantivy.Searcher) -> float:
        """By how much the words count more here than by the passages of one index alone, a factor."""
        if len(self.searchers) < 2:
            return 1.0
        alone = sum(_rarity([own], field, word) for word in words)
        return sum(_rarity(self.searchers, field, word) for word in words) / alone


def _rarity(searchers: Sequence[tantivy.Searcher], field: str, word: str) -> float:
    """The inverse document frequency of BM25, as Tantivy has it (Robertson and Zaragoza 2009, equation 3.3)."""
    held = sum(searcher.doc_freq(field, word) for searcher in searchers)
    return math.log(1 + (sum(searcher.num_docs for searcher in searchers) - held + 0.5) / (held + 0.5))


def compile_query(
    query: Query, filters: Filters, searcher: tantivy.Searcher, frequencies: Frequencies | None = None
) -> tantivy.Query:
    """Compile a query for Tantivy. Filters limit what may be found and do not affect scores.

    `frequencies`: how rare words are; None for what the index itself has.

    Raises UsageError: the index has no such field.
    """
    compiler = _Compiler(searcher, schema(), frequencies)
    compiled = compiler.compile(query)
    limits = filters.as_query()
    if limits is None:
        return compiled
    return compiler.limited(compiled, compiler.compile(limits))


class TreeCompiler(Compiler[tantivy.Query]):
    """What any of our indexes in Tantivy can be asked; a subclass compiles the leaves."""

    def __init__(
        self, searcher: tantivy.Searcher, fields: tantivy.Schema, frequencies: Frequencies | None = None
    ) -> None:
        self._searcher = searcher
        self._schema = fields
        self._frequencies = frequencies or Frequencies([searcher])

    def _weighed(self, found: tantivy.Query, field: str, words: Sequence[str]) -> tantivy.Query:
        weight = self._frequencies.weight(field, words, self._searcher)
        return found if weight == 1.0 else _Q.boost_query(found, weight)

    def _everything(self) -> tantivy.Query:
        return _Q.all_query()

    def _all(self, parts: Sequence[tuple[tantivy.Query, bool]]) -> tantivy.Query:
        clauses = [(_NOT if left_out else _MUST, part) for part, left_out in parts]
        if all(left_out for _, left_out in parts):
            # A negation alone matches nothing in Tantivy: it only removes matches of another clause.
            clauses.append((_MUST, _Q.all_query()))
        return _Q.boolean_query(clauses)

    def _any(self, parts: Sequence[tantivy.Query], best: bool = False) -> tantivy.Query:
        if not parts:
            return _Q.empty_query()
        return _Q.disjunction_max_query([*parts]) if best else _Q.boolean_query([(_SHOULD, part) for part in parts])

    def limited(self, found: tantivy.Query, limits: tantivy.Query) -> tantivy.Query:
        return _Q.boolean_query([(_MUST, found), (_MUST, _Q.const_score_query(limits, 0.0))])

    def _one(self, field: str, word: str) -> tantivy.Query:
        return self._weighed(_Q.term_query(self._schema, field, word), field, [word])

    def _one_of(self, field: str, values: Sequence[str]) -> tantivy.Query:
        return _Q.term_set_query(self._schema, field, [*values])

    def _starting_with(self, field: str, start: str) -> tantivy.Query:
        found = self._searcher.terms_with_prefix(field, start, limit=MOST_EXPANSIONS)
        return self._one_of(field, [word for word, _ in found])

    def _several(self, field: str, words: Sequence[str], slop: int) -> tantivy.Query:
        # Tantivy takes words in any order within its own slop, one place for two words, and misses some of three.
        half = slop // 2 if len(words) == 2 else 0
        later = [(half + 1,), (slop + 1 - half,)] if half else combinations(range(1, slop + len(words)), len(words) - 1)
        each = [dict(zip((0, *place), words, strict=True)) for place in dict.fromkeys(later)]
        found = self._any([_Q.phrase_query(self._schema, field, [*place.items()], half) for place in each])
        return self._weighed(found, field, words)

    def _begun(self, field: str, words: Sequence[str], start: str) -> tantivy.Query:
        return _Q.phrase_prefix_query(self._schema, field, [*words, start])

    def _integers(self, field: str, first: int, last: int) -> tantivy.Query:
        return _Q.range_query(self._schema, field, tantivy.FieldType.Integer, first, last)


class _Compiler(PassageCompiler[tantivy.Query], TreeCompiler):
    """Compiles a query for the index of passages."""


_LOCK = ".tantivy-meta.lock"
_REMOVALS = 3


class Lexical:
    """A finished word index; SnapshotCorrupt if it cannot be read, whenever that is seen.

    Raises ConfigError: it was made by another version of Medground and has other fields; StorageFailed: its folder is
    read-only, and so is every folder for temporary files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with reading(folder):
            index = _opened(folder)
            register_analysers(index)
            self._searcher = index.searcher()
            self._frequencies = Frequencies([self._searcher])
        if index.schema != schema():
            # searching a missing field would silently find nothing
            raise ConfigError(f"{folder} has a word index from another version of Medground; rebuild the corpus")

    def rank_with(self, others: Sequence[Self]) -> None:
        """From now on, words are as rare as they are in these indexes together; they include this one."""
        self._frequencies = Frequencies([other._searcher for other in others])

    @property
    def passages(self) -> int:
        """Number of passages."""
        return int(self._searcher.num_docs)

    def terms(self, field: str, start: str, limit: int) -> list[str]:
        """The first words of a field that start so, in the order of the alphabet."""
        with reading(self._folder):
            return [word for word, _ in self._searcher.terms_with_prefix(field, start, limit=limit)]

    def numbers(self, filters: Filters) -> list[int]:
        """Numbers of the passages that the filters allow, ascending."""
        return self._listed(self._limits(filters))

    def count(self, filters: Filters) -> int:
        """How many passages the filters allow; a hundred times as fast as their numbers."""
        with reading(self._folder):
            counted = {"all": {"value_count": {"field": NUMBER}}}
            return int(self._searcher.aggregate(self._limits(filters), counted)["all"]["value"])

    def numbers_of(self, ids: Sequence[str], filters: Filters) -> list[int]:
        """Numbers of the passages of these documents that the filters allow, ascending."""
        documents = _Q.term_set_query(schema(), "id", [*ids])
        return self._listed(_Q.boolean_query([(_MUST, documents), (_MUST, self._limits(filters))]))

    def _limits(self, filters: Filters) -> tantivy.Query:
        return compile_query(nodes.Everything(), filters, self._searcher)

    def _listed(self, query: tantivy.Query) -> list[int]:
        with reading(self._folder):
            found = self._searcher.search(query, max(1, self.passages), False, NUMBER, order=tantivy.Order.Asc)
        return [int(number) for number, _ in found.hits]

    def search(self, query: Query, limit: int, filters: Filters) -> list[tuple[int, float]]:
        """Passage numbers with their BM25 scores, best first; ties are ordered by number."""
        if limit < 1:
            return []
        with reading(self._folder):
            compiled = compile_query(query, filters, self._searcher, self._frequencies)
            hits = self._searcher.search(compiled, limit, count=False).hits
            if not hits:
                return []
            numbers = self._searcher.fast_field_values(NUMBER, [address for _, address in hits])
            scored = [(int(number or 0), float(score)) for number, (score, _) in zip(numbers, hits, strict=True)]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


def _opened(folder: Path) -> tantivy.Index:
    """Open an index. Tantivy locks its folder by writing to a file; where it cannot, it gets a folder of links.

    It has mapped every file once the index is open, so the links may go.
    """
    try:
        (folder / _LOCK).open("ab").close()
    except OSError:
        try:
            made = TemporaryDirectory(prefix="medground-", ignore_cleanup_errors=True)
        except OSError:
            raise StorageFailed(
                f"{folder} is read-only, and so is every folder for temporary files; "
                "set TMPDIR to a folder that can be written to"
            ) from None
        with made as links:
            for file in folder.iterdir():
                if file.name != _LOCK:
                    Path(links, file.name).symlink_to(file.absolute())
            index = tantivy.Index.open(links)
        for _ in range(_REMOVALS):  # the watcher of the index may write its lock while the folder is removed
            shutil.rmtree(links, ignore_errors=True)
        return index
    return tantivy.Index.open(str(folder))
