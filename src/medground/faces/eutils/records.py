"""Search index that makes a frozen corpus behave like PubMed: whole records, PubMed fields, exact counts, any order."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, assert_never

import tantivy

from medground.corpus.faults import reading, writing
from medground.corpus.lexical import MOST_EXPANSIONS, TreeCompiler
from medground.corpus.lexical_fields import register_analysers
from medground.faces.eutils.records_fields import (
    DATES,
    FIELDS,
    OF_RAW,
    ORDERS,
    PMID,
    RAW,
    SUBSETS,
    SUBSETS_OF_ALL,
    YEAR,
    date_of,
    entry,
    journal_values,
    schema,
    value_of,
    words_of,
)
from medground.pubmed.mesh import publication_types, vocabulary
from medground.pubmed.tags import find_qualifier
from medground.pubmed.translate import searched
from medground.values.document import Document
from medground.values.query import (
    DateRange,
    Everything,
    Leaf,
    Mesh,
    Metadata,
    Near,
    Phrase,
    PublicationType,
    Query,
    Range,
    Term,
    Words,
    leaves,
)
from medground.values.steps import Progress, no_progress

_LONGEST_INITIALS = 2
_MORE_INITIALS, _INITIALS = re.compile(r"[a-z]{0,3}( \w{2,3})?"), re.compile(r" [a-z]{1,4}( \w{2,3})?")
"""What follows the first initials of an author, and what follows the family name: initials, and `Jr`."""


class RecordsCompiler(TreeCompiler):
    """Compiles a query for the index of whole records."""

    def __init__(self, searcher: tantivy.Searcher) -> None:
        super().__init__(searcher, schema())

    def leaf(self, query: Leaf) -> tantivy.Query:
        match query:
            case Everything():
                return tantivy.Query.all_query()
            case Range(field="id"):
                return self._between(PMID, query.low, query.high, 0, _LARGEST)
            case Range():
                return self._days(YEAR, query.low, query.high)
            case DateRange():
                low, high = (int(f"{d:%Y%m%d}") if d else None for d in (query.low, query.high))
                return self._days(query.field, low, high) if query.field in DATES else tantivy.Query.empty_query()
            case Mesh():
                return self._mesh(query)
            case PublicationType():
                return self._values("publication_type", publication_types(query))
            case Metadata():
                return tantivy.Query.empty_query()
            case Words():
                words = words_of(query.text)
                return self._any([self._leaf(Term(value=word, field=query.field)) for word in words])
            case Term(field="subset") if (meant := searched(query.value)) is not None:
                return self.compile(meant)
            case Term() | Phrase() | Near():
                return self._leaf(query)
            case _:
                assert_never(query)

    def _mesh(self, query: Mesh) -> tantivy.Query:
        """Compile a heading. The index includes broader headings, so exploding costs nothing here."""
        field = ("mesh_major" if query.major else "mesh") + ("_below" if query.explode else "")
        found = vocabulary().find(query.heading) if query.heading else None
        name = found.name if found else query.heading or ""
        attached = [known.name if (known := find_qualifier(q)) else q for q in query.qualifiers]
        return self._values(field, [f"{name}/{qualifier}" for qualifier in attached] or [name])

    def _leaf(self, leaf: Term | Phrase | Near) -> tantivy.Query:
        field = leaf.field or "all"
        text = leaf.value if isinstance(leaf, Term) else leaf.text
        prefix = isinstance(leaf, Term) and leaf.prefix
        if field == YEAR:
            year = int(text) if text.isascii() and text.isdigit() and len(text) <= 4 else None
            return tantivy.Query.empty_query() if year is None else self._days(YEAR, year, year)
        analysis = FIELDS.get(field)
        match analysis:
            case None:
                return tantivy.Query.empty_query()
            case "words":
                return self._prefixed(field, text) if prefix else self._row(field, text, leaf)
            case "name":
                return self._person(field, value_of(field, text), prefix=prefix)
            case "value":
                values = journal_values(text) if field == "journal" else [value_of(field, text)]
                return self._starting_with(field, values[0]) if prefix else self._values(field, values)

    def _person(self, field: str, name: str, *, prefix: bool) -> tantivy.Query:
        """Match a name. A family name alone matches any initials, and truncated initials are completed."""
        if not name:
            return tantivy.Query.empty_query()
        fields = (field, f"full_{field}") if " " in name and f"full_{field}" in FIELDS else (field,)
        exactly = [self._values(one, [name]) for one in fields]
        if prefix and len(name.rpartition(" ")[2]) > _LONGEST_INITIALS:
            return self._any([self._starting_with(one, name) for one in fields])
        if not prefix and " " in name and len(name.rpartition(" ")[2]) <= _LONGEST_INITIALS:
            return self._any(exactly)
        found = self._searcher.terms_with_prefix(field, name, limit=MOST_EXPANSIONS)
        following = _MORE_INITIALS if prefix else _INITIALS
        return self._any([self._values(field, [n for n, _ in found if following.fullmatch(n, len(name))]), *exactly])

    def _row(self, field: str, text: str, leaf: Term | Phrase | Near) -> tantivy.Query:
        words = words_of(text)
        slop = leaf.distance if isinstance(leaf, Near) else leaf.slop if isinstance(leaf, Phrase) else 0
        reorder = isinstance(leaf, Near) or slop
        if reorder and field == "title_abstract":  # both words must be in one of them
            return self._any([self._row(one, text, leaf) for one in ("title", "text", "keyword")])
        return self._near(field, words, slop) if reorder else self._sequence(field, words)

    def _prefixed(self, field: str, text: str) -> tantivy.Query:
        words = words_of(text)
        if len(words) > 1:
            return tantivy.Query.phrase_prefix_query(self._schema, field, [*words])
        return self._starting_with(field, words[0]) if words else tantivy.Query.empty_query()

    def _values(self, field: str, values: Iterable[str]) -> tantivy.Query:
        stored = list(dict.fromkeys(value_of(field, value) for value in values))
        if len(stored) == 1:
            return tantivy.Query.term_query(self._schema, field, stored[0])
        return tantivy.Query.term_set_query(self._schema, field, stored)

    def _days(self, field: str, low: int | None, high: int | None) -> tantivy.Query:
        return self._between(field, low, high, 0, 99_991_231)


Order = Literal["newest", "published", "relevance", "author", "journal", "title"]
"""`newest`: most recently entered first, PubMed's default. `published`: most recently published first."""
_HEAP = 100_000_000
_REPORT = 1000
_MOST_WORDS = 20_000
_LARGEST = 10**15
"""More than any PMID."""


