"""The word index of a snapshot: BM25, boolean queries and phrases, with Tantivy, which never parses query text."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import assert_never

import tantivy

from medground.corpus.faults import reading
from medground.corpus.lexical_fields import (
    ANALYSES,
    DATES,
    DEFAULT,
    METADATA,
    METADATA_NAME,
    NUMBER,
    YEAR,
    Analysis,
    analyser,
    described,
    exact,
    register_analysers,
    schema,
)
from medground.errors import ConfigError, StorageFailed, UsageError
from medground.values import query as nodes
from medground.values.query import Filters, Leaf, Query, fold

_MUST, _SHOULD, _NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot
_FIRST_YEAR, _LAST_YEAR = 0, 9999
MOST_EXPANSIONS = 10_000
"""Maximum number of words that one truncated word can match."""
MOST_REORDERED = 4
"""A proximity search for more words than this only requires all of them to be present."""
_SEVERAL = {"title_abstract": ("title", "text"), "text_word": (DEFAULT,), "all": (DEFAULT, "author", "journal")}
"""PubMed fields that map to fields of the index."""

_Q = tantivy.Query


def compile_query(query: Query, filters: Filters, searcher: tantivy.Searcher) -> tantivy.Query:
    """Compile a query for Tantivy. Filters limit what may be found and do not affect scores.

    Raises UsageError: the index has no such field.
    """
    compiler = _Compiler(searcher, schema())
    compiled = compiler.compile(query)
    limits = filters.as_query()
    if limits is None:
        return compiled
    return _Q.boolean_query([(_MUST, compiled), (_MUST, _Q.const_score_query(compiler.compile(limits), 0.0))])


class TreeCompiler:
    """Compiles the branches of a tree, and what any of our indexes can be asked for; a subclass compiles the leaves."""

    def __init__(self, searcher: tantivy.Searcher, fields: tantivy.Schema) -> None:
        self._searcher = searcher
        self._schema = fields

    def compile(self, query: Query) -> tantivy.Query:
        """The query as the index takes it; UsageError if it asks for a field that this index does not have."""
        return fold(query, self.leaf, _all, _any)

    def leaf(self, query: Leaf) -> tantivy.Query:
        """A query without parts."""
        raise NotImplementedError

    def _starting_with(self, field: str, start: str) -> tantivy.Query:
        found = self._searcher.terms_with_prefix(field, start, limit=MOST_EXPANSIONS)
        return _Q.term_set_query(self._schema, field, [word for word, _ in found])

    def _one(self, field: str, word: str) -> tantivy.Query:
        return _Q.term_query(self._schema, field, word)

    def _sequence(self, field: str, words: Sequence[str], slop: int = 0) -> tantivy.Query:
        """Words in this order, with at most `slop` other words between them."""
        if len(words) < 2:
            return self._one(field, words[0]) if words else _Q.empty_query()
        return _Q.phrase_query(self._schema, field, [*words], slop)

    def _between(self, field: str, low: int | None, high: int | None, least: int, most: int) -> tantivy.Query:
        """Integers within both bounds. A document without a value matches no range, not even an open one."""
        first = least if low is None else min(max(least, low), most + 1)
        last = most if high is None else max(min(most, high), least - 1)
        if first > last:
            return _Q.empty_query()
        return _Q.range_query(self._schema, field, tantivy.FieldType.Integer, first, last)


def _all(parts: Sequence[tuple[tantivy.Query, bool]]) -> tantivy.Query:
    clauses = [(_NOT if left_out else _MUST, part) for part, left_out in parts]
    if all(left_out for _, left_out in parts):
        # A negation alone matches nothing in Tantivy: it only removes matches of another clause.
        clauses.append((_MUST, _Q.all_query()))
    return _Q.boolean_query(clauses)


def _any(parts: Sequence[tantivy.Query], best: bool) -> tantivy.Query:
    return _Q.disjunction_max_query([*parts]) if best else _Q.boolean_query([(_SHOULD, part) for part in parts])


class _Compiler(TreeCompiler):
    def leaf(self, query: Leaf) -> tantivy.Query:
        match query:
            case nodes.Everything():
                return _Q.all_query()
            case nodes.Range(field="id"):
                raise UsageError("a corpus cannot be searched by a range of PMIDs; name them, or serve it as PubMed")
            case nodes.Range():
                return self._between(YEAR, query.low, query.high, _FIRST_YEAR, _LAST_YEAR)
            case nodes.DateRange():
                if query.field not in DATES:
                    raise UsageError(f"a corpus has no {query.field!r} dates; use one of: {', '.join(DATES)}")
                low, high = (
                    None if day is None else day.year * 10_000 + day.month * 100 + day.day
                    for day in (query.low, query.high)
                )
                return self._between(f"date_{query.field}", low, high, 0, 99_999_999)
            case nodes.Mesh():
                from medground.pubmed.mesh import mesh_values

                return self._one_of("mesh_major" if query.major else "mesh_exact", mesh_values(query))
            case nodes.PublicationType():
                from medground.pubmed.mesh import publication_types

                return self._one_of("publication_type", publication_types(query))
            case nodes.Metadata():
                return self._one(METADATA, described(query.name, query.value))
            case nodes.Words() | nodes.Term() | nodes.Phrase() | nodes.Near():
                return self._leaf(query)
            case _:
                assert_never(query)

    def _leaf(self, query: nodes.Words | nodes.Term | nodes.Phrase | nodes.Near) -> tantivy.Query:
        text = query.value if isinstance(query, nodes.Term) else query.text
        if query.field == "year":
            year = int(text[:9]) if text.isascii() and text.isdigit() else -1
            return self._between(YEAR, year, year, _FIRST_YEAR, _LAST_YEAR)
        fields = _SEVERAL.get(query.field or "", (query.field or DEFAULT,))
        if fields == ("mesh",) and isinstance(query, nodes.Term):
            fields = ("mesh_exact",)  # a whole MeSH heading, not words of one
        if missing := [field for field in fields if field not in ANALYSES]:
            raise UsageError(
                f"a corpus cannot be searched by {missing[0]!r}; leave this field out or search PubMed itself"
            )
        found = [self._in_field(query, text, field, ANALYSES[field]) for field in fields]
        return found[0] if len(found) == 1 else _Q.disjunction_max_query(found)

    def _in_field(
        self, query: nodes.Words | nodes.Term | nodes.Phrase | nodes.Near, text: str, field: str, analysis: Analysis
    ) -> tantivy.Query:
        if analysis == "exact":
            value = exact(field, text)
            truncated = isinstance(query, nodes.Term) and query.prefix
            return self._starting_with(field, value) if truncated else self._one(field, value)
        if isinstance(query, nodes.Words):
            words = analyser(analysis, stop_words=False).analyze(text) or analyser(analysis).analyze(text)
            return _Q.boolean_query([(_SHOULD, self._one(field, word)) for word in dict.fromkeys(words)])
        if isinstance(query, nodes.Term) and query.prefix:
            return self._truncated(field, analysis, text)
        words = analyser(analysis).analyze(text)
        if isinstance(query, nodes.Near) or (isinstance(query, nodes.Phrase) and query.slop):
            return self._near(field, words, query.distance if isinstance(query, nodes.Near) else query.slop)
        return self._sequence(field, words)

    def _near(self, field: str, words: list[str], distance: int) -> tantivy.Query:
        if len(words) < 2:
            return self._sequence(field, words)
        if len(words) > MOST_REORDERED:
            return _Q.boolean_query([(_MUST, self._one(field, word)) for word in dict.fromkeys(words)])
        orders = dict.fromkeys(itertools.permutations(words))
        return _Q.disjunction_max_query([self._sequence(field, order, distance) for order in orders])

    def _truncated(self, field: str, analysis: Analysis, value: str) -> tantivy.Query:
        words = analyser("plain").analyze(value)
        if not words:
            return _Q.empty_query()
        if len(words) > 1:
            first = analyser("english" if analysis == "english" else "plain").analyze(" ".join(words[:-1]))
            return _Q.phrase_prefix_query(self._schema, field, [*first, words[-1]])
        start = self._starting_with(field, words[0])
        # The index holds stems: "inflammations*" must find "inflammation", which is stored as "inflamm".
        stems = analyser("english").analyze(value) if analysis == "english" else []
        return _Q.boolean_query([(_SHOULD, q) for q in (start, *(self._one(field, stem) for stem in stems))])

    def _one_of(self, field: str, values: Sequence[str]) -> tantivy.Query:
        return _Q.term_set_query(self._schema, field, [exact(field, value) for value in values])


_MOST_FIELDS = 10_000
_FEW_VALUES = 8
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
        if index.schema != schema():
            # searching a missing field would silently find nothing
            raise ConfigError(f"{folder} has a word index from another version of Medground; rebuild the corpus")

    @property
    def passages(self) -> int:
        """Number of passages."""
        return int(self._searcher.num_docs)

    @property
    def fields(self) -> frozenset[str]:
        """Names of the metadata fields of its documents."""
        with reading(self._folder):
            found = self._searcher.terms_with_prefix(METADATA_NAME, "", limit=_MOST_FIELDS)
        return frozenset(name for name, _ in found)

    def values(self, field: str) -> tuple[str, ...] | None:
        """The first values of a field, in the order of the alphabet; None if they are not held whole."""
        if ANALYSES.get(field) != "exact" and field not in self.fields:
            return None
        name, start = (field, "") if field in ANALYSES else (METADATA, described(field, ""))
        with reading(self._folder):
            found = self._searcher.terms_with_prefix(name, start, limit=_FEW_VALUES)
        return tuple(value.removeprefix(start) for value, _ in found)

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
            compiled = compile_query(query, filters, self._searcher)
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
