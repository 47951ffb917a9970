"""Search index that makes a frozen corpus behave like PubMed: whole records, PubMed fields, exact counts, any order."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tantivy

from medground.corpus.faults import reading, writing
from medground.corpus.lexical_fields import register_analysers
from medground.document import Document
from medground.progress import Progress, no_progress
from medground.pubmed.records_fields import ORDERS, PMID, date_of, entry, schema, value_of
from medground.pubmed.records_query import RecordsCompiler
from medground.query import Query

Order = Literal["newest", "published", "relevance", "author", "journal", "title"]
"""`newest`: most recently entered first, PubMed's default. `published`: most recently published first."""
_PREFIX = "PMID:"
_HEAP = 100_000_000
_REPORT = 1000
_MOST_WORDS = 20_000


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

    @classmethod
    def open_or_build(
        cls, folder: Path, documents: Callable[[], Iterable[Document]], progress: Progress = no_progress
    ) -> RecordsIndex:
        """Open the index in `folder`, or build it from the documents if it does not exist.

        Args:
            folder: location of the index. Its name must change with the documents, for example by a snapshot's hash.
            documents: returns the documents, in any order; called twice. Documents without a PMID are skipped.
            progress: callback for build progress.

        Raises:
            StorageFailed: the disk refused a write.
        """
        if not folder.is_dir():
            with writing(folder):
                folder.parent.mkdir(parents=True, exist_ok=True)
                unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
                try:
                    _build(unfinished, documents, progress)
                    if not folder.is_dir():
                        unfinished.rename(folder)
                finally:
                    shutil.rmtree(unfinished, ignore_errors=True)
        return cls(folder)

    @property
    def records(self) -> int:
        """Number of records in the index."""
        return int(self._searcher.num_docs)

    def search(self, query: Query, *, order: Order = "relevance", start: int = 0, limit: int = 20) -> RecordsFound:
        """Return the number of matching records and up to `limit` PMIDs, starting at offset `start`."""
        with reading(self._folder):
            compiled = RecordsCompiler(self._searcher).compile(query)
            by = None if order == "relevance" else f"by_{order}"
            direction = tantivy.Order.Desc if by is None else tantivy.Order.Asc
            found = self._searcher.search(compiled, max(limit, 1), True, by, start, direction)
            hits = found.hits[:limit]
            numbers = self._searcher.fast_field_values(PMID, [address for _, address in hits]) if hits else []
            # The type stub lacks `count`.
            count: int = getattr(found, "count") or 0  # noqa: B009
            return RecordsFound(count, tuple(str(number) for number in numbers))

    def scored(self, query: Query, limit: int) -> list[tuple[str, float]]:
        """Return the best-matching PMIDs with their BM25 scores."""
        with reading(self._folder):
            compiled = RecordsCompiler(self._searcher).compile(query)
            hits = self._searcher.search(compiled, limit, False).hits
            numbers = self._searcher.fast_field_values(PMID, [address for _, address in hits]) if hits else []
            return [(str(number), float(score)) for number, (score, _) in zip(numbers, hits, strict=True)]

    def has_word(self, word: str) -> bool:
        """Whether any title or abstract contains the word, given in lower case."""
        with reading(self._folder):
            return int(self._searcher.doc_freq("title_abstract", word)) > 0

    def has_author(self, name: str) -> bool:
        """Whether any record has an author such as `Smith JA`. Trailing initials may be omitted."""
        with reading(self._folder):
            return bool(self._searcher.terms_with_prefix("author", value_of("author", name), limit=1))

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


def pmid_number(document: Document) -> int | None:
    """Return the PMID of a document, or None if its ID is not a PMID."""
    prefix, name = document.id[: len(_PREFIX)], document.id[len(_PREFIX) :]
    return int(name) if prefix == _PREFIX and name.isascii() and name.isdigit() and len(name) < 16 else None


def _build(folder: Path, documents: Callable[[], Iterable[Document]], progress: Progress) -> None:
    positions = _positions(documents())
    index = tantivy.Index(schema(), str(folder))
    register_analysers(index)
    writer = index.writer(_HEAP, 1)
    for number, (pmid, document) in enumerate(_with_pmid(documents()), start=1):
        writer.add_document(entry(document, pmid, {order: positions[order][pmid] for order in ORDERS}))
        if number % _REPORT == 0:
            progress("PubMed index", number, len(positions[ORDERS[0]]))
    writer.commit()
    writer.wait_merging_threads()


def _with_pmid(documents: Iterable[Document]) -> Iterator[tuple[int, Document]]:
    return ((pmid, document) for document in documents if (pmid := pmid_number(document)) is not None)


def _positions(documents: Iterable[Document]) -> dict[str, dict[int, int]]:
    """Map each order to PMIDs and their positions. Ties are broken by highest PMID, so that every order is total."""
    found = ((pmid, _sort_keys(document)) for pmid, document in _with_pmid(documents))
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