@dataclass(frozen=True)
class RecordsFound:
    """The number of matching records, and the PMIDs (bare numbers) of the requested page, in order."""

    count: int
    ids: tuple[str, ...]


class RecordsIndex:
    """Searches records. Thread-safe.

    All methods raise SnapshotCorrupt if the index cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with reading(folder):
            index = tantivy.Index.open(str(folder))
            register_analysers(index)
            self._searcher = index.searcher()
            self._held = {name for name in FIELDS if self._searcher.terms_with_prefix(name, "", limit=1)}
            self.has_raw = self._searcher.doc_freq("subset", RAW) > 0
            """Whether records have their own XML."""

    @classmethod
    def open_or_build(
        cls, folder: Path, records: Callable[[], Iterable[tuple[Document, bytes]]], progress: Progress = no_progress
    ) -> RecordsIndex:
        """Open the index in `folder`, or build it from the records if it does not exist.

        Args:
            folder: location of the index. Its name must change with the documents, for example by a snapshot's hash.
            records: returns documents with their XML, in any order; called twice. Those without a PMID are skipped.
        """
        if not folder.is_dir():
            with writing(folder):
                folder.parent.mkdir(parents=True, exist_ok=True)
                unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
                try:
                    _build(unfinished, records, progress)
                    unfinished.rename(folder)
                except OSError:
                    if not folder.is_dir():  # unless another thread or process was first
                        raise
                finally:
                    shutil.rmtree(unfinished, ignore_errors=True)
        return cls(folder)

    @property
    def records(self) -> int:
        """Number of records in the index."""
        return int(self._searcher.num_docs)

    def unsupported(self, query: Query) -> list[str]:
        """Return the fields, filters and dates in a query of which no record has a value, without duplicates."""
        return list(dict.fromkeys(filter(None, map(self._missing, leaves(query)))))

    def _missing(self, leaf: Leaf) -> str:
        if isinstance(leaf, DateRange):
            return "" if leaf.field in DATES and (self.has_raw or leaf.field not in OF_RAW) else f"date {leaf.field}"
        if not isinstance(leaf, Term | Phrase | Near | Words):
            return ""
        field = leaf.field or "all"
        if isinstance(leaf, Term) and field == "subset":
            held = leaf.value in (SUBSETS if self.has_raw else SUBSETS_OF_ALL) or searched(leaf.value)
            return "" if held else f"filter {leaf.value}"
        return "" if field in self._held or field == YEAR else f"field {field}"

    def search(self, query: Query, *, order: Order = "relevance", start: int = 0, limit: int = 20) -> RecordsFound:
        """Return the number of matching records and up to `limit` PMIDs, starting at offset `start`."""
        with reading(self._folder):
            compiled = RecordsCompiler(self._searcher).compile(query)
            by = None if order == "relevance" else f"by_{order}"
            direction = tantivy.Order.Desc if by is None else tantivy.Order.Asc
            found = self._searcher.search(compiled, max(limit, 1), True, by, start, direction)
            count: int = getattr(found, "count") or 0  # noqa: B009 (the type stub lacks it)
            return RecordsFound(count, tuple(self._pmids(found.hits[:limit])))

    def scored(self, query: Query, limit: int) -> list[tuple[str, float]]:
        """Return the best-matching PMIDs with their BM25 scores."""
        with reading(self._folder):
            compiled = RecordsCompiler(self._searcher).compile(query)
            hits = self._searcher.search(compiled, limit, False).hits
            return [(pmid, float(score)) for pmid, (score, _) in zip(self._pmids(hits), hits, strict=True)]

    def _pmids(self, hits: list[Any]) -> list[str]:
        found = self._searcher.fast_field_values(PMID, [address for _, address in hits]) if hits else []
        return [*map(str, found)]

    def has_word(self, word: str) -> bool:
        """Whether any title or abstract contains the word, given in lower case."""
        with reading(self._folder):
            return int(self._searcher.doc_freq("title_abstract", word)) > 0

    def journals(self) -> list[str]:
        """Return the journal names of all records, in lower case."""
        with reading(self._folder):
            return [name for name, _ in self._searcher.terms_with_prefix("journal", "", limit=_MOST_WORDS)]

    def words_like(self, word: str) -> list[str]:
        """Return words in titles and abstracts that start with the same two letters, most frequent first."""
        with reading(self._folder):
            found = self._searcher.terms_with_prefix("title_abstract", word[:2], limit=_MOST_WORDS)
        return [other for other, count in sorted(found, key=lambda pair: -pair[1]) if abs(len(other) - len(word)) < 3]

    def count(self, query: Query) -> int:
        """Return the number of matching records."""
        return self.search(query, limit=0).count


def _build(folder: Path, records: Callable[[], Iterable[tuple[Document, bytes]]], progress: Progress) -> None:
    positions = _positions(records())
    index = tantivy.Index(schema(), str(folder))
    register_analysers(index)
    writer = index.writer(_HEAP, 1)
    for number, (pmid, document, xml) in enumerate(_with_pmid(records()), start=1):
        writer.add_document(entry(document, xml, pmid, {order: positions[order][pmid] for order in ORDERS}))
        if number % _REPORT == 0:
            progress("PubMed index", number, len(positions[ORDERS[0]]))
    writer.commit()
    writer.wait_merging_threads()


def _with_pmid(records: Iterable[tuple[Document, bytes]]) -> Iterator[tuple[int, Document, bytes]]:
    for document, xml in records:
        prefix, _, name = document.id.partition(":")
        if prefix == "PMID" and name.isascii() and name.isdigit() and len(name) <= 15:
            yield int(name), document, xml


def _positions(records: Iterable[tuple[Document, bytes]]) -> dict[str, dict[int, int]]:
    """Map each order to PMIDs and their positions. Ties are broken by highest PMID, so that every order is total."""
    found = ((pmid, _sort_keys(document)) for pmid, document, _ in _with_pmid(records))
    keys = sorted(found, key=lambda pair: pair[0], reverse=True)
    positions: dict[str, dict[int, int]] = {}
    for order in ORDERS:
        latest_first = order in ("newest", "published")
        ordered = sorted(keys, key=lambda pair: pair[1][order], reverse=latest_first)
        positions[order] = {pmid: position for position, (pmid, _) in enumerate(ordered)}
    return positions


def _sort_keys(document: Document) -> dict[str, str]:
    return {
        "newest": date_of(document, "entered"),
        "published": date_of(document, "published"),
        "author": document.authors[0].casefold() if document.authors else "\uffff",
        "journal": (document.journal or "\uffff").casefold(),
        "title": document.title.casefold(),
    }
