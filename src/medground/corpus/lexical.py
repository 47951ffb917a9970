"""The word index of a snapshot: BM25, boolean queries and phrases, with Tantivy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import tantivy

from medground.corpus.faults import reading
from medground.corpus.lexical_fields import METADATA_NAME, NUMBER, Record, register_analysers, schema
from medground.corpus.lexical_query import compile_query
from medground.corpus.tables import PassageRow
from medground.document import Document
from medground.errors import ConfigError, StorageFailed
from medground.query import Everything, Filters, Query

_HEAP = 100_000_000
_THREADS = 2
_MOST_FIELDS = 10_000
_LOCK = ".tantivy-meta.lock"


class LexicalWriter:
    """Adds passages in the order of their numbers.

    A commit waits for everything added before it, so the number of passages in the index tells where an interrupted
    build resumes.
    """

    def __init__(self, index: tantivy.Index) -> None:
        self._index = index
        self._writer = index.writer(_HEAP, _THREADS)
        self.committed: int = index.searcher().num_docs
        """Passages that would survive a crash."""
        self._last: Record | None = None

    @classmethod
    @contextmanager
    def open(cls, folder: Path) -> Iterator[LexicalWriter]:
        """Open or create the index in `folder`. Passages not committed when the block ends are dropped."""
        folder.mkdir(parents=True, exist_ok=True)
        index = tantivy.Index(schema(), str(folder))
        register_analysers(index)
        writer = cls(index)
        try:
            yield writer
        finally:
            del writer._writer  # releases Tantivy's lock on the folder

    def add(self, row: PassageRow, document: Document) -> None:
        """Add a passage. What the passages of a document share is made once where they follow each other."""
        if self._last is None or self._last.document is not document:
            self._last = Record.of(document)
        self._writer.add_document(self._last.entry(row.number, document.text[row.start : row.stop]))

    def delete(self, document_id: str) -> None:
        """Remove the passages of a document that were added before. They still count in the statistics of words."""
        self._writer.delete_documents_by_term("id", document_id)

    def commit(self) -> None:
        """Save what was added."""
        self._writer.commit()
        self._index.reload()
        self.committed = self._index.searcher().num_docs

    def finish(self) -> None:
        """Commit and wait for Tantivy to finish merging. The writer cannot be used afterwards."""
        self.commit()
        self._writer.wait_merging_threads()


class Lexical:
    """A finished word index.

    Raises:
        SnapshotCorrupt: the index cannot be read.
        ConfigError: it was made by another version of Medground and has other fields.
        StorageFailed: its folder is read-only, and so is every folder for temporary files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with reading(folder):
            index = _opened(folder)
            register_analysers(index)
            self._searcher = index.searcher()
        self.has_metadata = index.schema == schema()
        if not self.has_metadata and index.schema != schema(metadata=False):
            # searching a missing field would silently find nothing
            raise ConfigError(f"{folder} has a word index from another version of Medground; rebuild the corpus")

    @property
    def passages(self) -> int:
        """Number of passages."""
        return int(self._searcher.num_docs)

    @property
    def fields(self) -> frozenset[str]:
        """Names of the metadata fields of its documents."""
        if not self.has_metadata:
            return frozenset()
        with reading(self._folder):
            found = self._searcher.terms_with_prefix(METADATA_NAME, "", limit=_MOST_FIELDS)
        return frozenset(name for name, _ in found)

    def numbers(self, filters: Filters) -> list[int]:
        """Numbers of the passages that the filters allow, ascending."""
        return sorted(number for number, _ in self.search(Everything(), self.passages, filters))

    def search(self, query: Query, limit: int, filters: Filters) -> list[tuple[int, float]]:
        """Passage numbers with their BM25 scores, best first; ties are ordered by number.

        Raises:
            SnapshotCorrupt: the index cannot be read.
        """
        if limit < 1:
            return []
        with reading(self._folder):
            compiled = compile_query(query, filters, self._searcher, metadata=self.has_metadata)
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
        with _temporary_folder(folder) as links:
            for file in folder.iterdir():
                if file.name != _LOCK:
                    (links / file.name).symlink_to(file.absolute())
            return tantivy.Index.open(str(links))
    return tantivy.Index.open(str(folder))


@contextmanager
def _temporary_folder(folder: Path) -> Iterator[Path]:
    try:
        made = TemporaryDirectory(prefix="medground-", ignore_cleanup_errors=True)
    except OSError:
        raise StorageFailed(
            f"{folder} is read-only, and so is every folder for temporary files; "
            "set TMPDIR to a folder that can be written to"
        ) from None
    with made as name:
        yield Path(name)
